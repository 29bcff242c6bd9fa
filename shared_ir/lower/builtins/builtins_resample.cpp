// Builtins on windows of a dimension, and those that make its rows sums of other rows by weights
// that hang on sizes alone: pooling, resizing, padding by the tensor's own rows; and their
// gradients.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "shared_ir/lower/builtins/builtins.h"
#include "shared_ir/lower/builtins/padding.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

// Windows start at every step-th element, and their elements are `gap` apart; the new last
// dimension counts through a window.
Value windows(Call& call) {
  Builder& builder = call.builder();
  const CoreId x = call.tensor(0);
  const Int dim = call.existing_dim(call.integer(1), builder.rank(x));
  const Int size = call.integer(2), step = call.integer(3), whole = builder.shape(x)[dim];
  const Int gap = call.has(4) ? call.integer(4) : 1;
  if (size < 1 || step < 1 || gap < 1 || plus(times(size - 1, gap), 1) > whole)
    call.fail(fmt::format("windows of {} elements, each {} later, of {}", size, step, whole));
  Shape shape = builder.shape(x);
  shape[dim] = (whole - (size - 1) * gap - 1) / step + 1;
  shape.push_back(1);
  std::vector<CoreId> pieces;
  for (Int i = 0; i < size; ++i)
    pieces.push_back(builder.reshape(builder.slice(x, dim, i * gap, step, shape[dim]), shape));
  return tensor_value(builder.cat(pieces, builder.rank(x)));
}

// The elements of windows added up where they were taken: the gradient of windows.
Value add_windows(Call& call) {
  Builder& builder = call.builder();
  const CoreId g = call.tensor(0);
  const Int rank = builder.rank(g) - 1;
  if (rank < 1) call.fail("there are no windows");
  const Int dim = call.existing_dim(call.integer(1), rank);
  const Int whole = call.integer(2), step = call.integer(3);
  const Int gap = call.has(4) ? call.integer(4) : 1;
  Shape shape = builder.shape(g);
  const Int size = shape.back(), count = shape[dim];
  shape.pop_back();
  const Int reach = plus(times(count - 1, step), plus(times(size - 1, gap), 1));
  if (step < 1 || gap < 1 || size < 1 || count < 1 || reach > whole)
    call.fail(fmt::format("windows that reach {} of {} elements", reach, whole));
  std::vector<CoreId> placed;
  for (Int i = 0; i < size; ++i) {
    CoreId piece = builder.reshape(builder.slice(g, rank, i, 1, 1), shape);
    piece = spaced(call, piece, dim, step);
    const Int before = i * gap;
    placed.push_back(
        padded(call, piece, dim, before, whole - before - builder.shape(piece)[dim], 0));
  }
  return tensor_value(builder.linear(placed, std::vector<Rational>(placed.size(), Rational(1))));
}

struct Weighted {
  Int row;
  Rational weight;
};
using Rows = std::vector<std::vector<Weighted>>;  // of each row of the result

constexpr Int kMostRows = 4096;
constexpr Int kMostWeights = 65536;  // of all rows of a result together

// How many windows a pooling has: where they may be cut off at the end (`cut`), none starts beyond
// the rows and the padding before them.
Int count_of_windows(const Call& call, Int rows, Int size, Int step, Int padding, Int gap,
                     bool cut) {
  if (size < 1 || step < 1 || padding < 0 || gap < 1) call.fail("no windows");
  const Int room = rows + 2 * padding - gap * (size - 1) - 1;
  if (room + (cut ? step - 1 : 0) < 0) call.fail("the window is larger than the tensor");
  const Int count = (room + (cut ? step - 1 : 0)) / step + 1;
  return cut && (count - 1) * step >= rows + padding ? count - 1 : count;
}

// Arguments first...: size, step, padding, whether windows may be cut off, and what the sum is
// divided by: "all" (the window with its padding), "inside" (its rows), "none".
Rows pooled_rows(const Call& call, size_t first, Int rows) {
  const Int size = call.integer(first), step = call.integer(first + 1),
            padding = call.integer(first + 2);
  const std::string& divisor = call.text(first + 4);
  const Int count = count_of_windows(call, rows, size, step, padding, 1, call.flag(first + 3));
  if (count > kMostRows) call.unsupported("more windows than 4096");
  if (count > 0 && std::min(size, rows) > kMostWeights / count)
    call.unsupported("windows of more than 65536 elements together");
  Rows result;
  for (Int i = 0; i < count; ++i) {
    const Int start = i * step - padding, end = std::min(start + size, rows + padding);
    const Int from = std::max<Int>(start, 0), to = std::min(end, rows);
    const Rational weight = divisor == "none"     ? Rational(1)
                            : divisor == "inside" ? Rational(1, std::max<Int>(to - from, 1))
                                                  : Rational(1, end - start);
    auto& row = result.emplace_back();
    for (Int at = from; at < to; ++at) row.push_back({at, weight});
  }
  return result;
}

