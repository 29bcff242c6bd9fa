#include "dynamic_check/witness/index_assumptions.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "shared_ir/base/error.h"
#include "shared_ir/lower/lower.h"
#include "shared_ir/operator_table/operator_table.h"
#include "shared_ir/reference/assumed_indices.h"
#include "shared_ir/reference/element_functions.h"
#include "shared_ir/reference/reference.h"

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

using Numbers = std::vector<std::vector<ReferenceTensor>>;  // by program, by operator

ReferenceTensor as_reference(const at::Tensor& tensor, const Shape& shape) {
  const at::Tensor flat = tensor.to(at::kDouble).contiguous().flatten();
  const double* data = flat.const_data_ptr<double>();
  return {shape, {data, data + flat.numel()}};
}

// Of the inputs, which are there by name and rank.
Numbers computed(const std::vector<CoreProgram>& programs, const std::vector<Graph>& graphs,
                 const TensorsByName& inputs) {
  ReferenceSources sources;
  sources.input = [&](Rank rank, const CoreOp& op) {
    const Graph& graph = graphs[static_cast<size_t>(rank)];
    const std::string& name = graph.tensors[static_cast<size_t>(op.tensor)].name;
    const auto found = inputs.find({name, rank});
    if (found == inputs.end() || !found->second.defined())
      throw UserError({}, "an input without a value");
    return as_reference(found->second, op.shape);
  };
  return evaluate(programs, sources);
}

bool indexes(const CoreProgram& program) {
  return std::ranges::any_of(program.ops,
                             [](const CoreOp& op) { return op.prim == Prim::kOneHot; });
}

bool writes(const CoreProgram& program) { return !program.single_writes.empty(); }

bool writes_are_single(const CoreProgram& program, const std::vector<ReferenceTensor>& numbers) {
  return std::ranges::none_of(program.single_writes, [&](const SingleWrite& write) {
    return writes_a_place_twice(write, numbers);
  });
}

}  // namespace

bool indices_are_as_assumed(const Case& refinement, const TensorsByName& sequential,
                            const TensorsByName& distributed,
                            const std::vector<at::Tensor>& sequential_values,
                            const std::vector<std::vector<at::Tensor>>& rank_values) {
  if (!all_ascend(refinement.sequential, sequential_values)) return false;
  for (size_t rank = 0; rank < rank_values.size(); ++rank)
    if (!all_ascend(refinement.ranks[rank], rank_values[rank])) return false;
  try {
    const LoweredCase lowered =
        lower(refinement, OperatorTable::with_files(refinement.operator_files));
    if (indexes(lowered.sequential) || writes(lowered.sequential)) {
      const Numbers numbers = computed({lowered.sequential}, {refinement.sequential}, sequential);
      if (!stays_in_tables(lowered.sequential, numbers[0]) ||
          !writes_are_single(lowered.sequential, numbers[0]))
        return false;
    }
    if (std::ranges::none_of(lowered.ranks, writes)) return true;
    const Numbers numbers = computed(lowered.ranks, refinement.ranks, distributed);
    for (size_t rank = 0; rank < numbers.size(); ++rank)
      if (!writes_are_single(lowered.ranks[rank], numbers[rank])) return false;
  } catch (const UserError&) {
  } catch (const reference::NoNumbers&) {
  }
  return true;
}

}  // namespace assay
