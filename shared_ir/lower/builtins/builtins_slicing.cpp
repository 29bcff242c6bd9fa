// Builtins that cut tensors and put them together.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shared_ir/lower/builtins/broadcast.h"
#include "shared_ir/lower/builtins/builtins.h"
#include "shared_ir/lower/builtins/overwrite.h"
#include "shared_ir/lower/builtins/padding.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

constexpr Int kMostPieces = 1 << 16;

struct Range {
  Int start, step, count;
};

// Negative bounds count from the end; what lies outside is cut off.
Int bound_in(Int at, Int size) { return std::clamp<Int>(at < 0 ? at + size : at, 0, size); }

// start, end, step as arguments first, first + 1, first + 2: none is the bound.
Range range_of(const Call& call, size_t first, Int size) {
  auto bound = [&](size_t i, Int otherwise) {
    return bound_in(call.has(i) ? call.integer(i) : otherwise, size);
  };
  Range range{bound(first, 0), call.has(first + 2) ? call.integer(first + 2) : 1, 0};
  if (range.step < 1) call.fail(fmt::format("step {} is below 1", range.step));
  Int end = bound(first + 1, size);
  range.count = end > range.start ? (end - range.start - 1) / range.step + 1 : 0;
  return range;
}

Value slice(Call& call) {
  CoreId x = call.tensor(0);
  Int dim = call.existing_dim(call.integer(1), call.builder().rank(x));
  Range range = range_of(call, 2, call.builder().shape(x)[dim]);
  return tensor_value(call.builder().slice(x, dim, range.start, range.step, range.count));
}

// As torch.narrow: what lies outside is an error.
Value narrow(Call& call) {
  CoreId x = call.tensor(0);
  const Int dim = call.existing_dim(call.integer(1), call.builder().rank(x));
  const Int size = call.builder().shape(x)[dim], length = call.integer(3);
  const Int start = call.integer(2) < 0 ? call.integer(2) + size : call.integer(2);
  if (start < 0 || length < 0 || start > size || length > size - start)
    call.fail(fmt::format("{} elements from {} on in a dimension of size {}", length,
                          call.integer(2), size));
  return tensor_value(call.builder().slice(x, dim, start, 1, length));
}

Int index_in(const Call& call, size_t i, Int size) {
  Int index = call.integer(i);
  if (index < -size || index >= size)
    call.fail(fmt::format("index {} in a dimension of size {}", index, size));
  return index < 0 ? index + size : index;
}

Value select(Call& call) {
  CoreId x = call.tensor(0);
  Int dim = call.existing_dim(call.integer(1), call.builder().rank(x));
  Shape to = call.builder().shape(x);
  CoreId row = call.builder().slice(x, dim, index_in(call, 2, to[dim]), 1, 1);
  to.erase(to.begin() + dim);
  return tensor_value(call.builder().reshape(row, to));
}

Value pieces_of(Call& call, CoreId x, Int dim, const std::vector<Int>& sizes) {
  ValueList pieces;
  Int start = 0;
  for (Int size : sizes) {
    pieces.push_back(tensor_value(call.builder().slice(x, dim, start, 1, size)));
    start += size;
  }
  return {std::move(pieces)};
}

// A list of sizes, or one size of which the last piece may fall short.
Value split(Call& call) {
  CoreId x = call.tensor(0);
  Int dim = call.existing_dim(call.integer(2), call.builder().rank(x));
  Int left = call.builder().shape(x)[dim];
  std::vector<Int> sizes;
  if (call[1].get_if<Int>()) {
    Int size = call.integer(1);
    if (size < 1) call.fail(fmt::format("pieces of size {}", size));
    if (left / size >= kMostPieces) throw SizeOverflow{};
    for (; left > 0; left -= sizes.back()) sizes.push_back(std::min(size, left));
  } else {
    sizes = call.sizes(1);
    if (total_of(sizes) != left)
      call.fail(fmt::format("sizes [{}] do not add up to {}", fmt::join(sizes, ", "), left));
  }
  return pieces_of(call, x, dim, sizes);
}

