#include "static_check/domains/trials/indices_outside.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "shared_ir/reference/assumed_indices.h"
#include "static_check/domains/trials/input_numbers.h"
#include "static_check/domains/trials/trials.h"

namespace assay {
namespace {

using RankOp = std::pair<Rank, CoreId>;

std::vector<RankOp> not_followed(const Problem& problem) {
  std::vector<RankOp> found;
  for (size_t r = 0; r < problem.ranks.ranks.size(); ++r)
    for (const Unlifted& unlifted : problem.ranks.ranks[r].unlifted) {
      const CoreOp& op = problem.rank_programs[r].ops[static_cast<size_t>(unlifted.op)];
      if (op.prim == Prim::kOneHot && op.origin != kNone)
        found.emplace_back(static_cast<Rank>(r), unlifted.op);
    }
  return found;
}

[[noreturn]] void refuse(const Problem& problem, const RankOp& at, double outside) {
  const CoreOp& op =
      problem.rank_programs[static_cast<size_t>(at.first)].ops[static_cast<size_t>(at.second)];
  const Graph& graph = problem.rank_graph(at.first);
  const Node& node = graph.nodes[static_cast<size_t>(op.origin)];
  throw UserError(
      node.source,
      fmt::format("{}: an index of {} is {} where its table has {} rows, for inputs on which every "
                  "index of the specification lies in its table",
                  graph.name, node.op, outside, op.shape.back()),
      "it stops there or reads other memory, whether its result is needed or not: clamp or mask "
      "the index before it is used");
}

}  // namespace

void refuse_indices_outside(const Problem& problem) {
  const std::vector<RankOp> operators = not_followed(problem);
  if (operators.empty()) return;
  const Trials trials(problem);
  if (trials.are_too_large()) return;
  for (size_t draw = 0; draw < InputNumbers::kDraws; ++draw) {
    const auto trial = trials.run(draw);
    if (!trial) continue;
    for (const RankOp& at : operators) {
      const auto r = static_cast<size_t>(at.first);
      if (const auto outside =
              index_outside_of_table(problem.rank_programs[r], at.second, trial->ranks[r]))
        refuse(problem, at, *outside);
    }
  }
}

}  // namespace assay
