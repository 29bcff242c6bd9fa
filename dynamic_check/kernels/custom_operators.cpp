#include "dynamic_check/kernels/custom_operators.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/native_layer_norm_backward.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>

#include "shared_ir/capture/torch/scalar_type.h"

namespace assay {
namespace {

using Tensors = std::vector<at::Tensor>;

// x / sqrt(mean(x^2, last dimension) + epsilon) * weight.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
  return x * at::rsqrt(x.square().mean(-1, true) + epsilon) * weight;
}

Tensors rms_norm_out(const CustomCall& call) {  // (result!, input, weight, epsilon)
  return {rms_norm(call.tensor(1, "input"), call.tensor(2, "weight"), call.number(3, "epsilon"))};
}

Tensors fused_add_rms_norm(const CustomCall& call) {  // (input!, residual!, weight, epsilon)
  const at::Tensor sum = call.tensor(0, "input") + call.tensor(1, "residual");
  return {rms_norm(sum, call.tensor(2, "weight"), call.number(3, "epsilon")), sum};
}

Tensors silu_and_mul(
    const CustomCall& call) {  // (out!, input): silu of the first half times the second
  const at::Tensor input = call.tensor(1, "input");
  const int64_t half = input.size(-1) / 2;
  const at::Tensor gate = input.narrow(-1, 0, half);
  return {gate * at::sigmoid(gate) * input.narrow(-1, half, half)};
}

// Rotates the first `rotary` columns of every head of x [tokens, heads * head_size] by the angles
// of its token.
at::Tensor rotate(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin,
                  int64_t head_size, bool neox) {
  const int64_t rotary = 2 * cos.size(-1);
  const at::Tensor heads = x.reshape({x.size(0), -1, head_size});
  const at::Tensor turned = heads.narrow(-1, 0, rotary);
  const at::Tensor kept = heads.narrow(-1, rotary, head_size - rotary);
  const at::Tensor c = cos.unsqueeze(1);
  const at::Tensor s = sin.unsqueeze(1);
  at::Tensor result;
  if (neox) {
    const at::Tensor a = turned.narrow(-1, 0, rotary / 2);
    const at::Tensor b = turned.narrow(-1, rotary / 2, rotary / 2);
    result = at::cat({a * c - b * s, b * c + a * s}, -1);
  } else {
    const at::Tensor pairs = turned.reshape({turned.size(0), turned.size(1), rotary / 2, 2});
    const at::Tensor a = pairs.select(-1, 0);
    const at::Tensor b = pairs.select(-1, 1);
    result = at::stack({a * c - b * s, b * c + a * s}, -1).flatten(-2);
  }
  return at::cat({result, kept}, -1).reshape_as(x);
}

Tensors rotary_embedding(
    const CustomCall& call) {  // (positions, query!, key!, head_size, cos_sin_cache, is_neox)
  const at::Tensor angles =
      call.tensor(4, "cos_sin_cache").index_select(0, call.tensor(0, "positions"));
  const int64_t half = angles.size(-1) / 2;
  const at::Tensor cos = angles.narrow(-1, 0, half);
  const at::Tensor sin = angles.narrow(-1, half, half);
  const int64_t head_size = call.integer(3, "head_size");
  const bool neox = call.flag(5, "is_neox");
  return {rotate(call.tensor(1, "query"), cos, sin, head_size, neox),
          rotate(call.tensor(2, "key"), cos, sin, head_size, neox)};
}

// Causal attention over all tokens: query [tokens, heads, d], key and value [tokens, kv_heads, d];
// each kv head serves heads / kv_heads neighbouring query heads.
Tensors unified_attention(const CustomCall& call) {  // (query, key, value, output!, layer_name)
  const at::Tensor query = call.tensor(0, "query").transpose(0, 1);
  const int64_t repeat = query.size(0) / call.tensor(1, "key").size(1);
  const at::Tensor key = call.tensor(1, "key").repeat_interleave(repeat, 1).transpose(0, 1);
  const at::Tensor value = call.tensor(2, "value").repeat_interleave(repeat, 1).transpose(0, 1);
  const int64_t tokens = query.size(1);
  const at::Tensor position = at::arange(tokens, query.options().dtype(at::kLong));
  const at::Tensor later = position.unsqueeze(0) > position.unsqueeze(1);
  const at::Tensor scores =
      at::matmul(query, key.transpose(1, 2)) / std::sqrt(static_cast<double>(query.size(2)));
  const at::Tensor weights =
      at::softmax(scores.masked_fill(later, -std::numeric_limits<double>::infinity()), -1);
  return {at::matmul(weights, value).transpose(0, 1).reshape_as(call.tensor(3, "output"))};
}

Tensors layer_norm_forward(
    const CustomCall& call) {  // (input, weight, bias, normalized_shape, eps)
  const at::Tensor weight = call.tensor(1, "weight");
  auto [y, mean, rstd] = at::native_layer_norm(call.tensor(0, "input"), weight.sizes(), weight,
                                               call.tensor(2, "bias"), call.number(4, "eps"));
  return {y, mean.flatten(), rstd.flatten()};
}

Tensors layer_norm_backward(const CustomCall& call) {
  // (grad, mean, rstd, input, normalized_shape, weight, bias, eps, memory_efficient)
  const at::Tensor input = call.tensor(3, "input");
  const at::Tensor weight = call.tensor(5, "weight");
  std::vector<int64_t> rows = input.sizes().vec();
  for (int64_t i = 0; i < weight.dim(); ++i) rows[rows.size() - 1 - static_cast<size_t>(i)] = 1;
  auto [dx, dw, db] = at::native_layer_norm_backward(
      call.tensor(0, "grad_output"), input, weight.sizes(), call.tensor(1, "mean").view(rows),
      call.tensor(2, "invvar").view(rows), weight, call.tensor(6, "bias"), {true, true, true});
  return {dx, dw, db};
}

Tensors identity(const CustomCall& call) { return {call.tensor(0, "x")}; }

// The factors are scaled back, each by one number or by one a row or column.
Tensors scaled_mm(const CustomCall& call) {  // (self, mat2, scale_a, scale_b, bias, scale_result)
  if (call.is_given(5, "scale_result")) call.fail("a scale of the result is not supported");
  const at::Tensor product = at::matmul(call.tensor(0, "self") * call.tensor(2, "scale_a"),
                                        call.tensor(1, "mat2") * call.tensor(3, "scale_b"));
  return {call.is_given(4, "bias") ? product + call.tensor(4, "bias") : product};
}

// Each group of rows with a matrix of its own, or a matrix for each group of columns.
Tensors grouped_mm(const CustomCall& call) {  // (self, mat2, offs, bias, out_dtype)
  const at::Tensor self = call.tensor(0, "self"), factors = call.tensor(1, "mat2");
  if (call.is_given(3, "bias")) call.fail("a bias is not supported");
  if (!call.is_given(2, "offs")) return {at::bmm(self, factors)};
  if (self.dim() != 2) call.fail("matrices that are grouped already are not supported");
  const at::Tensor ends = call.tensor(2, "offs").to(at::kCPU, at::kLong).contiguous();
  const bool of_rows = factors.dim() == 3;
  std::vector<at::Tensor> products;
  int64_t start = 0;
  for (int64_t group = 0; group < ends.numel(); ++group) {
    const int64_t end = ends.const_data_ptr<int64_t>()[group];
    products.push_back(of_rows ? self.slice(0, start, end).mm(factors.select(0, group))
                               : self.slice(1, start, end).mm(factors.slice(0, start, end)));
    start = end;
  }
  if (!of_rows) return {at::stack(products)};
  // What follows the last group is not written.
  products.push_back(at::zeros({self.size(0) - start, factors.size(2)}, self.options()));
  return {at::cat(products)};
}

// A draw in which nothing is dropped.
Tensors dropout_that_keeps_all(const CustomCall& call) {  // (input, p, train)
  const at::Tensor input = call.tensor(0, "input");
  const at::TensorOptions flags = input.options().dtype(at::kBool);
  if (call.number(1, "p") == 1 && call.flag(2, "train", /*absent=*/true))
    return {at::zeros_like(input), at::zeros_like(input, flags)};
  const double kept = call.flag(2, "train", /*absent=*/true) ? 1 - call.number(1, "p") : 1;
  return {input / kept, at::ones_like(input, flags)};
}

// Numbers that a capture keeps of a constant.
Tensors constant(const CustomCall& call) {  // (value)
  const Tensor& made = call.recorded();
  return {at::tensor(call.numbers(0, "value"), at::kDouble)
              .reshape(made.shape)
              .to(is_floating(made.dtype) ? at::kDouble : to_scalar_type(made.dtype))};
}

const std::map<std::string_view, CustomOperator>& table() {
  static const std::map<std::string_view, CustomOperator> operators{
      {"_C.rms_norm", {rms_norm_out, /*returns=*/false}},
      {"_C.fused_add_rms_norm", {fused_add_rms_norm, /*returns=*/false}},
      {"_C.silu_and_mul", {silu_and_mul, /*returns=*/false}},
      {"_C.rotary_embedding", {rotary_embedding, /*returns=*/false}},
      {"vllm.unified_attention_with_output", {unified_attention, /*returns=*/false}},
      {"apex.fused_layer_norm_affine_fwd", {layer_norm_forward}},
      {"apex.fused_layer_norm_affine_bwd", {layer_norm_backward}},
      {"tg.log_tensor", {identity}},
      {"tg.inplace_log_tensor", {identity}},
      {"aten._scaled_mm", {scaled_mm, /*returns=*/true, /*only_wide=*/true}},
      {"aten._grouped_mm", {grouped_mm, /*returns=*/true, /*only_wide=*/true}},
      {"aten.native_dropout", {dropout_that_keeps_all}},
      {"assay.constant", {constant}},
      {"hlo.constant", {constant}},
  };
  return operators;
}

}  // namespace