// As torch.chunk: the last piece may fall short, and there may be fewer of them.
Value chunk(Call& call) {
  CoreId x = call.tensor(0);
  Int dim = call.existing_dim(call.integer(2), call.builder().rank(x));
  Int count = call.integer(1), left = call.builder().shape(x)[dim];
  if (count < 1) call.fail(fmt::format("{} pieces", count));
  if (count > kMostPieces) throw SizeOverflow{};
  if (left == 0) return pieces_of(call, x, dim, std::vector<Int>(count, 0));
  const Int size = (left + count - 1) / count;
  std::vector<Int> sizes;
  for (; left > 0; left -= sizes.back()) sizes.push_back(std::min(size, left));
  return pieces_of(call, x, dim, sizes);
}

// As torch.tensor_split: so many pieces, the first ones one longer, or pieces that end at indices.
Value tensor_split(Call& call) {
  CoreId x = call.tensor(0);
  const Int dim = call.existing_dim(call.integer(2), call.builder().rank(x));
  const Int size = call.builder().shape(x)[dim];
  std::vector<Int> sizes;
  if (call[1].get_if<Int>()) {
    const Int count = call.integer(1);
    if (count < 1) call.fail(fmt::format("{} pieces", count));
    if (count > kMostPieces) throw SizeOverflow{};
    for (Int i = 0; i < count; ++i) sizes.push_back(size / count + (i < size % count ? 1 : 0));
    return pieces_of(call, x, dim, sizes);
  }
  ValueList pieces;
  Int start = 0;
  std::vector<Int> ends = call.integers(1);
  ends.push_back(size);
  for (const Int end : ends) {
    const Int from = bound_in(start, size), to = std::max(from, bound_in(end, size));
    pieces.push_back(tensor_value(call.builder().slice(x, dim, from, 1, to - from)));
    start = end;
  }
  return {std::move(pieces)};
}

Value unbind(Call& call) {
  CoreId x = call.tensor(0);
  Int dim = call.existing_dim(call.integer(1), call.builder().rank(x));
  Shape to = call.builder().shape(x);
  Int count = to[dim];
  to.erase(to.begin() + dim);
  ValueList rows;
  for (Int i = 0; i < count; ++i)
    rows.push_back(tensor_value(call.builder().reshape(call.builder().slice(x, dim, i, 1, 1), to)));
  return {std::move(rows)};
}

Value cat(Call& call) {
  Builder& builder = call.builder();
  const std::vector<CoreId> all = call.tensors(0);
  if (all.empty()) call.fail("nothing to concatenate");
  const auto fits_anywhere = [&](CoreId piece) { return builder.shape(piece) == Shape{0}; };
  const bool only_such = std::all_of(all.begin(), all.end(), fits_anywhere);
  std::vector<Value> pieces, every;
  for (CoreId piece : all) {
    every.push_back(tensor_value(piece));
    if (only_such || !fits_anywhere(piece)) pieces.push_back(every.back());
  }
  Call operands(call.context(), "cat", pieces);
  Call typed(call.context(), "cat", every);  // those of no elements too
  DType dtype = promoted_dtype(typed, 0);
  const Shape first = builder.shape(operands.tensor(0));
  Int dim = call.existing_dim(call.integer(1), static_cast<Int>(first.size()));
  std::vector<CoreId> ids;
  for (size_t i = 0; i < operands.size(); ++i) {
    Shape shape = builder.shape(operands.tensor(i));
    if (shape.size() == first.size()) shape[dim] = first[dim];
    if (shape != first)
      call.fail(fmt::format("shapes [{}] and [{}] differ off dimension {}", fmt::join(first, ", "),
                            fmt::join(builder.shape(operands.tensor(i)), ", "), dim));
    ids.push_back(builder.cast(operands.tensor(i), dtype));
  }
  return tensor_value(builder.cat(ids, dim));
}

Value stack(Call& call) {
  std::vector<CoreId> pieces = call.tensors(0);
  if (pieces.empty()) call.fail("nothing to stack");
  Shape shape = call.builder().shape(pieces[0]);
  Int dim = call.dim(1, static_cast<Int>(shape.size()) + 1);
  ValueList rows;
  Shape row = shape;
  row.insert(row.begin() + dim, 1);
  for (CoreId piece : pieces) {
    if (call.builder().shape(piece) != shape) call.fail("the shapes differ");
    rows.push_back(tensor_value(call.builder().reshape(piece, row)));
  }
  Call joined(call.context(), "stack", {Value{std::move(rows)}, Value{dim}});
  return cat(joined);
}

