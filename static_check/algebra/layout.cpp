#include "static_check/algebra/layout.h"

#include <algorithm>

#include "shared_ir/base/error.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

namespace {

using Digits = InlineVector<Mode, 8>;  // of a whole layout

template <typename List>
void coalesce_list(List& modes) {
  size_t kept = 0;
  for (const Mode& mode : modes) {
    if (mode.size == 1) continue;
    if (kept > 0 && modes[kept - 1].stride == mode.size * mode.stride) {
      modes[kept - 1] = {modes[kept - 1].size * mode.size, mode.stride};
    } else {
      modes[kept++] = mode;
    }
  }
  modes.resize(kept);
}

}  // namespace

void coalesce(Modes& modes) { coalesce_list(modes); }

Layout row_major(const Shape& shape) {
  Layout layout;
  layout.dims.resize(shape.size());
  Int stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] != 1) layout.dims[d] = {{shape[d], stride}};
    stride *= shape[d];
  }
  return layout;
}

Layout broadcast(const Shape& shape, Int offset) {
  Layout layout;
  layout.offset = offset;
  layout.dims.resize(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != 1) layout.dims[d] = {{shape[d], 0}};
  }
  return layout;
}

Int extent(const Modes& modes) {
  Int product = 1;
  for (const Mode& mode : modes) product *= mode.size;
  return product;
}

Int address(const Modes& modes, Int x) {
  Int sum = 0;
  for (size_t i = modes.size(); i-- > 0;) {
    sum += (x % modes[i].size) * modes[i].stride;
    x /= modes[i].size;
  }
  return sum;
}

namespace {

// Modes that move, finest first.
Digits moving_modes(const Layout& layout) {
  Digits modes;
  for (const auto& dim : layout.dims) {
    for (const Mode& mode : dim) {
      if (mode.size > 1 && mode.stride > 0) modes.push_back(mode);
    }
  }
  std::sort(modes.begin(), modes.end(),
            [](const Mode& a, const Mode& b) { return a.stride < b.stride; });
  return modes;
}

// The values of (address / stride) % radix; nullopt where a finer or coarser mode would change
// them.
std::optional<Interval> digit_range(Int offset, const Digits& modes, Int stride, Int radix) {
  Int below = offset % stride, digit = offset / stride % radix;
  const Int first = digit;
  for (const Mode& mode : modes) {
    if (mode.stride < stride) {
      below += (mode.size - 1) * mode.stride;
    } else if (mode.stride % stride != 0) {
      return std::nullopt;
    } else if (mode.stride / stride < radix) {
      digit += (mode.size - 1) * (mode.stride / stride);
    } else if (mode.stride / stride % radix != 0) {
      return std::nullopt;
    }
  }
  if (below >= stride || digit >= radix) return std::nullopt;
  return Interval{first, digit + 1};
}

}  // namespace

bool is_injective(const Layout& layout) {
  for (const auto& dim : layout.dims) {
    for (const Mode& mode : dim) {
      if (mode.size > 1 && mode.stride == 0) return false;
    }
  }
  Int reach = 0;
  for (const Mode& mode : moving_modes(layout)) {
    if (mode.stride <= reach) return false;
    reach += (mode.size - 1) * mode.stride;
  }
  return true;
}

bool disjoint(const Layout& a, const Layout& b) {
  const Digits modes_a = moving_modes(a), modes_b = moving_modes(b);
  std::vector<Int> strides{1};
  for (const auto* modes : {&modes_a, &modes_b}) {
    for (const Mode& mode : *modes) {
      strides.push_back(mode.stride);
      strides.push_back(mode.stride * mode.size);
    }
  }
  const Int whole = std::max(last_address(a), last_address(b)) + 1;
  for (const Int stride : strides) {
    for (const Int next : strides) {
      const Int radix = next > stride && next % stride == 0 ? next / stride : whole;
      const auto x = digit_range(a.offset, modes_a, stride, radix);
      const auto y = digit_range(b.offset, modes_b, stride, radix);
      if (x && y && (x->hi <= y->lo || y->hi <= x->lo)) return true;
    }
  }
  return false;
}