const CustomOperator* find_custom_operator(std::string_view op) {
  auto found = table().find(op);
  return found == table().end() ? nullptr : &found->second;
}

void CustomCall::fail(const std::string& why) const {
  throw UserError(node_.source, fmt::format("{}: cannot run {}: {}", graph_.name, node_.op, why));
}

const Arg* CustomCall::look(size_t position, std::string_view name) const {
  for (const auto& [key, arg] : node_.kwargs) {
    if (key == name) return &arg;
  }
  return position < node_.args.size() ? &node_.args[position] : nullptr;
}

const Arg& CustomCall::find(size_t position, std::string_view name) const {
  if (const Arg* arg = look(position, name)) return *arg;
  fail(fmt::format("argument {} is missing", name));
}

bool CustomCall::is_given(size_t position, std::string_view name) const {
  const Arg* arg = look(position, name);
  return arg && !arg->is_none();
}

at::Tensor CustomCall::tensor(size_t position, std::string_view name) const {
  if (const auto* arg = std::get_if<TensorArg>(&find(position, name).value)) return value_(arg->id);
  fail(fmt::format("argument {} must be a tensor", name));
}

at::Tensor CustomCall::operand(size_t position, std::string_view name) const {
  const Arg& arg = find(position, name);
  if (const auto* real = std::get_if<double>(&arg.value))
    return at::scalar_tensor(*real, at::kDouble);
  if (const auto* whole = std::get_if<int64_t>(&arg.value))
    return at::scalar_tensor(*whole, at::kLong);
  if (const auto* flag = std::get_if<bool>(&arg.value)) return at::scalar_tensor(*flag, at::kBool);
  return tensor(position, name);
}