// What is shifted beyond the end comes in at the start. Without dimensions, the elements are in
// row-major order.
Value roll(Call& call) {
  Builder& builder = call.builder();
  CoreId x = call.tensor(0);
  const Shape shape = builder.shape(x);
  std::vector<Int> shifts = call.integers(1), dims = call.integers(2);
  if (dims.empty() && shifts.size() == 1) {
    x = builder.reshape(x, {element_count(shape)});
    dims = {0};
  }
  if (dims.size() != shifts.size()) call.fail("a shift is needed for each dimension");
  for (size_t i = 0; i < dims.size(); ++i) {
    Int dim = call.existing_dim(dims[i], builder.rank(x)), size = builder.shape(x)[dim];
    Int start = size == 0 ? 0 : (size - shifts[i] % size) % size;
    if (start != 0)
      x = builder.cat(
          {builder.slice(x, dim, start, 1, size - start), builder.slice(x, dim, 0, 1, start)}, dim);
  }
  return tensor_value(builder.reshape(x, shape));
}

// So many rows are turned around one by one: more would be too many operators.
constexpr Int kFewRows = 64;

Value is_short(Call& call) {
  const Shape& shape = call.builder().shape(call.tensor(0));
  const std::vector<Int> dims = call.dims_or_all(1, static_cast<Int>(shape.size()));
  return {std::all_of(dims.begin(), dims.end(), [&](Int dim) {
    return !exceeds(shape[static_cast<size_t>(dim)], kFewRows);
  })};
}

Value flip(Call& call) {
  Builder& builder = call.builder();
  CoreId x = call.tensor(0);
  for (const Int dim : call.dims_or_all(1, builder.rank(x))) {
    std::vector<CoreId> rows;
    for (Int i = builder.shape(x)[static_cast<size_t>(dim)]; i > 0; --i)
      rows.push_back(builder.slice(x, dim, i - 1, 1, 1));
    if (rows.size() > 1) x = builder.cat(rows, dim);
  }
  return tensor_value(x);
}

// The square that the diagonal runs through, row after row: every (size + 1)-th element of it.
Value diagonal(Call& call) {
  Builder& builder = call.builder();
  CoreId x = call.tensor(0);
  const Int rank = builder.rank(x), offset = call.integer(1);
  const Int a = call.existing_dim(call.integer(2), rank),
            b = call.existing_dim(call.integer(3), rank);
  if (a == b) call.fail("the two dimensions are the same");
  std::vector<Int> dims;
  for (Int dim = 0; dim < rank; ++dim)
    if (dim != a && dim != b) dims.push_back(dim);
  dims.insert(dims.end(), {a, b});
  x = builder.permute(x, dims);
  Shape shape = builder.shape(x);
  const Int row = std::max<Int>(times(offset, -1), 0), column = std::max<Int>(offset, 0);
  const Int size = std::max<Int>(std::min(shape[rank - 2] - row, shape[rank - 1] - column), 0);
  const Int first_row = size == 0 ? 0 : row, first_column = size == 0 ? 0 : column;
  x = builder.slice(builder.slice(x, rank - 2, first_row, 1, size), rank - 1, first_column, 1,
                    size);
  shape.resize(rank - 1);
  shape[rank - 2] = times(size, size);
  return tensor_value(builder.slice(builder.reshape(x, shape), rank - 2, 0, size + 1, size));
}

Value slice_scatter(Call& call) {
  CoreId x = call.tensor(0);
  Int dim = call.existing_dim(call.integer(2), call.builder().rank(x));
  Range range = range_of(call, 3, call.builder().shape(x)[dim]);
  return tensor_value(
      overwritten(call, x, call.tensor(1), dim, {range.start, range.step, range.count}));
}

Value select_scatter(Call& call) {
  Builder& builder = call.builder();
  CoreId x = call.tensor(0), row = call.tensor(1);
  Int dim = call.existing_dim(call.integer(2), builder.rank(x));
  Shape shape = builder.shape(row);
  if (static_cast<Int>(shape.size()) + 1 != builder.rank(x))
    call.fail("the row must have one dimension less");
  shape.insert(shape.begin() + dim, 1);
  return tensor_value(overwritten(call, x, builder.reshape(row, shape), dim,
                                  {index_in(call, 3, builder.shape(x)[dim]), 1, 1}));
}