// Bins of rows that overlap where their number does not divide: argument first.
Rows binned_rows(const Call& call, size_t first, Int rows) {
  const Int count = call.integer(first);
  if (rows < 1 || count < 0) call.fail("bins of nothing");
  if (count > kMostRows) call.unsupported("more bins than 4096");
  if (rows > kMostWeights - 2 * count)
    call.unsupported("bins of more than 65536 elements together");
  Rows result;
  for (Int i = 0; i < count; ++i) {
    const Int start = i * rows / count, end = ((i + 1) * rows + count - 1) / count;
    auto& row = result.emplace_back();
    for (Int at = start; at < end; ++at) row.push_back({at, Rational(1, end - start)});
  }
  return result;
}

// Arguments first...: how many rows, and the factor where it is given. Kernels compute places in
// single precision.
Rows nearest_rows(const Call& call, size_t first, Int rows, bool exact) {
  const Int count = call.integer(first);
  if (rows < 1 || count < 1) call.fail("rows of nothing");
  if (count > kMostRows || rows > kMostRows) call.unsupported("more rows than 4096");
  const bool given = call.has(first + 1) && call.number(first + 1) > 0;
  const auto distance = given ? static_cast<float>(1 / call.number(first + 1))
                              : static_cast<float>(Rational(rows).to_double()) /
                                    static_cast<float>(Rational(count).to_double());
  Rows result;
  float place = exact ? 0.5F : 0.0F;
  for (Int i = 0; i < count; ++i, place += 1) {
    const auto at = static_cast<Int>(std::floor(place * distance));
    result.push_back({{std::min(at, rows - 1), Rational(1)}});
  }
  return result;
}

// Arguments first...: how many rows, whether the first and last rows stay, the factor where it is
// given.
Rows linear_rows(Call& call, size_t first, Int rows) {
  const Int count = call.integer(first);
  const bool corners = call.flag(first + 1);
  if (rows < 1 || count < 1) call.fail("rows of nothing");
  if (count > kMostRows || rows > kMostRows) call.unsupported("more rows than 4096");
  const bool given = call.has(first + 2) && call.number(first + 2) > 0;
  const Rational between = corners ? (count > 1 ? Rational(rows - 1, count - 1) : Rational(0))
                           : given ? Rational(1) / call.coefficient(first + 2)
                                   : Rational(rows, count);
  const Rational half(1, 2);
  Rows result;
  for (Int i = 0; i < count; ++i) {
    Rational place = between * Rational(i);
    if (!corners) place = between * (Rational(i) + half) - half;
    if (place.is_negative()) place = Rational(0);
    const Int low = std::min(floor_divide(place.numerator(), place.denominator()), rows - 1);
    Rational share = place - Rational(low);
    if ((share - Rational(1)).is_positive()) share = Rational(1);
    if (low == rows - 1 || share.is_zero())
      result.push_back({{low, Rational(1)}});
    else
      result.push_back({{low, Rational(1) - share}, {low + 1, share}});
  }
  return result;
}

// Arguments first, first + 1: how many rows before and after.
Rows padded_rows(const Call& call, size_t first, Int rows, bool mirrored) {
  const Int before = call.integer(first), after = call.integer(first + 1);
  if (mirrored && (before >= rows || after >= rows)) call.fail("more is mirrored than there is");
  if (rows < 1 || before <= -rows || after <= -rows) call.fail("rows of nothing");
  if (before + after > kMostRows || rows > kMostRows) call.unsupported("more rows than 4096");
  Rows result;
  for (Int at = -before; at < rows + after; ++at) {
    Int row = std::clamp<Int>(at, 0, rows - 1);
    if (mirrored && at < 0) row = -at;
    if (mirrored && at >= rows) row = 2 * (rows - 1) - at;
    result.push_back({{row, Rational(1)}});
  }
  return result;
}

// Of the kind that argument `first` names, by what follows it.
Rows rows_of(Call& call, size_t first, Int rows) {
  const std::string& kind = call.text(first);
  if (kind == "pool") return pooled_rows(call, first + 1, rows);
  if (kind == "bins") return binned_rows(call, first + 1, rows);
  if (kind == "nearest") return nearest_rows(call, first + 1, rows, false);
  if (kind == "nearest_exact") return nearest_rows(call, first + 1, rows, true);
  if (kind == "linear") return linear_rows(call, first + 1, rows);
  if (kind == "mirror") return padded_rows(call, first + 1, rows, true);
  if (kind == "repeat") return padded_rows(call, first + 1, rows, false);
  call.fail(fmt::format("there is no kind '{}'", kind));
}

