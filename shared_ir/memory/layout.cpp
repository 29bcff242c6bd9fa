#include "shared_ir/memory/layout.h"

#include <algorithm>
#include <numeric>

#include "shared_ir/lower/build/sizes.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::memory {
namespace {

using Dimensions = std::vector<std::pair<Int, Int>>;  // stride and size

// Those of more than one element.
Dimensions dimensions_of(const Strided& layout) {
  Dimensions result;
  for (size_t i = 0; i < layout.sizes.size(); ++i)
    if (layout.sizes[i] != 1) result.emplace_back(layout.strides[i], layout.sizes[i]);
  return result;
}

bool is_empty(const Strided& layout) { return element_count(layout.sizes) == 0; }

Int last_place(const Strided& layout) {
  Int place = layout.offset;
  for (const auto& [stride, size] : dimensions_of(layout)) place += stride * (size - 1);
  return place;
}

// Strides of the same elements under other sizes, as PyTorch's view finds them: each run of
// dimensions that lies without gaps is cut anew.
std::optional<std::vector<Int>> reshaped(const Strided& layout, const Shape& to) {
  std::vector<Int> strides(to.size());
  if (element_count(to) == 0) return row_major(to).strides;
  Int at = static_cast<Int>(to.size()) - 1;
  Int run = 1, cut = 1;
  const auto rank = static_cast<Int>(layout.sizes.size());
  Int inner = rank == 0 ? Int{1} : layout.strides[rank - 1];
  for (Int i = rank - 1; i >= 0; --i) {
    run *= layout.sizes[i];
    const bool ends = i == 0 || (layout.sizes[i - 1] != 1 && layout.strides[i - 1] != run * inner);
    if (!ends) continue;
    while (at >= 0 && (cut < run || to[at] == 1)) {
      strides[at] = cut * inner;
      cut *= to[at];
      --at;
    }
    if (cut != run) return std::nullopt;
    if (i > 0) {
      inner = layout.strides[i - 1];
      run = 1;
      cut = 1;
    }
  }
  for (; at >= 0; --at) strides[at] = 1;  // a scalar's dimensions of size 1
  return strides;
}

// Coordinates of the first element along `strides`, largest first, and what is left of its offset;
// nullopt where the elements do not stay inside one step of the next larger stride.
struct Box {
  std::vector<std::pair<Int, Int>> ranges;  // start and size, by stride
  Int rest = 0;
};

std::optional<Box> box_of(const Strided& layout, const std::vector<Int>& strides) {
  Box box;
  box.rest = layout.offset;
  const Dimensions dimensions = dimensions_of(layout);
  for (size_t i = 0; i < strides.size(); ++i) {
    Int size = 1, found = 0;
    for (const auto& [stride, count] : dimensions)
      if (stride == strides[i]) size = count, ++found;
    if (found > 1) return std::nullopt;
    const Int start = box.rest / strides[i];
    box.rest = box.rest % strides[i];
    if (i > 0 && (start + size) * strides[i] > strides[i - 1]) return std::nullopt;
    box.ranges.emplace_back(start, size);
  }
  return box;
}

}  // namespace

Strided row_major(const Shape& sizes) {
  Strided layout{0, sizes, std::vector<Int>(sizes.size())};
  Int stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    layout.strides[i] = stride;
    stride = lowering::times(stride, std::max<Int>(sizes[i], 1));
  }
  return layout;
}

bool is_row_major(const Strided& layout) {
  return is_empty(layout) || are_same({0, layout.sizes, layout.strides}, row_major(layout.sizes));
}

std::optional<Strided> moved(Strided layout, const Movements& movements) {
  for (const Movement& movement : movements) {
    Strided next{layout.offset, movement.to, {}};
    switch (movement.prim) {
      case Prim::kPermute:
        for (const Int dim : movement.ints) next.strides.push_back(layout.strides[dim]);
        break;
      case Prim::kExpand:
        next.strides = layout.strides;
        for (size_t i = 0; i < next.sizes.size(); ++i)
          if (layout.sizes[i] != next.sizes[i]) next.strides[i] = 0;
        break;
      case Prim::kSlice:
        next.strides = layout.strides;
        next.offset += movement.ints[1] * layout.strides[movement.ints[0]];
        next.strides[movement.ints[0]] *= movement.ints[2];
        break;
      default: {
        auto strides = reshaped(layout, movement.to);
        if (!strides) return std::nullopt;
        next.strides = std::move(*strides);
      }
    }
    layout = std::move(next);
  }
  return layout;
}