// [left of the last dim, right of it, left of the one before, ...], zeros or another number
// outside; negative widths cut off.
Value pad(Call& call) {
  Builder& builder = call.builder();
  CoreId x = call.tensor(0);
  std::vector<Int> widths = call.integers(1);
  if (widths.size() % 2 || static_cast<Int>(widths.size()) > 2 * builder.rank(x))
    call.fail("two widths a dimension");
  for (size_t i = 0; i < widths.size(); i += 2) {
    Int dim = builder.rank(x) - 1 - static_cast<Int>(i) / 2;
    x = padded(call, x, dim, widths[i], widths[i + 1], call.number(2));
  }
  return tensor_value(x);
}

// Vectors are rows, and scalars matrices of one element.
Value block_diagonal(Call& call) {
  Builder& builder = call.builder();
  std::vector<CoreId> matrices = call.tensors(0);
  if (matrices.empty()) call.unsupported("no matrix");
  Int width = 0, before = 0;
  for (CoreId& matrix : matrices) {
    Shape shape = builder.shape(matrix);
    if (shape.size() > 2) call.fail("more than two dimensions");
    shape.insert(shape.begin(), 2 - shape.size(), 1);
    matrix = builder.reshape(matrix, shape);
    width += shape[1];
  }
  std::vector<Value> rows;
  for (const CoreId matrix : matrices) {
    const Int own = builder.shape(matrix)[1];
    rows.push_back(tensor_value(padded(call, matrix, 1, before, width - before - own, 0)));
    before += own;
  }
  Call all(call.context(), "cat", {Value{ValueList(std::move(rows))}, Value{Int{0}}});
  return cat(all);
}

constexpr Builtin kSlicingBuiltins[] = {
    {"slice", 5, 5, slice, Effect::kParts,
     "slice(x, dim, start, end, step): none or beyond the bounds is the bound"},
    {"narrow", 4, 4, narrow, Effect::kParts,
     "narrow(x, dim, start, length): that part, which must be there"},
    {"select", 3, 3, select, Effect::kMoves,
     "select(x, dim, index): one row, without the dimension"},
    {"split", 3, 3, split, Effect::kParts,
     "split(x, sizes, dim): a list of tensors; one size for all, or a list that adds up"},
    {"chunk", 3, 3, chunk, Effect::kParts,
     "chunk(x, count, dim): a list of pieces of equal size, the last perhaps smaller"},
    {"tensor_split", 3, 3, tensor_split, Effect::kParts,
     "tensor_split(x, count or ends, dim): pieces that differ by one in size at most, or end "
     "there"},
    {"unbind", 2, 2, unbind, Effect::kMoves, "unbind(x, dim): the list of rows"},
    {"is_short", 2, 2, is_short, Effect::kMakes,
     "is_short(x, dims): whether these dimensions have few rows"},
    {"flip", 2, 2, flip, Effect::kMoves, "flip(x, dims): short dimensions in the opposite order"},
    {"roll", 3, 3, roll, Effect::kParts, "roll(x, shifts, dims): shifted around each dimension"},
    {"diagonal", 4, 4, diagonal, Effect::kMoves,
     "diagonal(x, offset, a, b): of two dimensions, which become the last one"},
    {"cat", 2, 2, cat, Effect::kParts, "cat(list, dim): one after the other"},
    {"stack", 2, 2, stack, Effect::kMoves, "stack(list, dim): along a new dimension"},
    {"slice_scatter", 6, 6, slice_scatter, Effect::kParts,
     "slice_scatter(x, rows, dim, start, end, step): x with a slice replaced"},
    {"select_scatter", 4, 4, select_scatter, Effect::kMoves,
     "select_scatter(x, row, dim, index): x with one row replaced"},
    {"block_diagonal", 1, 1, block_diagonal, Effect::kParts,
     "block_diagonal(list): matrices along the diagonal of one, which is 0 beside them"},
    {"pad", 3, 3, pad, Effect::kParts,
     "pad(x, widths, number): before and after each dimension, the last one first"},
};

}  // namespace

std::span<const Builtin> slicing_builtins() { return kSlicingBuiltins; }

}  // namespace assay::lowering
