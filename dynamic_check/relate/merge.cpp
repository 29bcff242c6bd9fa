#include "dynamic_check/relate/merge.h"

#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <map>
#include <utility>

#include "dynamic_check/keep/keep.h"
#include "shared_ir/capture/torch/scalar_type.h"

namespace assay {
namespace {

using LeafTensors = std::map<RankTensorName, at::Tensor>;

bool computes(const CleanExpr& expr) {
  return expr.kind == CleanExpr::Kind::kSum || expr.kind == CleanExpr::Kind::kScale ||
         std::ranges::any_of(expr.operands, computes);
}

at::Tensor tensor_of(const StridedBuffer& buffer, const LeafTensors& leaves) {
  // What the memory belongs to lives as long as the tensor.
  const auto owner = buffer.owned ? LeafTensors() : leaves;
  const auto keep = [owner, owned = buffer.owned](void*) {};
  return at::from_blob(const_cast<std::byte*>(buffer.data), buffer.shape, buffer.strides, keep,
                       to_scalar_type(buffer.dtype));
}

at::Tensor value_of(const CleanExpr& expr, LeafTensors leaves, const LeafBuffers& buffers) {
  if (expr.kind == CleanExpr::Kind::kTensor) return leaves.begin()->second;
  if (leaves.begin()->second.is_cpu()) return tensor_of(evaluate_buffers(expr, buffers), leaves);
  for (auto& [name, leaf] : leaves) {
    if (computes(expr) && leaf.is_floating_point()) leaf = leaf.to(at::kDouble);
  }
  return evaluate(expr, [&](const RankTensorName& name) { return leaves.at(name); });
}

}  // namespace

Merged merge(const CleanExpr& expr, const Shape& shape,
             const std::function<at::Tensor(const RankTensorName&)>& recorded) {
  LeafTensors leaves;
  LeafBuffers buffers;
  for_each_leaf(expr, [&](const CleanExpr& leaf) {
    const auto [entry, is_new] = leaves.try_emplace({leaf.name, leaf.rank});
    if (!is_new) return;
    const at::Tensor& tensor = entry->second = recorded(entry->first);
    auto& buffer = buffers[entry->first];
    if (tensor.defined()) buffer = buffer_of(tensor);
  });
  Merged result;
  MergeRules rules = check_merge(expr, shape, buffers);
  if (const at::Tensor& first = leaves.begin()->second; first.defined())
    result.dtype = first.scalar_type();
  if ((result.fault = std::move(rules.fault))) return result;
  result.has_padding = rules.has_padding;
  result.value = value_of(expr, std::move(leaves), buffers);
  return result;
}

}  // namespace assay