CoreId combined(Call& call, CoreId x, Int dim, const Rows& rows) {
  Builder& builder = call.builder();
  std::map<PlainInt, CoreId> slices;
  const auto row_at = [&](Int at) {
    const auto [found, fresh] = slices.emplace(static_cast<PlainInt>(at), kNone);
    if (fresh) found->second = builder.slice(x, dim, at, 1, 1);
    return found->second;
  };
  std::vector<CoreId> result;
  for (size_t i = 0; i < rows.size();) {
    const auto alone = [&](size_t at) {
      return rows[at].size() == 1 && rows[at][0].weight.is_one();
    };
    size_t end = i + 1;
    if (alone(i)) {  // rows that follow each other are one slice
      while (end < rows.size() && alone(end) && rows[end][0].row == rows[end - 1][0].row + 1) ++end;
      const auto count = static_cast<Int>(end - i);
      result.push_back(builder.slice(x, dim, rows[i][0].row, 1, count));
    } else if (rows[i].empty()) {
      Shape shape = builder.shape(x);
      shape[dim] = 1;
      result.push_back(builder.constant(Rational(0), builder.dtype(x), shape));
    } else {
      std::vector<CoreId> operands;
      std::vector<Rational> weights;
      for (const Weighted& one : rows[i]) {
        if (!is_floating(builder.dtype(x)) && !one.weight.is_integer())
          call.unsupported("fractions of integers");
        operands.push_back(row_at(one.row));
        weights.push_back(one.weight);
      }
      result.push_back(builder.linear(operands, weights));
    }
    i = end;
  }
  if (result.empty()) return builder.slice(x, dim, 0, 1, 0);
  return builder.cat(result, dim);
}

Value resample(Call& call) {
  Builder& builder = call.builder();
  const CoreId x = call.tensor(0);
  const Int dim = call.existing_dim(call.integer(1), builder.rank(x));
  return tensor_value(combined(call, x, dim, rows_of(call, 2, builder.shape(x)[dim])));
}

Value resample_backward(Call& call) {
  Builder& builder = call.builder();
  const CoreId g = call.tensor(0);
  const Int dim = call.existing_dim(call.integer(1), builder.rank(g)), rows = call.integer(2);
  if (rows < 1) call.fail("rows of nothing");
  if (rows > kMostRows) call.unsupported("more rows than 4096");
  const Rows forward = rows_of(call, 3, rows);
  if (static_cast<Int>(forward.size()) != builder.shape(g)[dim])
    call.fail(fmt::format("a gradient of {} rows, of {}", builder.shape(g)[dim], forward.size()));
  Rows backward(static_cast<size_t>(rows));
  for (size_t i = 0; i < forward.size(); ++i)
    for (const Weighted& one : forward[i])
      backward[static_cast<size_t>(one.row)].push_back({static_cast<Int>(i), one.weight});
  return tensor_value(combined(call, g, dim, backward));
}

Value window_count(Call& call) {
  return {count_of_windows(call, call.integer(0), call.integer(1), call.integer(2), call.integer(3),
                           call.integer(4), call.flag(5))};
}

constexpr Builtin kResampleBuiltins[] = {
    {"windows", 4, 5, windows, Effect::kParts,
     "windows(x, dim, size, step, gap=1): overlapping slices; a new last dimension counts their "
     "elements"},
    {"add_windows", 4, 5, add_windows, Effect::kSums,
     "add_windows(g, dim, rows, step, gap=1): the gradient of windows of so many rows"},
    {"window_count", 6, 6, window_count, Effect::kMakes,
     "window_count(rows, size, step, padding, gap, cut): how many a pooling has; cut: the last may "
     "be cut off"},
    {"resample", 4, 8, resample, Effect::kSums,
     "resample(x, dim, kind, ...): rows that are sums of rows. \"pool\", size, step, padding, cut, "
     "divisor (\"all\", \"inside\", \"none\"); \"bins\", count; \"nearest\" or \"nearest_exact\", "
     "count, factor; \"linear\", count, corners, factor; \"mirror\" or \"repeat\", before, after"},
    {"resample_backward", 5, 9, resample_backward, Effect::kSums,
     "resample_backward(g, dim, rows, kind, ...): its gradient, for so many rows"},
};

}  // namespace

std::span<const Builtin> resample_builtins() { return kResampleBuiltins; }

}  // namespace assay::lowering
