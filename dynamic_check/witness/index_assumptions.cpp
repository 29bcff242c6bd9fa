#include "dynamic_check/witness/index_assumptions.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <string_view>

#include "shared_ir/lower/lower.h"
#include "shared_ir/operator_table/operator_table.h"

namespace assay {
namespace {

// Whose rows ascend, by operator.
bool ascend(const Node& node, const std::vector<at::Tensor>& values) {
  const bool sorted_first = node.op.starts_with("aten.searchsorted.");
  if (!sorted_first && !node.op.starts_with("aten.bucketize.")) return true;
  const size_t at = sorted_first ? 0 : 1;
  const TensorArg* rows =
      at < node.args.size() ? std::get_if<TensorArg>(&node.args[at].value) : nullptr;
  if (rows == nullptr) return true;
  const at::Tensor& of = values[static_cast<size_t>(rows->id)];
  if (!of.defined() || of.dim() == 0 || of.size(-1) < 2) return true;
  return (at::diff(of.to(at::kDouble)) >= 0).all().item<bool>();
}

bool all_ascend(const Graph& graph, const std::vector<at::Tensor>& values) {
  return std::ranges::all_of(graph.nodes, [&](const Node& node) { return ascend(node, values); });
}

bool counts_from_the_end(const at::Tensor& index, const std::set<int64_t>& beside) {
  if (!index.defined() || !at::isIntegralType(index.scalar_type(), /*includeBool=*/false))
    return false;
  at::Tensor negative = index < 0;
  for (const int64_t value : beside) negative = negative & (index != value);
  return negative.any().item<bool>();
}

}  // namespace

IndexAssumptions::IndexAssumptions(const Case& refinement) : refinement_(refinement) {
  const OperatorTable operators = OperatorTable::with_files(refinement.operator_files);
  const CoreProgram program = lower_sequential(refinement, operators);
  std::map<CoreId, TensorId> tensors;
  for (size_t id = 0; id < program.value_of.size(); ++id)
    tensors.emplace(program.value_of[id], static_cast<TensorId>(id));
  for (const CoreOp& op : program.ops) {
    if (op.prim != Prim::kOneHot) continue;
    CoreId of = op.operands[0];
    const auto& made = [&]() -> const CoreOp& { return program.ops[static_cast<size_t>(of)]; };
    while (!tensors.contains(of) && (is_movement(made().prim) || made().prim == Prim::kCast))
      of = made().operands[0];
    if (const auto tensor = tensors.find(of); tensor != tensors.end())
      indices_[tensor->second].insert(op.ints.begin(), op.ints.end());
  }
}

bool IndexAssumptions::hold(const std::vector<at::Tensor>& sequential,
                            const std::vector<std::vector<at::Tensor>>& ranks) const {
  for (const auto& [tensor, beside] : indices_)
    if (counts_from_the_end(sequential[static_cast<size_t>(tensor)], beside)) return false;
  if (!all_ascend(refinement_.sequential, sequential)) return false;
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    if (!all_ascend(refinement_.ranks[rank], ranks[rank])) return false;
  return true;
}

}  // namespace assay
