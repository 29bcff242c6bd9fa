#include "static_check/cover/pieces.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/layout.h"

namespace assay {

CleanExpr make_slice(CleanExpr expr, Int dim, Int start, Int end, Int size) {
  if (start == 0 && end == size) return expr;
  CleanExpr result;
  result.kind = CleanExpr::Kind::kSlice;
  result.dim = dim;
  result.start = start;
  result.end = end;
  result.operands.push_back(std::move(expr));
  return result;
}

CleanExpr make_concat(std::vector<CleanExpr> operands, Int dim) {
  std::vector<CleanExpr> flat;
  for (CleanExpr& operand : operands) {
    if (operand.kind == CleanExpr::Kind::kConcat && operand.dim == dim) {
      std::move(operand.operands.begin(), operand.operands.end(), std::back_inserter(flat));
    } else {
      flat.push_back(std::move(operand));
    }
  }
  if (flat.size() == 1) return std::move(flat[0]);
  CleanExpr result;
  result.kind = CleanExpr::Kind::kConcat;
  result.dim = dim;
  result.operands = std::move(flat);
  return result;
}

namespace {

// Slices of one tensor, inside out.
struct Cut {
  const CleanExpr* tensor = nullptr;
  std::map<Int, std::pair<Int, Int>> range;  // by dimension that is cut: [start, end)
};

std::optional<Cut> as_cut(const CleanExpr& expr) {
  Cut cut;
  const CleanExpr* inner = &expr;
  for (; inner->kind == CleanExpr::Kind::kSlice; inner = &inner->operands[0])
    if (!cut.range.emplace(inner->dim, std::pair(inner->start, inner->end)).second)
      return std::nullopt;
  if (inner->kind != CleanExpr::Kind::kTensor) return std::nullopt;
  cut.tensor = inner;
  return cut;
}

CleanExpr as_expr(const Cut& cut, const TensorSize& size_of) {
  CleanExpr expr = *cut.tensor;
  for (const auto& [dim, range] : cut.range)
    expr = make_slice(std::move(expr), dim, range.first, range.second, size_of(*cut.tensor, dim));
  return expr;
}

// Both as one where `next` goes on along `dim` where `cut` ends.
bool extend(Cut& cut, const Cut& next, Int dim) {
  if (*cut.tensor != *next.tensor || !cut.range.contains(dim) || !next.range.contains(dim) ||
      cut.range.at(dim).second != next.range.at(dim).first)
    return false;
  Cut both = cut;
  both.range.at(dim).second = next.range.at(dim).second;
  Cut other = next;
  other.range.at(dim) = both.range.at(dim);
  if (both.range != other.range) return false;
  cut = std::move(both);
  return true;
}

// Slices along `dim` of one tensor, each after the other, as one; nullopt when they are not.
std::optional<CleanExpr> joined_slices(const std::vector<const CleanExpr*>& slices, Int dim,
                                       const TensorSize& size_of) {
  auto all = as_cut(*slices.front());
  for (size_t i = 1; i < slices.size() && all; ++i) {
    const auto next = as_cut(*slices[i]);
    if (!next || !extend(*all, *next, dim)) return std::nullopt;
  }
  if (!all || !all->range.contains(dim)) return std::nullopt;
  return as_expr(*all, size_of);
}

}  // namespace

CleanExpr sum_of_wholes(CleanExpr expr, const TensorSize& size_of) {
  const auto is_sum = [&](const CleanExpr& operand) {
    return operand.kind == CleanExpr::Kind::kSum &&
           operand.operands.size() == expr.operands.front().operands.size();
  };
  if (expr.kind != CleanExpr::Kind::kConcat ||
      !std::all_of(expr.operands.begin(), expr.operands.end(), is_sum))
    return expr;
  std::vector<CleanExpr> terms;
  for (size_t i = 0; i < expr.operands.front().operands.size(); ++i) {
    std::vector<const CleanExpr*> slices;
    for (const CleanExpr& sum : expr.operands) slices.push_back(&sum.operands[i]);
    auto whole = joined_slices(slices, expr.dim, size_of);
    if (!whole) return expr;
    terms.push_back(std::move(*whole));
  }
  return make_sum(std::move(terms));
}

CleanExpr neighbours_joined(CleanExpr expr, const TensorSize& size_of) {
  for (CleanExpr& operand : expr.operands) operand = neighbours_joined(std::move(operand), size_of);
  if (expr.kind != CleanExpr::Kind::kConcat) return expr;
  std::vector<CleanExpr> joined;
  for (CleanExpr& operand : expr.operands) {
    if (!joined.empty()) {
      if (auto both = joined_slices({&joined.back(), &operand}, expr.dim, size_of)) {
        joined.back() = std::move(*both);
        continue;
      }
    }
    joined.push_back(std::move(operand));
  }
  return make_concat(std::move(joined), expr.dim);
}

CleanExpr make_sum(std::vector<CleanExpr> operands) {
  if (operands.size() == 1) return std::move(operands[0]);
  CleanExpr result;
  result.kind = CleanExpr::Kind::kSum;
  result.operands = std::move(operands);
  return result;
}

CleanExpr make_reshape(CleanExpr expr, const Shape& from, const Shape& to) {
  if (from == to) return expr;
  if (expr.kind == CleanExpr::Kind::kReshape) {
    expr.dims = to;
    return expr;
  }
  CleanExpr result;
  result.kind = CleanExpr::Kind::kReshape;
  result.dims = to;
  result.operands.push_back(std::move(expr));
  return result;
}

CleanExpr make_permute(CleanExpr expr, const std::vector<Int>& dims) {
  if (std::is_sorted(dims.begin(), dims.end())) return expr;
  CleanExpr result;
  result.kind = CleanExpr::Kind::kPermute;
  result.dims = dims;
  result.operands.push_back(std::move(expr));
  return result;
}

namespace {

struct Digit {
  size_t dim;
  Int size;
  Int stride;
};

// Digits with a stride, in logical order.
std::vector<Digit> digits_of(const Layout& layout) {
  std::vector<Digit> digits;
  for (size_t d = 0; d < layout.dims.size(); ++d) {
    for (const Mode& mode : layout.dims[d]) {
      if (mode.stride != 0) digits.push_back({d, mode.size, mode.stride});
    }
  }
  return digits;
}

// Coordinates, one a digit, of an address; nullopt when the digits do not reach it.
std::optional<std::vector<Int>> coordinates(const std::vector<Digit>& digits, Int address) {
  if (address < 0) return std::nullopt;
  std::vector<size_t> order(digits.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return digits[a].stride > digits[b].stride; });
  std::vector<Int> result(digits.size(), 0);
  for (size_t i : order) {
    result[i] = std::min(address / digits[i].stride, digits[i].size - 1);
    address -= result[i] * digits[i].stride;
  }
  if (address != 0) return std::nullopt;
  return result;
}

// Start of the view `inner` in the dimensions of the view `outer`, if inner = outer[start : start +
// size].
std::optional<Shape> slice_start(const Layout& outer, const Shape& outer_shape, const Layout& inner,
                                 const Shape& size) {
  if (outer.dims.size() != inner.dims.size()) return std::nullopt;
  const auto digits = digits_of(outer);
  const auto at = coordinates(digits, inner.offset - outer.offset);
  if (!at) return std::nullopt;
  Shape start(outer_shape.size(), 0);
  for (size_t d = 0, next = 0; d < outer.dims.size(); ++d) {
    for (const Mode& mode : outer.dims[d]) {
      start[d] = start[d] * mode.size + (mode.stride != 0 ? (*at)[next++] : 0);
    }
  }
  Layout sliced = outer;
  for (size_t d = 0; d < start.size(); ++d) {
    if (start[d] + size[d] > outer_shape[d]) return std::nullopt;
    if (!slice_cuts(sliced.dims[d], start[d], size[d]).empty()) return std::nullopt;
    slice(sliced, static_cast<Int>(d), start[d], size[d]);
  }
  if (!(sliced == inner)) return std::nullopt;
  return start;
}

CleanExpr slice_box(CleanExpr expr, const Shape& start, const Shape& size, const Shape& shape) {
  for (size_t d = 0; d < shape.size(); ++d) {
    expr = make_slice(std::move(expr), static_cast<Int>(d), start[d], start[d] + size[d], shape[d]);
  }
  return expr;
}

}  // namespace

