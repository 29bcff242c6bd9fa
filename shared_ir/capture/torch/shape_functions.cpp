#include "shared_ir/capture/torch/shape_functions.h"

#include <ATen/ExpandUtils.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sum.h>

#include <functional>
#include <string>
#include <unordered_map>

#include "shared_ir/capture/torch/results_of_a_run.h"

namespace assay {
namespace {

using Operands = c10::ArrayRef<c10::IValue>;
using Results = std::vector<at::Tensor>;
using ShapeFunction = std::function<Results(Operands)>;

at::Tensor empty(at::IntArrayRef sizes, const at::Tensor& like) {
  return at::empty(sizes, like.options().device(c10::kMeta));
}

at::Tensor empty(at::IntArrayRef sizes, const at::Tensor& like, at::ScalarType dtype) {
  return at::empty(sizes, like.options().dtype(dtype).device(c10::kMeta));
}

// Same shape, strides and type as an argument.
ShapeFunction like(size_t argument) {
  return
      [argument](Operands args) -> Results { return {at::empty_like(args[argument].toTensor())}; };
}

Results logical_not(Operands args) {
  return {at::empty_like(args[0].toTensor(), at::TensorOptions().dtype(at::kBool))};
}

// An element-wise function of two tensors whose result is bool.
Results compare(Operands args) {
  return {at::empty_like(at::add(args[0].toTensor(), args[1].toTensor()),
                         at::TensorOptions().dtype(at::kBool))};
}

Results where(Operands args) {
  // The condition takes part in broadcasting, not in the element type.
  const at::Tensor value = at::add(args[1].toTensor(), args[2].toTensor());
  return {at::mul(args[0].toTensor(), value)};
}

// index_select(self, dim, index)
Results index_select(Operands args) {
  const at::Tensor& self = args[0].toTensor();
  std::vector<int64_t> sizes = self.sizes().vec();
  const int64_t dim = args[1].toInt();
  if (!sizes.empty())
    sizes[static_cast<size_t>(dim < 0 ? dim + self.dim() : dim)] = args[2].toTensor().numel();
  return {empty(sizes, self)};
}

// embedding(weight, indices, ...)
Results embedding(Operands args) {
  std::vector<int64_t> sizes = args[1].toTensor().sizes().vec();
  sizes.push_back(args[0].toTensor().size(1));
  return {empty(sizes, args[0].toTensor())};
}

// embedding_dense_backward(grad, indices, num_weights, ...)
Results embedding_backward(Operands args) {
  const at::Tensor& grad = args[0].toTensor();
  return {empty({args[2].toInt(), grad.size(-1)}, grad)};
}

// Half-precision kernels keep their statistics in float32 only where weights are float32 (mixed
// types on the CPU).
at::ScalarType statistics_type(const at::Tensor& input, const c10::IValue& weight) {
  return weight.isTensor() && weight.toTensor().defined() ? weight.toTensor().scalar_type()
                                                          : input.scalar_type();
}

// native_layer_norm(input, normalized_shape, weight, bias, eps) -> output, mean, rstd
Results layer_norm(Operands args) {
  const at::Tensor& input = args[0].toTensor();
  std::vector<int64_t> sizes = input.sizes().vec();
  const size_t normalized = args[1].toListRef().size();
  for (size_t i = sizes.size() - normalized; i < sizes.size(); ++i) sizes[i] = 1;
  const at::ScalarType type = statistics_type(input, args[2]);
  return {empty(input.sizes(), input), empty(sizes, input, type), empty(sizes, input, type)};
}

// native_layer_norm_backward(grad, input, normalized_shape, mean, rstd, weight, bias, output_mask)
Results layer_norm_backward(Operands args) {
  const auto wanted = [&](size_t i) { return args[7].toListRef()[i].toBool(); };
  Results results(3);
  if (wanted(0)) results[0] = empty(args[1].toTensor().sizes(), args[1].toTensor());
  if (wanted(1)) results[1] = at::empty_like(args[5].toTensor());
  if (wanted(2)) results[2] = at::empty_like(args[6].toTensor());
  return results;
}

// _native_batch_norm_legit.no_stats(input, weight, bias, ...) -> output, mean, rstd
Results batch_norm(Operands args) {
  const at::Tensor& input = args[0].toTensor();
  const at::ScalarType type = statistics_type(input, args[1]);
  return {at::empty_like(input), empty({input.size(1)}, input, type),
          empty({input.size(1)}, input, type)};
}

// native_batch_norm_backward(grad, input, weight, running mean and variance, saved mean and rstd,
// train, eps, output_mask)
Results batch_norm_backward(Operands args) {
  const at::Tensor& input = args[1].toTensor();
  const at::ScalarType type = statistics_type(input, args[2]);
  const auto wanted = [&](size_t i) { return args[9].toListRef()[i].toBool(); };
  Results results(3);
  if (wanted(0)) results[0] = at::empty_like(input);
  if (wanted(1)) results[1] = empty({input.size(1)}, input, type);
  if (wanted(2)) results[2] = empty({input.size(1)}, input, type);
  return results;
}

// native_dropout(input, p, train) -> output, mask
Results native_dropout(Operands args) {
  const at::Tensor& input = args[0].toTensor();
  return {at::empty_like(input), at::empty_like(input, input.options().dtype(at::kBool))};
}

// _scaled_mm(self, mat2, scale_a, scale_b, bias, scale_result, out_dtype, use_fast_accum)
Results scaled_mm(Operands args) {
  const at::Tensor& self = args[0].toTensor();
  const at::ScalarType type = args[6].isNone() ? self.scalar_type() : args[6].toScalarType();
  return {empty({self.size(0), args[1].toTensor().size(1)}, self, type)};
}

at::Tensor reduce(const at::Tensor& self, const c10::IValue& dims, bool keepdim) {
  if (dims.isNone()) return at::sum(self, at::OptionalIntArrayRef(), keepdim);
  return at::sum(self, dims.toIntVector(), keepdim);
}

// logsumexp(self, dims, keepdim)
Results logsumexp(Operands args) {
  const at::Tensor result = reduce(args[0].toTensor(), args[1], args[2].toBool());
  const bool whole = at::isIntegralType(result.scalar_type(), /*includeBool=*/true);
  return {whole ? at::empty_like(result, at::TensorOptions().dtype(at::kFloat)) : result};
}

// var(self, dims, correction, keepdim)
Results var(Operands args) { return {reduce(args[0].toTensor(), args[1], args[3].toBool())}; }

Results var_mean(Operands args) { return {var(args)[0], var(args)[0]}; }

// repeat_interleave.Tensor(repeats, output_size)
Results repeat_interleave(Operands args) {
  if (args[1].isNone())
    throw NoResults("the shape of its result depends on values", "pass it output_size", true);
  return {empty({args[1].toInt()}, args[0].toTensor())};
}

const std::unordered_map<std::string, ShapeFunction>& table() {
  static const std::unordered_map<std::string, ShapeFunction> functions = {
      {"aten::_native_batch_norm_legit.no_stats", batch_norm},
      {"aten::_scaled_mm", scaled_mm},
      {"aten::abs", like(0)},
      {"aten::embedding", embedding},
      {"aten::embedding_dense_backward", embedding_backward},
      {"aten::flip", like(0)},
      {"aten::glu_backward", like(1)},
      {"aten::hardtanh", like(0)},
      {"aten::hardtanh_backward", like(0)},
      {"aten::index_select", index_select},
      {"aten::logical_and", compare},
      {"aten::logical_not", logical_not},
      {"aten::logical_or", compare},
      {"aten::logical_xor", compare},
      {"aten::logsumexp", logsumexp},
      {"aten::mse_loss_backward", like(1)},
      {"aten::native_batch_norm_backward", batch_norm_backward},
      {"aten::native_dropout", native_dropout},
      {"aten::native_layer_norm", layer_norm},
      {"aten::native_layer_norm_backward", layer_norm_backward},
      {"aten::relu", like(0)},
      {"aten::repeat_interleave.Tensor", repeat_interleave},
      {"aten::roll", like(0)},
      {"aten::smooth_l1_loss_backward", like(1)},
      {"aten::var.correction", var},
      {"aten::var_mean.correction", var_mean},
      {"aten::where.self", where},
  };
  return functions;
}

std::string key_of(std::string name, const std::string& overload) {
  return overload.empty() ? name : name + "." + overload;
}

// Without the underscore of what is done in place.
std::string base_name(const c10::OperatorName& name) {
  return name.name.ends_with('_') ? name.name.substr(0, name.name.size() - 1) : name.name;
}

}  // namespace

bool has_shape_function(const c10::OperatorName& name) {
  return table().contains(key_of(base_name(name), name.overload_name));
}

std::optional<Results> infer_results(const c10::OperatorName& name, Operands arguments) {
  const auto entry = table().find(key_of(base_name(name), name.overload_name));
  if (entry == table().end()) return std::nullopt;
  if (name.name.ends_with('_')) return Results{arguments[0].toTensor()};
  return entry->second(arguments);
}

}  // namespace assay
