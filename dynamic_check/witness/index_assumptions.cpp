#include "dynamic_check/witness/index_assumptions.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "shared_ir/base/error.h"
#include "shared_ir/operator_table/operator_table.h"
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
                 const IndexAssumptions::Inputs& inputs) {
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

bool indices_are_rows(const CoreProgram& program, const std::vector<ReferenceTensor>& numbers) {
  return std::ranges::all_of(program.ops, [&](const CoreOp& op) {
    if (op.prim != Prim::kOneHot) return true;
    const auto& indices = numbers[static_cast<size_t>(op.operands[0])].values;
    return std::ranges::all_of(indices, [&](double index) {
      return (index >= 0 && index < static_cast<double>(op.shape.back())) ||
             std::ranges::count(op.ints, static_cast<int64_t>(index)) > 0;
    });
  });
}

bool writes_are_single(const CoreProgram& program, const std::vector<ReferenceTensor>& numbers) {
  return std::ranges::all_of(program.single_writes, [&](const SingleWrite& write) {
    std::set<std::vector<double>> places;
    const size_t count = numbers[static_cast<size_t>(write.indices.at(0))].values.size();
    for (size_t i = 0; i < count; ++i) {
      std::vector<double> place;
      for (size_t k = 0; k < write.indices.size(); ++k) {
        const double at = numbers[static_cast<size_t>(write.indices[k])].values[i];
        place.push_back(at < 0 ? at + static_cast<double>(write.rows[k]) : at);
      }
      if (!places.insert(std::move(place)).second) return false;
    }
    return true;
  });
}

}  // namespace

IndexAssumptions::IndexAssumptions(const Case& refinement)
    : refinement_(refinement),
      programs_(lower(refinement, OperatorTable::with_files(refinement.operator_files))) {}

bool IndexAssumptions::hold(const Inputs& sequential, const Inputs& distributed,
                            const std::vector<at::Tensor>& sequential_values,
                            const std::vector<std::vector<at::Tensor>>& rank_values) const {
  if (!all_ascend(refinement_.sequential, sequential_values)) return false;
  for (size_t rank = 0; rank < rank_values.size(); ++rank)
    if (!all_ascend(refinement_.ranks[rank], rank_values[rank])) return false;
  try {
    const std::vector<CoreProgram> whole{programs_.sequential};
    const Numbers numbers = computed(whole, {refinement_.sequential}, sequential);
    if (!indices_are_rows(programs_.sequential, numbers[0]) ||
        !writes_are_single(programs_.sequential, numbers[0]))
      return false;
    const auto writes = [](const CoreProgram& program) { return !program.single_writes.empty(); };
    if (std::ranges::none_of(programs_.ranks, writes)) return true;
    const Numbers of_ranks = computed(programs_.ranks, refinement_.ranks, distributed);
    for (size_t rank = 0; rank < of_ranks.size(); ++rank)
      if (!writes_are_single(programs_.ranks[rank], of_ranks[rank])) return false;
  } catch (const UserError&) {
  } catch (const reference::NoNumbers&) {
  }
  return true;
}

}  // namespace assay