std::optional<Piece> place_in_dims(const Layout& target, const Shape& target_shape,
                                   const Layout& candidate, const Shape& tile_start,
                                   const Shape& tile_size, const CleanExpr& leaf,
                                   const Shape& candidate_shape) {
  Piece piece;
  if (auto start = slice_start(target, target_shape, candidate, tile_size)) {
    piece.start = std::move(*start);
    piece.size = tile_size;
    piece.expr = slice_box(leaf, tile_start, tile_size, candidate_shape);
    return piece;
  }
  if (auto start = slice_start(candidate, tile_size, target, target_shape)) {
    piece.start.assign(target_shape.size(), 0);
    piece.size = target_shape;
    for (size_t d = 0; d < start->size(); ++d) (*start)[d] += tile_start[d];
    piece.expr = slice_box(leaf, *start, target_shape, candidate_shape);
    return piece;
  }
  return std::nullopt;
}

namespace {

// One digit of the candidate: `size` steps of `multiple` in target digit `target`.
struct Mapped {
  Int size;
  size_t target;
  Int multiple;
};

// The candidate's digits, split where they run through several target digits.
std::optional<std::vector<Mapped>> map_digits(const std::vector<Digit>& target,
                                              const Layout& candidate) {
  std::vector<Mapped> result;
  for (const auto& modes : candidate.dims) {
    std::vector<Mapped> inner_first;
    for (size_t m = modes.size(); m-- > 0;) {
      Mode mode = modes[m];
      if (mode.stride == 0) return std::nullopt;
      while (mode.size > 1) {
        size_t best = target.size();
        for (size_t j = 0; j < target.size(); ++j) {
          if (target[j].stride > mode.stride || mode.stride % target[j].stride != 0) continue;
          if ((mode.stride / target[j].stride) >= target[j].size) continue;
          if (best == target.size() || target[j].stride > target[best].stride) best = j;
        }
        if (best == target.size()) return std::nullopt;
        const Int multiple = mode.stride / target[best].stride;
        Int take = mode.size;
        if ((take - 1) * multiple >= target[best].size) {
          if (target[best].size % multiple != 0) return std::nullopt;
          take = target[best].size / multiple;
          if (take <= 1 || mode.size % take != 0) return std::nullopt;
        }
        inner_first.push_back({take, best, multiple});
        mode = {mode.size / take, mode.stride * take};
      }
    }
    result.insert(result.end(), inner_first.rbegin(), inner_first.rend());
  }
  return result;
}

}  // namespace

