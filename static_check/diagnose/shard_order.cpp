#include "static_check/diagnose/shard_order.h"

#include <algorithm>

namespace assay {
namespace {

bool is_out_of_order(const Value& value) {
  if (value.cuts.empty() || value.cuts[0].size() < 3) return false;
  for (size_t t = 0; t + 1 < value.tiles.size(); ++t) {
    const Tile& a = value.tiles[t];
    const Tile& b = value.tiles[t + 1];
    if (a.terms.size() != 1 || b.terms.size() != 1 || a.terms[0].atom != b.terms[0].atom)
      return false;
    if (b.terms[0].layout.offset < a.terms[0].layout.offset) return true;
  }
  return false;
}

}  // namespace

void describe_shard_order(const Problem& problem, FailureReport& report) {
  for (Rank rank = 0; rank < static_cast<Rank>(problem.refinement.ranks.size()); ++rank) {
    const Graph& program = problem.rank_graph(rank);
    const CoreProgram& core = problem.rank_programs[static_cast<size_t>(rank)];
    for (size_t i = 0; i < core.ops.size(); ++i) {
      const CoreOp& op = core.ops[i];
      if (op.prim != Prim::kCollective || op.origin == kNone) continue;
      if (core.collectives[static_cast<size_t>(op.collective)].kind != Collective::Kind::kAllGather)
        continue;
      if (i >= problem.ranks.ranks[static_cast<size_t>(rank)].values.size()) continue;
      const Value& value = problem.ranks.ranks[static_cast<size_t>(rank)].values[i];
      if (!is_out_of_order(value)) continue;
      const Node& node = program.nodes[static_cast<size_t>(op.origin)];
      report.nearest = name_of_output(problem, rank, node);
      report.distributed_source = to_string(node.source);
      report.reason = "the all_gather " + report.nearest +
                      " holds its shards in another order than the sequential tensor";
      report.hint = "check the order in which shards are gathered";
      return;
    }
  }
}

std::string name_of_output(const Problem& problem, Rank rank, const Node& node) {
  if (node.outputs.empty() || node.outputs[0] == kNone) return node.op;
  return problem.rank_graph(rank).tensors[static_cast<size_t>(node.outputs[0])].name + "@" +
         std::to_string(rank);
}

}  // namespace assay
