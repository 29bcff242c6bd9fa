// Operators that work element by element: what is not there is computed with as well.
#include <algorithm>
#include <set>

#include "shared_ir/import/unbacked/rules.h"

namespace assay::unbacked {
namespace {

// Operands broadcast against each other: dimensions aligned at the end have one extent, or are 1.
void elementwise(Call& call) {
  std::vector<Padded> operands;
  size_t rank = 0;
  for (const TensorId id : tensor_arguments(call.node)) {
    Arg arg = {TensorArg{id}};
    operands.push_back(id < kNone ? Padded{call.p.tensor_of(call.p.size(arg)), {}}
                                  : call.tensor(arg));
    rank = std::max(rank, operands.back().rank());
  }
  std::vector<Extent> dims(rank, Extent{1});
  for (size_t dim = 0; dim < rank; ++dim) {
    std::vector<std::pair<Padded*, size_t>> along;
    for (Padded& operand : operands) {
      if (operand.rank() + dim < rank) continue;
      const size_t own = dim + operand.rank() - rank;
      if (!operand.dims[own].is_known() || operand.dims[own].bound != 1)
        along.emplace_back(&operand, own);
    }
    if (!along.empty()) dims[dim] = call.p.unify(along);
  }
  std::vector<TensorId> tensors;
  for (const Padded& operand : operands) tensors.push_back(operand.id);
  // A number of the program that is a tensor here.
  std::string op = call.node.op;
  const bool unknown =
      std::ranges::any_of(tensor_arguments(call.node), [](TensorId id) { return id < kNone; });
  if (unknown && op.ends_with(".Scalar")) op.replace(op.size() - 6, 6, "Tensor");
  call.emit_as(op, tensors, std::move(dims));
}

const std::set<std::string_view> kElementwise = {
    "aten.add",
    "aten.sub",
    "aten.rsub",
    "aten.mul",
    "aten.div",
    "aten.floor_divide",
    "aten.remainder",
    "aten.fmod",
    "aten.neg",
    "aten.addcmul",
    "aten.addcdiv",
    "aten.lerp",
    "aten.pow",
    "aten.square",
    "aten.reciprocal",
    "aten.exp",
    "aten.exp2",
    "aten.expm1",
    "aten.log",
    "aten.log2",
    "aten.log10",
    "aten.log1p",
    "aten.sqrt",
    "aten.rsqrt",
    "aten.sin",
    "aten.cos",
    "aten.tan",
    "aten.erf",
    "aten.abs",
    "aten.sign",
    "aten.floor",
    "aten.ceil",
    "aten.round",
    "aten.trunc",
    "aten.maximum",
    "aten.minimum",
    "aten.clamp",
    "aten.clamp_min",
    "aten.clamp_max",
    "aten.eq",
    "aten.ne",
    "aten.lt",
    "aten.le",
    "aten.gt",
    "aten.ge",
    "aten.bitwise_and",
    "aten.bitwise_or",
    "aten.bitwise_xor",
    "aten.bitwise_not",
    "aten.logical_and",
    "aten.logical_or",
    "aten.logical_xor",
    "aten.logical_not",
    "aten.isnan",
    "aten.isinf",
    "aten.where",
    "aten.masked_fill",
    "aten.relu",
    "aten.threshold_backward",
    "aten.sigmoid",
    "aten.sigmoid_backward",
    "aten.tanh",
    "aten.tanh_backward",
    "aten.gelu",
    "aten.gelu_backward",
    "aten.silu",
    "aten.silu_backward",
    "aten.softplus",
    "aten.softplus_backward",
    "aten.leaky_relu",
    "aten.leaky_relu_backward",
    "aten.hardtanh",
    "aten._to_copy",
    "aten.to",
    "aten.clone",
    "aten.detach",
    "aten.alias",
    "aten.contiguous",
    "aten.lift_fresh_copy",
    "aten.zeros_like",
    "aten.ones_like",
    "aten.full_like",
    "aten.empty_like",
    "prims.convert_element_type",
};

}  // namespace

const Rules& elementwise_rules() {
  static const Rules rules = [] {
    Rules same;
    for (const std::string_view base : kElementwise) same.emplace(base, elementwise);
    return same;
  }();
  return rules;
}

}  // namespace assay::unbacked