std::optional<Piece> place_in_digits(const Layout& target, const Shape& target_shape,
                                     const Layout& candidate, const Shape& tile_start,
                                     const Shape& tile_size, const CleanExpr& leaf,
                                     const Shape& candidate_shape, Axes& axes) {
  for (const auto& modes : target.dims) {
    if (std::any_of(modes.begin(), modes.end(), [](const Mode& m) { return m.stride == 0; }))
      return std::nullopt;
  }
  std::vector<Digit> digits = digits_of(target);
  auto mapped = map_digits(digits, candidate);
  if (!mapped) return std::nullopt;
  // Refine target digits at the multiples that the candidate steps by.
  std::vector<Digit> refined;
  for (size_t j = 0; j < digits.size(); ++j) {
    std::vector<Int> multiples{1, digits[j].size};
    for (const Mapped& m : *mapped) {
      if (m.target == j) multiples.push_back(m.multiple);
    }
    std::sort(multiples.begin(), multiples.end());
    multiples.erase(std::unique(multiples.begin(), multiples.end()), multiples.end());
    for (size_t i = multiples.size() - 1; i-- > 0;) {
      if (multiples[i + 1] % multiples[i] != 0) return std::nullopt;
      refined.push_back(
          {digits[j].dim, multiples[i + 1] / multiples[i], digits[j].stride * multiples[i]});
    }
  }
  const auto at = coordinates(refined, candidate.offset - target.offset);
  if (!at) return std::nullopt;
  Piece piece;
  piece.start = *at;
  piece.size.assign(refined.size(), 1);
  std::vector<size_t> axis_of;
  Shape split;
  for (const Mapped& m : *mapped) {
    const Int stride = digits[m.target].stride * m.multiple;
    const auto axis =
        static_cast<size_t>(std::find_if(refined.begin(), refined.end(),
                                         [&](const Digit& d) { return d.stride == stride; }) -
                            refined.begin());
    if (axis == refined.size() || piece.size[axis] != 1) return std::nullopt;
    piece.size[axis] = m.size;
    if (piece.start[axis] + m.size > refined[axis].size) return std::nullopt;
    axis_of.push_back(axis);
    split.push_back(m.size);
  }
  std::vector<Int> order(axis_of.size());
  std::iota(order.begin(), order.end(), Int{0});
  std::sort(order.begin(), order.end(), [&](Int a, Int b) {
    return axis_of[static_cast<size_t>(a)] < axis_of[static_cast<size_t>(b)];
  });
  Shape sorted;
  for (Int i : order) sorted.push_back(split[static_cast<size_t>(i)]);
  piece.expr = slice_box(leaf, tile_start, tile_size, candidate_shape);
  if (std::is_sorted(order.begin(), order.end())) {
    piece.expr = make_reshape(std::move(piece.expr), tile_size, piece.size);
  } else {
    piece.expr = make_reshape(std::move(piece.expr), tile_size, split);
    piece.expr = make_permute(std::move(piece.expr), order);
    piece.expr = make_reshape(std::move(piece.expr), sorted, piece.size);
  }
  axes.sizes.clear();
  for (const Digit& digit : refined) axes.sizes.push_back(digit.size);
  static_cast<void>(target_shape);
  return piece;
}

}  // namespace assay