std::optional<Movements> movements_to(const Strided& layout, const Shape& base) {
  const Int total = element_count(base);
  if (is_empty(layout) || layout.offset < 0 || last_place(layout) >= total) return std::nullopt;
  for (const auto& [stride, size] : dimensions_of(layout))
    if (stride < 1) return std::nullopt;
  std::vector<size_t> order(layout.sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return layout.strides[a] > layout.strides[b]; });
  // The innermost dimension is a run of its own; each other one cuts it into rows of its stride.
  Movements result = {{Prim::kReshape, {}, base, {total}}};
  Shape shape = {total};
  Int offset = layout.offset;
  const auto add = [&](Prim prim, std::vector<Int> ints, Shape to) {
    result.push_back({prim, std::move(ints), shape, to});
    shape = std::move(to);
  };
  std::vector<size_t> placed;
  for (size_t k = 0; k < order.size(); ++k) {
    const Int size = layout.sizes[order[k]], stride = layout.strides[order[k]];
    if (size == 1) continue;
    const auto last = static_cast<Int>(shape.size()) - 1;
    const bool innermost = std::all_of(order.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                                       order.end(), [&](size_t i) { return layout.sizes[i] == 1; });
    placed.push_back(order[k]);
    if (innermost) {
      if (offset + (size - 1) * stride >= shape[last]) return std::nullopt;
      Shape to = shape;
      to[last] = size;
      add(Prim::kSlice, {last, offset, stride}, to);
      offset = 0;
      break;
    }
    Int extent = 1;  // of one of its rows
    for (size_t i = k + 1; i < order.size(); ++i)
      extent += (layout.sizes[order[i]] - 1) * layout.strides[order[i]];
    const Int first = offset / stride;
    const bool aligned = shape[last] % stride == 0 && first + size <= shape[last] / stride &&
                         offset % stride + extent <= stride;
    if (!aligned) {
      // As many rows from the first element on, or from so far before it that the last row ends
      // with the memory.
      const Int before = std::max(Int{0}, offset + size * stride - shape[last]);
      if (before > offset || before + extent > stride) return std::nullopt;
      Shape part = shape;
      part[last] = size * stride;
      add(Prim::kSlice, {last, offset - before, 1}, part);
      offset = before;
    }
    Shape rows = shape;
    rows[last] = shape[last] / stride;
    rows.push_back(stride);
    add(Prim::kReshape, {}, rows);
    if (!aligned) continue;
    rows[last] = size;
    add(Prim::kSlice, {last, first, 1}, rows);
    offset = offset % stride;
  }
  if (placed.empty()) {
    add(Prim::kSlice, {0, offset, 1}, {1});
    add(Prim::kReshape, {}, layout.sizes);
    return result;
  }
  // Back in the order of the view's dimensions, then with those of size 1.
  std::vector<Int> dims(placed.size());
  std::iota(dims.begin(), dims.end(), Int{0});
  std::sort(dims.begin(), dims.end(), [&](Int a, Int b) { return placed[a] < placed[b]; });
  Shape permuted;
  for (const Int dim : dims) permuted.push_back(shape[dim]);
  add(Prim::kPermute, dims, permuted);
  add(Prim::kReshape, {}, layout.sizes);
  return result;
}

bool may_overlap_itself(const Strided& layout) {
  if (is_empty(layout)) return false;
  Dimensions dimensions = dimensions_of(layout);
  std::sort(dimensions.begin(), dimensions.end());
  Int reach = 0;  // of the smaller strides
  for (const auto& [stride, size] : dimensions) {
    if (stride <= reach) return true;
    reach += stride * (size - 1);
  }
  return false;
}

bool are_same(const Strided& a, const Strided& b) {
  return a.offset == b.offset && a.sizes == b.sizes && dimensions_of(a) == dimensions_of(b);
}

bool are_apart(const Strided& a, const Strided& b) {
  if (is_empty(a) || is_empty(b)) return true;
  if (last_place(a) < b.offset || last_place(b) < a.offset) return true;
  std::vector<Int> strides;
  for (const Strided* layout : {&a, &b})
    for (const auto& [stride, size] : dimensions_of(*layout)) {
      if (stride < 1) return false;
      strides.push_back(stride);
    }
  std::sort(strides.begin(), strides.end(), [](Int x, Int y) { return x > y; });
  strides.erase(std::unique(strides.begin(), strides.end()), strides.end());
  const std::optional<Box> box_a = box_of(a, strides), box_b = box_of(b, strides);
  if (!box_a || !box_b) return false;
  if (!strides.empty() && box_a->rest != box_b->rest) return true;
  for (size_t i = 0; i < strides.size(); ++i) {
    const auto& [start_a, size_a] = box_a->ranges[i];
    const auto& [start_b, size_b] = box_b->ranges[i];
    if (start_a + size_a <= start_b || start_b + size_b <= start_a) return true;
  }
  return false;
}

}  // namespace assay::memory
