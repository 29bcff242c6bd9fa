// Builtins that cut, pad and overwrite all dimensions at once, as XLA's instructions do; starts may
// be tensors.
#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "shared_ir/cast.h"
#include "shared_ir/lower/builtins/builtins.h"
#include "shared_ir/lower/builtins/padding.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

// One number for each dimension of x.
std::vector<Int> per_dim(const Call& call, size_t i, Int rank) {
  std::vector<Int> numbers = call.integers(i);
  if (static_cast<Int>(numbers.size()) != rank)
    call.fail(fmt::format("{} numbers for {} dimensions", numbers.size(), rank));
  return numbers;
}

Value window(Call& call) {
  Builder& builder = call.builder();
  CoreId x = call.tensor(0);
  const Int rank = builder.rank(x);
  const auto starts = per_dim(call, 1, rank), limits = per_dim(call, 2, rank),
             strides = per_dim(call, 3, rank);
  for (Int dim = 0; dim < rank; ++dim) {
    const Int start = starts[dim], limit = limits[dim], stride = strides[dim];
    if (start < 0 || start > limit || limit > builder.shape(x)[dim] || stride < 1)
      call.fail(fmt::format("[{}:{}:{}] of a dimension of size {}", start, limit, stride,
                            builder.shape(x)[dim]));
    x = builder.slice(x, dim, start, stride, start == limit ? 0 : 1 + (limit - start - 1) / stride);
  }
  return tensor_value(x);
}

// Negative widths cut off.
Value pad_each(Call& call) {
  Builder& builder = call.builder();
  CoreId x = call.tensor(0);
  const Int rank = builder.rank(x);
  const double number = call.number(1);
  const auto low = per_dim(call, 2, rank), high = per_dim(call, 3, rank),
             interior = per_dim(call, 4, rank);
  for (Int dim = 0; dim < rank; ++dim) {
    if (interior[dim] != 0) call.unsupported("padding between elements");
    x = padded(call, x, dim, low[dim], high[dim], number);
  }
  return tensor_value(x);
}

// Where a window of `size` elements starts, if that is known: at 0 where it is the whole dimension.
// A start beyond the bounds is moved inside.
std::optional<Int> known_start(Call& call, CoreId start, Int size, Int whole) {
  const Builder& builder = call.builder();
  if (!is_integer(builder.dtype(start)) || builder.rank(start) != 0)
    call.fail("a start is an integer scalar");
  if (size > whole) call.fail(fmt::format("{} elements of a dimension of size {}", size, whole));
  if (size == whole) return 0;
  if (!builder.is_finite_constant(start)) return std::nullopt;
  // XLA's semantics have no words on it; its compiler for CPUs takes the bits as a signed integer.
  const Int number = builder.op(start).constant.numerator();
  if (is_unsigned(builder.dtype(start)) && number > integer_range(builder.dtype(start)).second / 2)
    call.unsupported("an unsigned start whose first bit is set");
  return std::clamp<Int>(number, 0, whole - size);
}

// start, start + 1, ..., of a computed start, which is moved inside too.
CoreId counted_from(Call& call, CoreId start, Int count, Int whole) {
  Builder& builder = call.builder();
  if (is_unsigned(builder.dtype(start))) call.unsupported("a computed start without a sign");
  start = builder.map(fmt::format("clamp(0,{})", decimal(whole - count)), {start},
                      builder.dtype(start), 0);
  const CoreId first = builder.expand(builder.reshape(start, {1}), {count});
  return builder.linear({first, builder.iota(count, builder.dtype(start))},
                        {Rational(1), Rational(1)});
}

std::vector<CoreId> starts_of(const Call& call, size_t i, CoreId x) {
  std::vector<CoreId> starts = call.tensors(i);
  if (static_cast<Int>(starts.size()) != call.context().builder.rank(x))
    call.fail("a start is needed for each dimension");
  return starts;
}

// Where a start is computed, the window is a read at indices.
Value dynamic_window(Call& call) {
  Builder& builder = call.builder();
  CoreId x = call.tensor(0);
  const std::vector<CoreId> starts = starts_of(call, 1, x);
  const auto sizes = per_dim(call, 2, builder.rank(x));
  for (Int dim = 0; dim < builder.rank(x); ++dim) {
    if (sizes[dim] < 0) call.fail(fmt::format("size {} is negative", sizes[dim]));
    const auto start = known_start(call, starts[dim], sizes[dim], builder.shape(x)[dim]);
    if (start) {
      x = builder.slice(x, dim, *start, 1, sizes[dim]);
      continue;
    }
    const CoreId ids = counted_from(call, starts[dim], sizes[dim], builder.shape(x)[dim]);
    Call read(call.context(), "dynamic_window", {tensor_value(x), Value{dim}, tensor_value(ids)});
    x = find_builtin("take")->function(read).get_if<TensorRef>()->id;
  }
  return tensor_value(x);
}

// Where a start is computed, the window is written at indices: in one dimension, whole in the
// others.
Value dynamic_overwrite(Call& call) {
  Builder& builder = call.builder();
  const CoreId x = call.tensor(0), rows = call.tensor(1);
  const std::vector<CoreId> starts = starts_of(call, 2, x);
  const Shape shape = builder.shape(x), window = builder.shape(rows);
  const auto rank = static_cast<Int>(shape.size());
  if (builder.rank(rows) != rank || builder.dtype(rows) != builder.dtype(x))
    call.fail("the window does not have the tensor's dimensions and type");
  std::vector<Int> partial;
  std::optional<Int> start;
  for (Int dim = 0; dim < rank; ++dim) {
    const auto known = known_start(call, starts[dim], window[dim], shape[dim]);
    if (window[dim] == shape[dim]) continue;
    partial.push_back(dim);
    start = known;
  }
  if (partial.empty()) return tensor_value(rows);
  if (partial.size() > 1) call.unsupported("a window in several dimensions is overwritten");
  const Int dim = partial[0];
  if (start) {
    Call write(call.context(), "dynamic_overwrite",
               {tensor_value(x), tensor_value(rows), Value{dim}, Value{*start},
                Value{*start + window[dim]}, Value{Int{1}}});
    return find_builtin("slice_scatter")->function(write);
  }
  ValueList indices(static_cast<size_t>(dim), Value{NoArg{}});
  indices.push_back(tensor_value(counted_from(call, starts[dim], window[dim], shape[dim])));
  Call write(call.context(), "dynamic_overwrite",
             {tensor_value(x), Value{std::move(indices)}, tensor_value(rows), Value{false}});
  return find_builtin("index_put")->function(write);
}

constexpr Builtin kWindowBuiltins[] = {
    {"window", 4, 4, window, Effect::kParts,
     "window(x, starts, limits, strides): a slice of every dimension"},
    {"pad_each", 5, 5, pad_each, Effect::kParts,
     "pad_each(x, number, low, high, interior): widths for every dimension"},
    {"dynamic_window", 3, 3, dynamic_window, Effect::kParts,
     "dynamic_window(x, [start, ...], sizes): a slice whose starts are scalars, moved inside"},
    {"dynamic_overwrite", 3, 3, dynamic_overwrite, Effect::kParts,
     "dynamic_overwrite(x, rows, [start, ...]): x with rows in place of such a slice"},
};

}  // namespace

std::span<const Builtin> window_builtins() { return kWindowBuiltins; }

}  // namespace assay::lowering