bool covers(const Layout& all, const Layout& some) {
  Int rest = some.offset - all.offset;
  if (rest < 0) return false;
  struct Digit {
    Mode of;
    Int last;  // that `some` reaches
  };
  std::vector<Digit> digits;  // the coarsest last, neighbours that continue each other joined
  for (const Mode& mode : moving_modes(all)) {
    if (!digits.empty() && mode.stride == digits.back().of.stride * digits.back().of.size)
      digits.back().of.size *= mode.size;
    else
      digits.push_back({mode, 0});
  }
  for (size_t i = digits.size(); i-- > 0;) {
    digits[i].last = std::min(rest / digits[i].of.stride, digits[i].of.size - 1);
    rest -= digits[i].last * digits[i].of.stride;
  }
  if (rest != 0) return false;
  for (const Mode& mode : moving_modes(some)) {
    const auto digit = std::find_if(digits.rbegin(), digits.rend(), [&](const Digit& one) {
      return mode.stride % one.of.stride == 0;
    });
    if (digit == digits.rend()) return false;
    digit->last += (mode.size - 1) * (mode.stride / digit->of.stride);
  }
  return std::all_of(digits.begin(), digits.end(),
                     [](const Digit& digit) { return digit.last < digit.of.size; });
}

Int last_address(const Layout& layout) {
  Int last = layout.offset;
  for (const auto& modes : layout.dims) {
    for (const Mode& mode : modes) last += (mode.size - 1) * mode.stride;
  }
  return last;
}

namespace {

// Cuts of [start, start + count) in the digits modes[first..]; `base` shifts them to the whole
// dimension's coordinates.
void collect_cuts(const Modes& modes, size_t first, Int start, Int count, Int base,
                  std::vector<Int>& cuts) {
  if (modes.size() - first <= 1 || count <= 1) return;
  Int inner = 1;
  for (size_t i = first + 1; i < modes.size(); ++i) inner *= modes[i].size;
  const Int end = start + count;
  const Int head = start / inner, tail = (end - 1) / inner;
  if (head == tail)
    return collect_cuts(modes, first + 1, start - head * inner, count, base + head * inner, cuts);
  if (start % inner != 0) {
    const Int cut = (head + 1) * inner;
    collect_cuts(modes, first + 1, start - head * inner, cut - start, base + head * inner, cuts);
    cuts.push_back(base + cut);
  }
  if (end % inner != 0) {
    const Int cut = tail * inner;
    if (cuts.empty() || cuts.back() != base + cut) cuts.push_back(base + cut);
    collect_cuts(modes, first + 1, 0, end - cut, base + cut, cuts);
  }
}

Modes slice_modes(const Modes& modes, Int start, Int count) {
  Modes result;
  Int inner = extent(modes);
  for (size_t i = 0; i < modes.size(); ++i) {
    inner /= modes[i].size;
    if (start / inner == (start + count - 1) / inner) {
      start %= inner;
      continue;
    }
    ASSAY_CHECK(start % inner == 0 && count % inner == 0, "a slice crosses digits unevenly");
    result.push_back({count / inner, modes[i].stride});
    result.insert(result.end(), modes.begin() + static_cast<ptrdiff_t>(i) + 1, modes.end());
    break;
  }
  coalesce(result);
  return result;
}

}  // namespace

bool contains(std::span<const Int> dims, size_t dim) {
  return std::find(dims.begin(), dims.end(), static_cast<Int>(dim)) != dims.end();
}

Shape drop_dims(const Shape& shape, std::span<const Int> dims) {
  Shape kept;
  for (size_t d = 0; d < shape.size(); ++d)
    if (!contains(dims, d)) kept.push_back(shape[d]);
  return kept;
}

Layout drop_dims(const Layout& layout, std::span<const Int> dims) {
  Layout kept;
  kept.offset = layout.offset;
  for (size_t d = 0; d < layout.dims.size(); ++d)
    if (!contains(dims, d)) kept.dims.push_back(layout.dims[d]);
  return kept;
}

bool varies(const Layout& layout, std::span<const Int> dims) {
  return std::any_of(dims.begin(), dims.end(), [&](Int d) {
    const Modes& modes = layout.dims[static_cast<size_t>(d)];
    return std::any_of(modes.begin(), modes.end(),
                       [](const Mode& mode) { return mode.stride != 0; });
  });
}

