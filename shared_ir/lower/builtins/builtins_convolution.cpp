// Convolutions: products of the windows of a tensor [batch, channels, sizes...] with a weight
// [outputs, channels of one group, window sizes...]. The windows are slices, one for each element
// of the weight's window, side by side in a dimension of their own.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "shared_ir/lower/build/contract.h"
#include "shared_ir/lower/builtins/builtins.h"
#include "shared_ir/lower/builtins/padding.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

struct Geometry {
  Shape window;  // of the weight, per spatial dimension
  std::vector<Int> stride, padding, dilation;
  Int groups = 1;
  Int window_size() const { return element_count(window); }
};

// A number for each of `count` dimensions, or one for all.
std::vector<Int> per_spatial_dim(const Call& call, size_t i, size_t count) {
  std::vector<Int> numbers = call.integers(i);
  if (numbers.size() == 1) numbers.resize(count, numbers[0]);
  if (numbers.size() != count)
    call.fail(fmt::format("{} numbers for {} dimensions", numbers.size(), count));
  return numbers;
}

// Arguments first, first + 1, ...: stride, padding, dilation, groups.
Geometry geometry_of(const Call& call, const Shape& weight, size_t first) {
  constexpr Int kLargestWindow = 1024;
  if (weight.size() < 3) call.fail("the weight has no window");
  Geometry result;
  result.window.assign(weight.begin() + 2, weight.end());
  if (result.window_size() == 0) call.fail("the weight's window is empty");
  const size_t count = result.window.size();
  result.stride = per_spatial_dim(call, first, count);
  result.padding = per_spatial_dim(call, first + 1, count);
  result.dilation = per_spatial_dim(call, first + 2, count);
  result.groups = call.integer(first + 3);
  if (result.groups < 1 || weight[0] % result.groups) call.fail("groups of different sizes");
  for (size_t i = 0; i < count; ++i)
    if (result.stride[i] < 1 || result.dilation[i] < 1 || result.padding[i] < 0)
      call.fail("a stride, padding or dilation below its least");
  if (result.window_size() > kLargestWindow)
    call.unsupported(fmt::format("a window of more than {} elements", kLargestWindow));
  return result;
}

// [batch, groups, channels of one group, elements of the window, positions...]. The window starts
// at every `stride`-th place; `backwards`: its last element comes first.
CoreId windows_of(Call& call, CoreId x, const Geometry& geometry, const std::vector<Int>& stride,
                  bool backwards) {
  Builder& builder = call.builder();
  const size_t spatial = geometry.window.size();
  const Shape shape = builder.shape(x);
  Shape positions;
  for (size_t i = 0; i < spatial; ++i) {
    const Int reach = plus(times(geometry.dilation[i], geometry.window[i] - 1), 1);
    if (shape[2 + i] < reach) call.fail("the window is larger than the tensor");
    positions.push_back((shape[2 + i] - reach) / stride[i] + 1);
  }
  Shape piece_shape{shape[0], geometry.groups, shape[1] / geometry.groups, 1};
  piece_shape.insert(piece_shape.end(), positions.begin(), positions.end());
  std::vector<CoreId> pieces;
  for (Int element = 0; element < geometry.window_size(); ++element) {
    CoreId piece = x;
    Int rest = element;
    for (size_t i = spatial; i-- > 0; rest /= geometry.window[i])
      piece =
          builder.slice(piece, static_cast<Int>(2 + i),
                        rest % geometry.window[i] * geometry.dilation[i], stride[i], positions[i]);
    pieces.push_back(builder.reshape(piece, piece_shape));
  }
  if (backwards) std::reverse(pieces.begin(), pieces.end());
  return builder.cat(pieces, 3);
}

// [groups, outputs of one group, channels of one group, elements of the window].
CoreId grouped_weight(Builder& builder, CoreId weight, const Geometry& geometry) {
  const Shape shape = builder.shape(weight);
  return builder.reshape(
      weight, {geometry.groups, shape[0] / geometry.groups, shape[1], geometry.window_size()});
}

enum Label : int32_t { kBatch, kGroup, kOutput, kChannel, kElement, kFirstPosition };

std::vector<int32_t> with_positions(std::vector<int32_t> labels, const Geometry& geometry) {
  for (size_t i = 0; i < geometry.window.size(); ++i)
    labels.push_back(kFirstPosition + static_cast<int32_t>(i));
  return labels;
}

// Dimensions 1 and 2, of groups and of one group, as one.
CoreId ungrouped(Builder& builder, CoreId x, size_t dim) {
  Shape shape = builder.shape(x);
  shape[dim] = times(shape[dim], shape[dim + 1]);
  shape.erase(shape.begin() + static_cast<Int>(dim) + 1);
  return builder.reshape(x, shape);
}

void check_dtypes(const Call& call) {
  const Builder& builder = call.context().builder;
  if (builder.dtype(call.tensor(0)) != builder.dtype(call.tensor(1)))
    call.fail("the operands' dtypes differ");
}

// The gradient of what the weight makes of a tensor.
void check_gradient(const Call& call, const Shape& g, const Shape& weight) {
  if (g.size() != weight.size() || g[1] != weight[0])
    call.fail("the gradient does not have the weight's outputs");
}

void check_channels(const Call& call, const Shape& x, const Shape& weight,
                    const Geometry& geometry) {
  if (x.size() != weight.size()) call.unsupported("a tensor without batch");
  const Int channels = times(weight[1], geometry.groups);
  if (x[1] != channels) call.fail(fmt::format("{} channels, the weight has {}", x[1], channels));
}

CoreId padded_input(Call& call, CoreId x, const Geometry& geometry) {
  for (size_t i = 0; i < geometry.window.size(); ++i)
    x = padded(call, x, static_cast<Int>(2 + i), geometry.padding[i], geometry.padding[i], 0);
  return x;
}

