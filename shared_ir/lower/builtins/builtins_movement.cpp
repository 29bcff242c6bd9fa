// Builtins that move elements and compute nothing.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shared_ir/lower/builtins/broadcast.h"
#include "shared_ir/lower/builtins/builtins.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

Value view(Call& call) {
  CoreId x = call.tensor(0);
  Shape to = call.integers(1);
  Int total = element_count(call.builder().shape(x)), known = 1;
  auto open = to.end();
  for (auto size = to.begin(); size != to.end(); ++size) {
    if (*size == -1 && open == to.end())
      open = size;
    else if (*size < 0)
      call.fail(fmt::format("sizes [{}]", fmt::join(to, ", ")));
    else
      known = times(known, *size);
  }
  if (open != to.end() && known == 0) call.fail("any size fits where it is to be found");
  if (open != to.end()) *open = total / known;
  if (element_count(to) != total)
    call.fail(fmt::format("shape [{}] does not have the sizes [{}]",
                          fmt::join(call.builder().shape(x), ", "), fmt::join(to, ", ")));
  return tensor_value(call.builder().reshape(x, to));
}

Value permute(Call& call) {
  CoreId x = call.tensor(0);
  Int rank = call.builder().rank(x);
  std::vector<Int> dims = call.integers(1);
  for (Int& dim : dims) dim = call.checked_dim(dim, rank);
  std::vector<Int> sorted = dims, all(rank);
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all)
    call.fail(fmt::format("[{}] does not name each dimension once", fmt::join(dims, ", ")));
  return tensor_value(call.builder().permute(x, dims));
}

CoreId swapped(Builder& builder, CoreId x, Int a, Int b) {
  std::vector<Int> dims(builder.rank(x));
  std::iota(dims.begin(), dims.end(), 0);
  if (!dims.empty()) std::swap(dims[a], dims[b]);
  return builder.permute(x, dims);
}

Value transpose(Call& call) {
  CoreId x = call.tensor(0);
  Int rank = call.builder().rank(x);
  return tensor_value(swapped(call.builder(), x, call.dim(1, rank), call.dim(2, rank)));
}

Value t(Call& call) {
  CoreId x = call.tensor(0);
  Int rank = call.builder().rank(x);
  if (rank > 2) call.fail(fmt::format("a tensor of {} dimensions", rank));
  return tensor_value(rank < 2 ? x : swapped(call.builder(), x, 0, 1));
}

Value move_last(Call& call) {
  CoreId x = call.tensor(0);
  Int rank = call.builder().rank(x), dim = call.dim(1, rank);
  if (rank == 0) return tensor_value(call.builder().reshape(x, {1}));
  std::vector<Int> dims(rank);
  std::iota(dims.begin(), dims.end(), 0);
  std::rotate(dims.begin() + dim, dims.begin() + dim + 1, dims.end());
  return tensor_value(call.builder().permute(x, dims));
}

// The dimensions `from` become the dimensions `to`; the others keep their order.
Value move_dims(Call& call) {
  CoreId x = call.tensor(0);
  const Int rank = call.builder().rank(x);
  std::vector<Int> from = call.integers(1), to = call.integers(2);
  if (from.size() != to.size()) call.fail("as many dimensions come as go");
  std::vector<Int> dims(rank, -1);
  std::vector<bool> moves(rank);
  for (size_t i = 0; i < from.size(); ++i) {
    const Int source = call.checked_dim(from[i], rank), place = call.checked_dim(to[i], rank);
    if (rank == 0) return tensor_value(x);
    if (moves[source] || dims[place] >= 0) call.fail("a dimension is named twice");
    moves[source] = true;
    dims[place] = source;
  }
  Int next = 0;
  for (Int& dim : dims) {
    if (dim >= 0) continue;
    while (moves[next]) ++next;
    dim = next++;
  }
  return tensor_value(call.builder().permute(x, dims));
}

// The dimensions in the opposite order.
Value reverse_dims(Call& call) {
  CoreId x = call.tensor(0);
  std::vector<Int> dims(call.builder().rank(x));
  std::iota(dims.rbegin(), dims.rend(), 0);
  return tensor_value(call.builder().permute(x, dims));
}

