#include "shared_ir/memory/effects.h"
#include "shared_ir/operator_table/operator_table.h"
#include "tests/mutation/edits/edits.h"

namespace assay::test {
namespace {

constexpr size_t kMostTargets = 4;

const std::string& name_of(const Graph& graph, TensorId tensor) {
  return graph.tensors[static_cast<size_t>(tensor)].name;
}

TensorId insert_clone(Graph& graph, NodeId before, TensorId tensor) {
  const Tensor copied = graph.tensors[static_cast<size_t>(tensor)];
  return insert_call(graph, before, "aten.clone.default", arguments(TensorArg{tensor}),
                     copied.shape, copied.dtype);
}

// The call only makes a copy of what it should have written.
void write_nothing(Graph& graph, NodeId node, TensorId written) {
  replace_call(graph, node, "aten.clone.default", arguments(TensorArg{written}));
}

void add_write_edits(const Graph& graph, NodeId node, TensorId written, std::vector<Edit>& edits) {
  const auto add = [&](const std::string& change, std::function<void(Graph&)> apply) {
    edits.push_back({MutationKind::kMemory, describe(graph, node, change),
                     [=](Case& mutant, Rank rank) { apply(graph_of(mutant, rank)); }});
  };
  const Node& of = graph.nodes[static_cast<size_t>(node)];
  if (of.outputs.size() == 1 && of.outputs[0] != kNone && same_type(graph, of.outputs[0], written))
    add(name_of(graph, written) + " is not written",
        [=](Graph& mutant) { write_nothing(mutant, node, written); });
  add("a copy of " + name_of(graph, written) + " is written", [=](Graph& mutant) {
    const TensorId copy = insert_clone(mutant, node, written);
    replace_operand(node_of(mutant, node + 1), written, copy);
  });
  size_t targets = 0;
  for (TensorId other = 0; other < static_cast<TensorId>(graph.tensors.size()); ++other) {
    if (other == written || !is_ready(graph, other, node) || !same_type(graph, other, written))
      continue;
    if (++targets > kMostTargets) break;
    add(name_of(graph, other) + " is written",
        [=](Graph& mutant) { replace_operand(node_of(mutant, node), written, other); });
  }
}

// What a later node reads of tensors that were there before the write.
void add_stale_reads(const Graph& graph, NodeId write, std::vector<Edit>& edits) {
  for (NodeId reader = write + 1; reader < static_cast<NodeId>(graph.nodes.size()); ++reader) {
    for (const TensorId read : operands_of(graph.nodes[static_cast<size_t>(reader)])) {
      if (!is_ready(graph, read, write)) continue;
      edits.push_back(
          {MutationKind::kMemory,
           describe(graph, reader,
                    name_of(graph, read) + " as it was before node " + std::to_string(write)),
           [=](Case& mutant, Rank rank) {
             Graph& of = graph_of(mutant, rank);
             const TensorId stale = insert_clone(of, write, read);
             replace_operand(node_of(of, reader + 1), read, stale);
           }});
    }
  }
}

}  // namespace

void add_memory_edits(const Graph& graph, NodeId node, std::vector<Edit>& edits) {
  const Node& of = graph.nodes[static_cast<size_t>(node)];
  static const OperatorTable declared = OperatorTable::builtin();
  const std::vector<TensorId> written =
      memory::written_by(graph, of, memory::schema_of(of.op, declared.find(of.op)));
  for (const TensorId tensor : written) add_write_edits(graph, node, tensor, edits);
  if (!written.empty()) add_stale_reads(graph, node, edits);
}

}  // namespace assay::test
