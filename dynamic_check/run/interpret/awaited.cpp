#include "dynamic_check/run/interpret/awaited.h"

#include <algorithm>
#include <unordered_map>

#include "dynamic_check/kernels/kernels.h"
#include "shared_ir/lower/declare/declaration.h"
#include "shared_ir/operator_table/operator_table.h"

namespace assay {
namespace {

bool waits(const Node& node, const DeclaredOperators* declared) {
  static const OperatorTable builtin = OperatorTable::builtin();
  const OperatorDeclaration* declaration = declared ? declared->declaration(node) : nullptr;
  if (declaration == nullptr) declaration = builtin.find(node.op);
  return declaration != nullptr && declaration->waits;
}

}  // namespace

std::vector<NodeId> awaited_before(const Graph& graph, const DeclaredOperators* declared) {
  std::vector<NodeId> first_reader(graph.nodes.size(), kNone);
  std::vector<bool> awaited(graph.nodes.size(), false);
  for (size_t index = 0; index < graph.nodes.size(); ++index) {
    const Node& node = graph.nodes[index];
    const bool is_wait = waits(node, declared);
    for (const TensorId operand : operands_of(node)) {
      const NodeId maker = graph.tensors[static_cast<size_t>(operand)].producer;
      if (maker == kNone) continue;
      const auto made = static_cast<size_t>(maker);
      if (first_reader[made] == kNone) first_reader[made] = static_cast<NodeId>(index);
      if (is_wait) awaited[made] = true;
    }
  }
  std::unordered_map<int32_t, NodeId> waits_for_work;
  for (size_t index = 0; index < graph.nodes.size(); ++index)
    for (const int32_t work : graph.nodes[index].awaits)
      waits_for_work.try_emplace(work, static_cast<NodeId>(index));

  const auto end = static_cast<NodeId>(graph.nodes.size());
  std::vector<NodeId> before;
  for (size_t index = 0; index < graph.nodes.size(); ++index) {
    const NodeId reader = first_reader[index];
    if (const int32_t work = graph.nodes[index].work; work != kNone) {
      const auto wait = waits_for_work.find(work);
      const NodeId waits = wait == waits_for_work.end() ? end : wait->second;
      before.push_back(reader == kNone ? waits : std::min(reader, waits));
    } else {
      before.push_back(awaited[index] ? reader : static_cast<NodeId>(index) + 1);
    }
  }
  return before;
}

}  // namespace assay