// New dimensions come first; -1 keeps a size.
Value expand(Call& call) {
  CoreId x = call.tensor(0);
  const Shape own = call.builder().shape(x);
  Shape to = call.integers(1);
  bool fits = to.size() >= own.size();
  for (size_t i = 0; fits && i < to.size(); ++i) {
    size_t lead = to.size() - own.size();
    if (i >= lead && to[i] == -1) to[i] = own[i - lead];
    fits = to[i] >= 0 && (i < lead || own[i - lead] == to[i] || own[i - lead] == 1);
  }
  if (!fits)
    call.fail(fmt::format("shape [{}] does not expand to [{}]", fmt::join(own, ", "),
                          fmt::join(to, ", ")));
  return tensor_value(broadcast_to(call.builder(), x, to));
}

// Dimension i of x becomes dimension dims[i]; all others repeat.
Value broadcast_in_dim(Call& call) {
  Shape to = call.sizes(2);
  Builder& builder = call.builder();
  if (auto number = call.number_if(0))
    return tensor_value(builder.constant(*number, call.dtype_or_recorded(3), to));
  CoreId x = call.tensor(0);
  const Shape own = builder.shape(x);
  std::vector<Int> dims = call.integers(1);
  if (dims.size() != own.size()) call.fail("a dimension is needed for each of the operand");
  Shape spread(to.size(), 1);
  for (size_t i = 0; i < dims.size(); ++i) {
    Int dim = call.existing_dim(dims[i], static_cast<Int>(to.size()));
    if (i > 0 && dims[i] <= dims[i - 1]) call.fail("dimensions must ascend");
    if (own[i] != 1 && own[i] != to[dim])
      call.fail(fmt::format("size {} does not become {}", own[i], to[dim]));
    spread[dim] = own[i];
  }
  return tensor_value(builder.expand(builder.reshape(x, spread), to));
}

Value unsqueeze(Call& call) {
  CoreId x = call.tensor(0);
  Shape to = call.builder().shape(x);
  to.insert(to.begin() + call.dim(1, static_cast<Int>(to.size()) + 1), 1);
  return tensor_value(call.builder().reshape(x, to));
}

Value squeeze(Call& call) {
  CoreId x = call.tensor(0);
  const Shape own = call.builder().shape(x);
  std::vector<Int> dims = call.dims_or_all(1, static_cast<Int>(own.size()));
  Shape to;
  for (size_t i = 0; i < own.size(); ++i)
    if (own[i] != 1 || !std::binary_search(dims.begin(), dims.end(), static_cast<Int>(i)))
      to.push_back(own[i]);
  return tensor_value(call.builder().reshape(x, to));
}

// The last dimensions, as many as the list has, become one; their sizes must be those of the list.
Value merge_last(Call& call) {
  CoreId x = call.tensor(0);
  Shape shape = call.builder().shape(x), inner = call.sizes(1);
  if (inner.empty() || inner.size() > shape.size() ||
      !std::equal(inner.begin(), inner.end(), shape.end() - static_cast<Int>(inner.size())))
    call.fail(fmt::format("shape [{}] does not end in [{}]", fmt::join(shape, ", "),
                          fmt::join(inner, ", ")));
  shape.resize(shape.size() - inner.size());
  shape.push_back(element_count(inner));
  return tensor_value(call.builder().reshape(x, shape));
}

// Dimensions first to last as one; a scalar gets one.
Value flatten_dims(Call& call) {
  CoreId x = call.tensor(0);
  const Shape own = call.builder().shape(x);
  const auto rank = static_cast<Int>(own.size());
  const Int first = call.dim(1, rank), last = call.dim(2, rank);
  if (first > last) call.fail("the first dimension lies behind the last");
  Shape to = own;
  if (rank == 0) {
    to = {1};
  } else {
    for (Int i = last; i > first; --i) {
      to[i - 1] = times(to[i - 1], to[i]);
      to.erase(to.begin() + i);
    }
  }
  return tensor_value(call.builder().reshape(x, to));
}

// One dimension as several; one of their sizes may be -1.
Value unflatten(Call& call) {
  CoreId x = call.tensor(0);
  Shape to = call.builder().shape(x);
  const Int dim = call.existing_dim(call.integer(1), static_cast<Int>(to.size()));
  std::vector<Int> sizes = call.integers(2);
  Int known = 1;
  for (Int size : sizes)
    if (size != -1) known = times(known, size);
  for (Int& size : sizes)
    if (size == -1 && known > 0) size = to[dim] / known;
  to.erase(to.begin() + dim);
  to.insert(to.begin() + dim, sizes.begin(), sizes.end());
  ValueList shape;
  for (Int size : to) shape.emplace_back().data = size;
  Call viewed(call.context(), "unflatten", {call[0], Value{std::move(shape)}});
  return view(viewed);
}