int64_t CustomCall::integer(size_t position, std::string_view name) const {
  if (const auto* arg = std::get_if<int64_t>(&find(position, name).value)) return *arg;
  fail(fmt::format("argument {} must be an integer", name));
}

double CustomCall::number(size_t position, std::string_view name) const {
  const Arg& arg = find(position, name);
  if (const auto* real = std::get_if<double>(&arg.value)) return *real;
  if (std::holds_alternative<TensorArg>(arg.value)) return tensor(position, name).item().toDouble();
  return static_cast<double>(integer(position, name));
}

bool CustomCall::flag(size_t position, std::string_view name, bool absent) const {
  const Arg& arg = find(position, name);
  if (const auto* boolean = std::get_if<bool>(&arg.value)) return *boolean;
  if (arg.is_none()) return absent;
  return integer(position, name) != 0;
}

std::string CustomCall::text(size_t position, std::string_view name,
                             std::string_view absent) const {
  const Arg* arg = look(position, name);
  if (!arg || arg->is_none()) return std::string(absent);
  if (const auto* given = std::get_if<std::string>(&arg->value)) return *given;
  fail(fmt::format("argument {} must be a text", name));
}

std::vector<int64_t> CustomCall::integers(size_t position, std::string_view name) const {
  const Arg* arg = look(position, name);
  if (!arg) return {};
  if (const auto* one = std::get_if<int64_t>(&arg->value)) return {*one};
  std::vector<int64_t> all;
  const auto* list = std::get_if<ArgList>(&arg->value);
  if (!list) fail(fmt::format("argument {} must be a list of integers", name));
  for (const Arg& element : *list) {
    const auto* integer = std::get_if<int64_t>(&element.value);
    if (!integer) fail(fmt::format("argument {} must be a list of integers", name));
    all.push_back(*integer);
  }
  return all;
}

std::vector<at::Tensor> CustomCall::tensors(size_t position, std::string_view name) const {
  const Arg* arg = look(position, name);
  if (!arg) return {};
  std::vector<at::Tensor> all;
  const auto* list = std::get_if<ArgList>(&arg->value);
  if (!list) fail(fmt::format("argument {} must be a list of tensors", name));
  for (const Arg& element : *list) {
    const auto* tensor = std::get_if<TensorArg>(&element.value);
    if (!tensor) fail(fmt::format("argument {} must be a list of tensors", name));
    all.push_back(value_(tensor->id));
  }
  return all;
}

std::vector<double> CustomCall::numbers(size_t position, std::string_view name) const {
  std::vector<double> all;
  const std::function<void(const Arg&)> add = [&](const Arg& arg) {
    if (const auto* list = std::get_if<ArgList>(&arg.value)) {
      for (const Arg& element : *list) add(element);
    } else if (const auto* real = std::get_if<double>(&arg.value)) {
      all.push_back(*real);
    } else if (const auto* integer = std::get_if<int64_t>(&arg.value)) {
      all.push_back(static_cast<double>(*integer));
    } else if (const auto* boolean = std::get_if<bool>(&arg.value)) {
      all.push_back(*boolean ? 1 : 0);
    } else {
      fail(fmt::format("argument {} must be made of numbers", name));
    }
  };
  add(find(position, name));
  return all;
}

const Tensor& CustomCall::recorded() const {
  if (node_.outputs.empty() || node_.outputs.front() == kNone) fail("it has no output");
  return graph_.tensors[static_cast<size_t>(node_.outputs.front())];
}

}  // namespace assay
