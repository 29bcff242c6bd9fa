#include "dynamic_check/kernels/hlo_operators.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/amin.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "shared_ir/capture/torch/scalar_type.h"

namespace assay {
namespace hlo_kernels {
namespace {

using Tensors = std::vector<at::Tensor>;
using Dims = std::vector<int64_t>;

at::ScalarType type_of(DType dtype) {
  return is_floating(dtype) ? at::kDouble : to_scalar_type(dtype);
}

// ---- element by element ----

template <at::Tensor (at::Tensor::*Function)() const>
Tensors unary(const CustomCall& call) {
  return {(call.tensor(0, "operand").*Function)()};
}

template <at::Tensor (*Function)(const at::Tensor&, const at::Tensor&)>
Tensors binary(const CustomCall& call) {
  return {Function(call.operand(0, "lhs"), call.operand(1, "rhs"))};
}

at::Tensor add(const at::Tensor& a, const at::Tensor& b) { return a + b; }
at::Tensor subtract(const at::Tensor& a, const at::Tensor& b) { return a - b; }
at::Tensor multiply(const at::Tensor& a, const at::Tensor& b) { return a * b; }
at::Tensor power(const at::Tensor& a, const at::Tensor& b) { return at::pow(a, b); }
at::Tensor both(const at::Tensor& a, const at::Tensor& b) { return a & b; }
at::Tensor either(const at::Tensor& a, const at::Tensor& b) { return a | b; }
at::Tensor exactly_one(const at::Tensor& a, const at::Tensor& b) { return a ^ b; }
// Of integers towards zero.
at::Tensor divide(const at::Tensor& a, const at::Tensor& b) {
  return a.is_floating_point() ? a / b : a.div(b, "trunc");
}
at::Tensor maximum(const at::Tensor& a, const at::Tensor& b) { return at::maximum(a, b); }
at::Tensor minimum(const at::Tensor& a, const at::Tensor& b) { return at::minimum(a, b); }
// With the sign of the dividend.
at::Tensor remainder(const at::Tensor& a, const at::Tensor& b) { return a.fmod(b); }

Tensors compare(const CustomCall& call) {
  const at::Tensor a = call.operand(0, "lhs"), b = call.operand(1, "rhs");
  const std::string direction = call.text(2, "direction", "");
  if (direction == "EQ") return {a == b};
  if (direction == "NE") return {a != b};
  if (direction == "LT") return {a < b};
  if (direction == "LE") return {a <= b};
  if (direction == "GT") return {a > b};
  if (direction == "GE") return {a >= b};
  call.fail(fmt::format("no comparison is called {}", direction));
}

Tensors select(const CustomCall& call) {
  return {at::where(call.operand(0, "condition").to(at::kBool), call.operand(1, "on_true"),
                    call.operand(2, "on_false"))};
}

Tensors clamp(const CustomCall& call) {
  return {at::minimum(at::maximum(call.operand(1, "operand"), call.operand(0, "min")),
                      call.operand(2, "max"))};
}

// Of a float to an integer towards zero.
Tensors convert(const CustomCall& call) {
  return {call.tensor(0, "operand").to(type_of(call.recorded().dtype))};
}

Tensors itself(const CustomCall& call) { return {call.tensor(0, "operand")}; }

// ---- sources ----

Tensors iota(const CustomCall& call) {
  const Tensor& made = call.recorded();
  const int64_t dim = call.integer(0, "iota_dimension");
  Dims line(made.shape.size(), 1);
  const int64_t size = made.shape.at(static_cast<size_t>(dim));
  line.at(static_cast<size_t>(dim)) = size;
  return {at::arange(size, at::kLong).to(type_of(made.dtype)).reshape(line).expand(made.shape)};
}

// ---- movement ----

// Operand dimension i becomes the result's dimension dims[i]; the others repeat it.
Tensors broadcast(const CustomCall& call) {
  const at::Tensor operand = call.operand(0, "operand");
  const Dims dims = call.integers(1, "dimensions");
  const Shape& made = call.recorded().shape;
  Dims line(made.size(), 1);
  for (size_t i = 0; i < dims.size(); ++i)
    line.at(static_cast<size_t>(dims[i])) = operand.size(static_cast<int64_t>(i));
  return {operand.reshape(line).expand(made)};
}

Tensors reshape(const CustomCall& call) {
  return {call.tensor(0, "operand").reshape(call.recorded().shape)};
}

Tensors transpose(const CustomCall& call) {
  return {call.tensor(0, "operand").permute(call.integers(1, "dimensions"))};
}

Tensors bitcast(const CustomCall& call) {
  return {call.tensor(0, "operand")
              .permute(call.integers(1, "order"))
              .reshape(call.integers(2, "sizes"))
              .permute(call.integers(3, "places"))};
}

Tensors slice(const CustomCall& call) {
  at::Tensor part = call.tensor(0, "operand");
  const Dims starts = call.integers(1, "starts"), limits = call.integers(2, "limits"),
             strides = call.integers(3, "strides");
  for (size_t dim = 0; dim < starts.size(); ++dim)
    part = part.slice(static_cast<int64_t>(dim), starts[dim], limits.at(dim), strides.at(dim));
  return {part};
}

Tensors concatenate(const CustomCall& call) {
  return {at::cat(call.tensors(0, "operands"), call.integers(1, "dimensions").at(0))};
}

Tensors pad(const CustomCall& call) {
  const Dims low = call.integers(2, "low"), high = call.integers(3, "high"),
             interior = call.integers(4, "interior");
  if (std::ranges::any_of(interior, [](int64_t size) { return size != 0; }))
    call.fail("padding between elements has no kernel");
  Dims around;  // PyTorch has the last dimension first
  for (size_t dim = low.size(); dim-- > 0;) around.insert(around.end(), {low[dim], high.at(dim)});
  return {at::constant_pad_nd(call.tensor(0, "operand"), around, call.number(1, "value"))};
}

// Batch dimensions, then what is left of the left operand, then of the right one.
Tensors dot(const CustomCall& call) {
  const at::Tensor lhs = call.tensor(0, "lhs"), rhs = call.tensor(1, "rhs");
  const Dims left = call.integers(2, "lhs_contracting_dims"),
             right = call.integers(3, "rhs_contracting_dims"),
             left_batch = call.integers(4, "lhs_batch_dims"),
             right_batch = call.integers(5, "rhs_batch_dims");
  // [batch, free, contracted], each as one dimension.
  const auto matrices = [](const at::Tensor& of, const Dims& batch, const Dims& contracted,
                           Dims& free_sizes) {
    Dims order = batch;
    int64_t batches = 1, free = 1;
    for (const int64_t dim : batch) batches *= of.size(dim);
    for (int64_t dim = 0; dim < of.dim(); ++dim) {
      if (std::ranges::find(batch, dim) != batch.end() ||
          std::ranges::find(contracted, dim) != contracted.end())
        continue;
      order.push_back(dim);
      free_sizes.push_back(of.size(dim));
      free *= of.size(dim);
    }
    order.insert(order.end(), contracted.begin(), contracted.end());
    return of.to(at::kDouble).permute(order).reshape({batches, free, -1});
  };
  Dims sizes;
  for (const int64_t dim : left_batch) sizes.push_back(lhs.size(dim));
  const at::Tensor a = matrices(lhs, left_batch, left, sizes);
  const at::Tensor b = matrices(rhs, right_batch, right, sizes);
  return {a.bmm(b.transpose(1, 2)).reshape(sizes).to(type_of(call.recorded().dtype))};
}

// The windows of `slice_sizes` that start where the index vectors say, moved back into the operand
// where they would leave it; offset dimensions of the result walk along them.
Tensors gather(const CustomCall& call) {
  const at::Tensor operand = call.tensor(0, "operand");
  const Dims offset_dims = call.integers(2, "offset_dims"),
             collapsed = call.integers(3, "collapsed_slice_dims"),
             map = call.integers(4, "start_index_map"), sizes = call.integers(6, "slice_sizes");
  const int64_t vector_dim = call.integer(5, "index_vector_dim");
  at::Tensor indices = call.tensor(1, "indices");
  if (vector_dim == indices.dim()) indices = indices.unsqueeze(-1);
  indices = indices.movedim(vector_dim, -1);
  const Dims batch(indices.sizes().begin(), indices.sizes().end() - 1);
  const at::Tensor vectors = indices.reshape({-1, indices.size(-1)}).to(at::kLong);
  Tensors windows;
  for (int64_t i = 0; i < vectors.size(0); ++i) {
    Dims starts(sizes.size(), 0);
    for (size_t k = 0; k < map.size(); ++k)
      starts.at(static_cast<size_t>(map[k])) = vectors[i][static_cast<int64_t>(k)].item<int64_t>();
    at::Tensor window = operand;
    for (size_t dim = 0; dim < sizes.size(); ++dim) {
      const auto along = static_cast<int64_t>(dim);
      const int64_t last = operand.size(along) - sizes[dim];
      window = window.narrow(along, std::clamp<int64_t>(starts[dim], 0, last), sizes[dim]);
    }
    Dims kept;
    for (size_t dim = 0; dim < sizes.size(); ++dim) {
      if (std::ranges::find(collapsed, static_cast<int64_t>(dim)) == collapsed.end())
        kept.push_back(sizes[dim]);
    }
    windows.push_back(window.reshape(kept));
  }
  at::Tensor result = at::stack(windows);
  Dims shape = batch;
  shape.insert(shape.end(), result.sizes().begin() + 1, result.sizes().end());
  result = result.reshape(shape);
  // From [batch, offsets] to the places that offset_dims name; batch dimensions fill the others.
  Dims order(shape.size());
  int64_t next_batch = 0, next_offset = static_cast<int64_t>(batch.size());
  for (size_t dim = 0; dim < order.size(); ++dim) {
    const bool is_offset =
        std::ranges::find(offset_dims, static_cast<int64_t>(dim)) != offset_dims.end();
    order[dim] = is_offset ? next_offset++ : next_batch++;
  }
  return {result.permute(order)};
}

// ---- reductions ----

Tensors reduce(const CustomCall& call) {
  const at::Tensor operand = call.tensor(0, "operand");
  const auto with_start = [&](auto combine, const at::Tensor& reduced) {
    return Tensors{combine(reduced, at::full_like(reduced, call.number(1, "init")))};
  };
  if (!call.tensors(2, "more").empty()) call.fail("a reduction of several operands has no kernel");
  const Dims dims = call.integers(3, "dimensions");
  const std::string combine = call.text(4, "to_apply", "");
  if (combine == "add") return with_start(add, at::sum(operand, dims).to(operand.dtype()));
  if (combine == "maximum") return with_start(maximum, at::amax(operand, dims));
  if (combine == "minimum") return with_start(minimum, at::amin(operand, dims));
  call.fail(fmt::format("a reduction by {} has no kernel", combine));
}

Tensors reduce_max(const CustomCall& call) {
  return {at::amax(call.tensor(0, "operand"), call.integers(1, "dims"))};
}

// ---- custom calls ----

// x / sqrt(mean(x^2, first dimension) + epsilon) * weight.
Tensors neuron_rms_norm(const CustomCall& call) {
  if (call.text(3, "backend_config", "0") != "0")
    call.fail("a norm over another dimension than the first has no kernel");
  const at::Tensor x = call.tensor(0, "input");
  Dims column(static_cast<size_t>(x.dim()), 1);
  column[0] = x.size(0);
  return {x * at::rsqrt(x.square().mean(0, true) + call.number(2, "epsilon")) *
          call.tensor(1, "weight").reshape(column)};
}

const std::map<std::string_view, CustomOperator>& table() {
  static const std::map<std::string_view, CustomOperator> operators{
      {"hlo.abs", {unary<&at::Tensor::abs>}},
      {"hlo.acos", {unary<&at::Tensor::acos>}},
      {"hlo.add", {binary<add>}},
      {"hlo.and", {binary<both>}},
      {"hlo.asin", {unary<&at::Tensor::asin>}},
      {"hlo.bitcast", {bitcast}},
      {"hlo.broadcast", {broadcast}},
      {"hlo.ceil", {unary<&at::Tensor::ceil>}},
      {"hlo.clamp", {clamp}},
      {"hlo.compare", {compare}},
      {"hlo.concatenate", {concatenate}},
      {"hlo.convert", {convert}},
      {"hlo.copy", {itself}},
      {"hlo.cosh", {unary<&at::Tensor::cosh>}},
      {"hlo.cosine", {unary<&at::Tensor::cos>}},
      {"hlo.divide", {binary<divide>}},
      {"hlo.dot", {dot}},
      {"hlo.erf", {unary<&at::Tensor::erf>}},
      {"hlo.exponential", {unary<&at::Tensor::exp>}},
      {"hlo.exponential-minus-one", {unary<&at::Tensor::expm1>}},
      {"hlo.floor", {unary<&at::Tensor::floor>}},
      {"hlo.gather", {gather}},
      {"hlo.iota", {iota}},
      {"hlo.log", {unary<&at::Tensor::log>}},
      {"hlo.log-plus-one", {unary<&at::Tensor::log1p>}},
      {"hlo.logistic", {unary<&at::Tensor::sigmoid>}},
      {"hlo.maximum", {binary<maximum>}},
      {"hlo.minimum", {binary<minimum>}},
      {"hlo.multiply", {binary<multiply>}},
      {"hlo.negate", {unary<&at::Tensor::neg>}},
      {"hlo.not", {unary<&at::Tensor::bitwise_not>}},
      {"hlo.or", {binary<either>}},
      {"hlo.pad", {pad}},
      {"hlo.power", {binary<power>}},
      {"hlo.reduce", {reduce}},
      {"hlo.reduce-precision", {itself}},
      {"hlo.reduce_max", {reduce_max}},
      {"hlo.remainder", {binary<remainder>}},
      {"hlo.reshape", {reshape}},
      {"hlo.round-nearest-even", {unary<&at::Tensor::round>}},
      {"hlo.rsqrt", {unary<&at::Tensor::rsqrt>}},
      {"hlo.select", {select}},
      {"hlo.sign", {unary<&at::Tensor::sign>}},
      {"hlo.sine", {unary<&at::Tensor::sin>}},
      {"hlo.sinh", {unary<&at::Tensor::sinh>}},
      {"hlo.slice", {slice}},
      {"hlo.sqrt", {unary<&at::Tensor::sqrt>}},
      {"hlo.subtract", {binary<subtract>}},
      {"hlo.tan", {unary<&at::Tensor::tan>}},
      {"hlo.tanh", {unary<&at::Tensor::tanh>}},
      {"hlo.transpose", {transpose}},
      {"hlo.xor", {binary<exactly_one>}},
      {"custom-call.AwsNeuronTransferWithStaticRing", {itself}},
      {"custom-call.AwsNeuronRmsNorm", {neuron_rms_norm}},
      {"hlo.AwsNeuronRmsNorm", {neuron_rms_norm}},
  };
  return operators;
}

}  // namespace
}  // namespace hlo_kernels

const CustomOperator* find_hlo_operator(std::string_view op) {
  const auto found = hlo_kernels::table().find(op);
  return found == hlo_kernels::table().end() ? nullptr : &found->second;
}

}  // namespace assay