Value repeat(Call& call) {
  CoreId x = call.tensor(0);
  Shape own = call.builder().shape(x), counts = call.sizes(1), spread, tiled, to;
  if (counts.size() < own.size()) call.fail("a count is needed for each dimension");
  own.insert(own.begin(), counts.size() - own.size(), 1);
  for (size_t i = 0; i < own.size(); ++i) {
    spread.insert(spread.end(), {1, own[i]});
    tiled.insert(tiled.end(), {counts[i], own[i]});
    to.push_back(times(own[i], counts[i]));
  }
  Builder& builder = call.builder();
  return tensor_value(builder.reshape(builder.expand(builder.reshape(x, spread), tiled), to));
}

// Each element so many times, side by side.
Value repeat_each(Call& call) {
  Builder& builder = call.builder();
  const CoreId x = call.tensor(0);
  const Int dim = call.existing_dim(call.integer(1), builder.rank(x)), count = call.integer(2);
  if (count < 0) call.fail(fmt::format("{} times", count));
  Shape spread = builder.shape(x), to = spread;
  spread.insert(spread.begin() + dim + 1, 1);
  Shape tiled = spread;
  tiled[dim + 1] = count;
  to[dim] = times(to[dim], count);
  return tensor_value(builder.reshape(builder.expand(builder.reshape(x, spread), tiled), to));
}

Value broadcast_all(Call& call) {
  const std::vector<CoreId> all = call.tensors(0);
  std::vector<Shape> shapes;
  for (const CoreId x : all) shapes.emplace_back(call.builder().shape(x));
  const Shape to = broadcast_shape(call, shapes);
  ValueList results;
  for (const CoreId x : all) results.push_back(tensor_value(broadcast_to(call.builder(), x, to)));
  return {std::move(results)};
}

constexpr Builtin kMovementBuiltins[] = {
    {"view", 2, 2, view, Effect::kMoves,
     "view(x, sizes): the elements in row-major order; one size may be -1"},
    {"permute", 2, 2, permute, Effect::kMoves,
     "permute(x, dims): dimension i of the result is dims[i] of x"},
    {"transpose", 3, 3, transpose, Effect::kMoves, "transpose(x, a, b): two dimensions exchanged"},
    {"t", 1, 1, t, Effect::kMoves, "t(x): a matrix transposed"},
    {"move_last", 2, 2, move_last, Effect::kMoves,
     "move_last(x, dim): dim becomes the last dimension, the others keep their order; a scalar "
     "gets "
     "one"},
    {"move_dims", 3, 3, move_dims, Effect::kMoves,
     "move_dims(x, from, to): dimensions move to new places, the others keep their order"},
    {"reverse_dims", 1, 1, reverse_dims, Effect::kMoves,
     "reverse_dims(x): its dimensions in the opposite order"},
    {"expand", 2, 2, expand, Effect::kMoves, "expand(x, sizes): size 1 repeats; -1 keeps a size"},
    {"broadcast_in_dim", 4, 4, broadcast_in_dim, Effect::kMoves,
     "broadcast_in_dim(x, dims, sizes, dtype): dimension i of x becomes dims[i] of the result"},
    {"unsqueeze", 2, 2, unsqueeze, Effect::kMoves, "unsqueeze(x, dim): a new dimension of size 1"},
    {"squeeze", 2, 2, squeeze, Effect::kMoves,
     "squeeze(x, dims): without those of size 1; none: all of them"},
    {"merge_last", 2, 2, merge_last, Effect::kMoves,
     "merge_last(x, sizes): the last dimensions, of these sizes, as one"},
    {"flatten", 3, 3, flatten_dims, Effect::kMoves,
     "flatten(x, first, last): these dimensions as one"},
    {"unflatten", 3, 3, unflatten, Effect::kMoves,
     "unflatten(x, dim, sizes): one dimension as several"},
    {"repeat", 2, 2, repeat, Effect::kMoves, "repeat(x, counts): x tiled along each dimension"},
    {"broadcast_all", 1, 1, broadcast_all, Effect::kMoves,
     "broadcast_all(list): each of them in the shape of all together"},
    {"repeat_each", 3, 3, repeat_each, Effect::kMoves,
     "repeat_each(x, dim, count): each of its rows so many times, side by side"},
};

}  // namespace

std::span<const Builtin> movement_builtins() { return kMovementBuiltins; }

}  // namespace assay::lowering