Value convolution(Call& call) {
  Builder& builder = call.builder();
  check_dtypes(call);
  const CoreId x = call.tensor(0), weight = call.tensor(1);
  const Geometry geometry = geometry_of(call, builder.shape(weight), 2);
  check_channels(call, builder.shape(x), builder.shape(weight), geometry);
  const CoreId windows =
      windows_of(call, padded_input(call, x, geometry), geometry, geometry.stride, false);
  const CoreId product =
      contract(builder,
               {{windows, with_positions({kBatch, kGroup, kChannel, kElement}, geometry)},
                {grouped_weight(builder, weight, geometry), {kGroup, kOutput, kChannel, kElement}}},
               with_positions({kBatch, kGroup, kOutput}, geometry));
  return tensor_value(ungrouped(builder, product, 1));
}

// The gradient with respect to the tensor: a convolution of the spaced gradient with the window
// turned around.
Value convolution_dx(Call& call) {
  Builder& builder = call.builder();
  check_dtypes(call);
  CoreId g = call.tensor(0);
  const CoreId weight = call.tensor(1);
  const Shape to = call.sizes(2);
  const Geometry geometry = geometry_of(call, builder.shape(weight), 3);
  check_channels(call, to, builder.shape(weight), geometry);
  check_gradient(call, builder.shape(g), builder.shape(weight));
  for (size_t i = 0; i < geometry.window.size(); ++i) {
    const auto dim = static_cast<Int>(2 + i);
    const Int reach = times(geometry.dilation[i], geometry.window[i] - 1);
    g = spaced(call, g, dim, geometry.stride[i]);
    const Int before = reach - geometry.padding[i];
    g = padded(call, g, dim, before, to[2 + i] + reach - before - builder.shape(g)[dim], 0);
  }
  const std::vector<Int> every(geometry.window.size(), 1);
  const CoreId windows = windows_of(call, g, geometry, every, true);
  const CoreId product =
      contract(builder,
               {{windows, with_positions({kBatch, kGroup, kOutput, kElement}, geometry)},
                {grouped_weight(builder, weight, geometry), {kGroup, kOutput, kChannel, kElement}}},
               with_positions({kBatch, kGroup, kChannel}, geometry));
  return tensor_value(ungrouped(builder, product, 1));
}

Value convolution_dw(Call& call) {
  Builder& builder = call.builder();
  check_dtypes(call);
  const CoreId g = call.tensor(0), x = call.tensor(1);
  const Shape weight = call.sizes(2);
  const Geometry geometry = geometry_of(call, weight, 3);
  check_channels(call, builder.shape(x), weight, geometry);
  check_gradient(call, builder.shape(g), weight);
  const CoreId windows =
      windows_of(call, padded_input(call, x, geometry), geometry, geometry.stride, false);
  Shape grouped = builder.shape(g);
  const Shape seen = builder.shape(windows);
  if (grouped[0] != seen[0] || !std::equal(grouped.begin() + 2, grouped.end(), seen.begin() + 4))
    call.fail("the gradient does not have the sizes of the convolution");
  grouped[1] = grouped[1] / geometry.groups;
  grouped.insert(grouped.begin() + 1, geometry.groups);
  const CoreId product =
      contract(builder,
               {{builder.reshape(g, grouped), with_positions({kBatch, kGroup, kOutput}, geometry)},
                {windows, with_positions({kBatch, kGroup, kChannel, kElement}, geometry)}},
               {kGroup, kOutput, kChannel, kElement});
  return tensor_value(builder.reshape(product, weight));
}

// The sizes of a tensor of which x is the convolution with this weight: of what a transposed one
// makes of x. Rows at the end that no window reaches: `output_padding`.
Value transposed_sizes(Call& call) {
  const Builder& builder = call.builder();
  const Shape x = builder.shape(call.tensor(0)), weight = builder.shape(call.tensor(1));
  const Geometry geometry = geometry_of(call, weight, 2);
  if (x.size() != weight.size()) call.unsupported("a tensor without batch");
  const auto more = per_spatial_dim(call, 6, geometry.window.size());
  ValueList sizes{Value{x[0]}, Value{times(weight[1], geometry.groups)}};
  for (size_t i = 0; i < geometry.window.size(); ++i) {
    const Int reach = times(geometry.dilation[i], geometry.window[i] - 1);
    const Int start = times(x[2 + i] - 1, geometry.stride[i]);
    const Int size = plus(plus(start, reach + 1), more[i] - 2 * geometry.padding[i]);
    if (more[i] < 0 || size < 1) call.fail("a result of no size");
    sizes.push_back(Value{size});
  }
  return {std::move(sizes)};
}

constexpr Builtin kConvolutionBuiltins[] = {
    {"convolution", 6, 6, convolution, Effect::kContracts,
     "convolution(x, weight, stride, padding, dilation, groups)"},
    {"convolution_dx", 7, 7, convolution_dx, Effect::kContracts,
     "convolution_dx(g, weight, sizes of x, stride, padding, dilation, groups): its gradient"},
    {"transposed_sizes", 7, 7, transposed_sizes, Effect::kMakes,
     "transposed_sizes(x, weight, stride, padding, dilation, groups, more): sizes of the tensor of "
     "which x is the convolution, and of what a transposed one makes of x"},
    {"convolution_dw", 7, 7, convolution_dw, Effect::kContracts,
     "convolution_dw(g, x, sizes of the weight, stride, padding, dilation, groups): its gradient"},
};

}  // namespace

std::span<const Builtin> convolution_builtins() { return kConvolutionBuiltins; }

}  // namespace assay::lowering