std::vector<Int> slice_cuts(const Modes& modes, Int start, Int count) {
  std::vector<Int> cuts;
  collect_cuts(modes, 0, start, count, 0, cuts);
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

void slice(Layout& layout, Int dim, Int start, Int count) {
  auto& modes = layout.dims[static_cast<size_t>(dim)];
  layout.offset += address(modes, start);
  modes = slice_modes(modes, start, count);
}

std::optional<Layout> stride_by(const Layout& layout, Int dim, Int step, Int count) {
  Layout result = layout;
  auto& modes = result.dims[static_cast<size_t>(dim)];
  if (step == 1 || count == 1) {
    slice(result, dim, 0, count);
    return result;
  }
  if (modes.size() == 1) {
    modes[0] = {count, modes[0].stride * step};
    return result;
  }
  Mode inner = modes.back();
  if (inner.size % step != 0 || count % (inner.size / step) != 0) return std::nullopt;
  inner = {inner.size / step, inner.stride * step};
  modes.pop_back();
  modes = slice_modes(modes, 0, count / inner.size);
  modes.push_back(inner);
  coalesce(modes);
  return result;
}

Layout permute(const Layout& layout, std::span<const Int> dims) {
  Layout result;
  result.offset = layout.offset;
  result.dims.reserve(dims.size());
  for (Int d : dims) result.dims.push_back(layout.dims[static_cast<size_t>(d)]);
  return result;
}

std::optional<Layout> reshape(const Layout& layout, const Shape& shape) {
  Digits digits;  // taken from the back
  for (const auto& modes : layout.dims)
    for (const Mode& mode : modes) digits.push_back(mode);
  coalesce_list(digits);  // a digit may go on in the next dimension
  Layout result;
  result.offset = layout.offset;
  result.dims.resize(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    Int needed = shape[d];
    auto& modes = result.dims[d];
    while (needed > 1) {
      if (digits.empty()) return std::nullopt;
      Mode& digit = digits.back();
      if (needed % digit.size == 0) {
        modes.insert(modes.begin(), digit);
        needed /= digit.size;
        digits.pop_back();
      } else if (digit.size % needed == 0) {
        modes.insert(modes.begin(), {needed, digit.stride});
        digit = {digit.size / needed, digit.stride * needed};
        needed = 1;
      } else {
        return std::nullopt;
      }
    }
    coalesce(modes);
  }
  if (!digits.empty()) return std::nullopt;
  return result;
}

void expand(Layout& layout, Int dim, Int size) {
  if (size != 1) layout.dims[static_cast<size_t>(dim)] = {{size, 0}};
}

std::optional<Layout> join(const Layout& first, Int first_size, const Layout& second,
                           Int second_size, Int dim) {
  for (size_t d = 0; d < first.dims.size(); ++d) {
    if (d != static_cast<size_t>(dim) && first.dims[d] != second.dims[d]) return std::nullopt;
  }
  const Int gap = second.offset - first.offset;
  if (gap < 0) return std::nullopt;
  // Read each side as `count` repetitions of a shared inner block at distance `gap / first count`.
  const auto& a = first.dims[static_cast<size_t>(dim)];
  const auto& b = second.dims[static_cast<size_t>(dim)];
  const auto try_block = [&](Int a_count, Modes inner, Int b_count,
                             Int stride) -> std::optional<Layout> {
    if (gap != a_count * stride) return std::nullopt;
    Layout result = first;
    auto& modes = result.dims[static_cast<size_t>(dim)];
    modes = std::move(inner);
    modes.insert(modes.begin(), {a_count + b_count, stride});
    coalesce(modes);
    return result;
  };
  const Modes a_inner(a.empty() ? a.begin() : a.begin() + 1, a.end());
  const Modes b_inner(b.empty() ? b.begin() : b.begin() + 1, b.end());
  if (!a.empty() && !b.empty() && a_inner == b_inner && a[0].stride == b[0].stride) {
    if (auto joined = try_block(a[0].size, a_inner, b[0].size, a[0].stride)) return joined;
  }
  if (!a.empty() && a_inner == b) {
    if (auto joined = try_block(a[0].size, b, 1, a[0].stride)) return joined;
  }
  if (!b.empty() && b_inner == a) {
    if (auto joined = try_block(1, a, b[0].size, b[0].stride)) return joined;
  }
  if (first_size == second_size && a == b) return try_block(1, a, 1, gap);
  return std::nullopt;
}

std::optional<std::vector<Modes>> common_digits(std::span<const Modes* const> operands) {
  const size_t count = operands.size();
  std::vector<Modes> result(count), left(count);
  for (size_t i = 0; i < count; ++i) left[i] = *operands[i];
  // Peel the smallest innermost digit off every operand, inner to outer.
  while (true) {
    Int size = 0;
    for (const auto& modes : left) {
      if (!modes.empty()) size = size == 0 ? modes.back().size : std::min(size, modes.back().size);
    }
    if (size == 0) break;
    for (size_t i = 0; i < count; ++i) {
      if (left[i].empty()) return std::nullopt;
      Mode& inner = left[i].back();
      if (inner.size % size != 0) return std::nullopt;
      result[i].push_back({size, inner.stride});
      inner = {inner.size / size, inner.stride * size};
      if (inner.size == 1) left[i].pop_back();
    }
  }
  for (auto& modes : result) std::reverse(modes.begin(), modes.end());
  return result;
}

}  // namespace assay
