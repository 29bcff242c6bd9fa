// Reshapes: what no tile grid expresses gets a name, a concatenation of its pieces.
#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "static_check/algebra/layout.h"
#include "static_check/lift/operators.h"

namespace assay {

namespace {

// A value of so many tiles still takes milliseconds; one of few is kept apart rather than joined.
constexpr Int kMostElementsApart = 1024, kFewElements = 256;

// Multiples of what is joined share its name, where 64 bits hold the coefficients: by what all
// pieces are divided for that.
Rational factor_of(std::span<const Tile* const> pieces, DType dtype) {
  const std::vector<Term>& first = pieces.front()->terms;
  if (!is_floating(dtype) || first.empty()) return 1;
  const Rational factor = first.front().coef;
  try {
    for (const Tile* piece : pieces) {
      if (!piece->integer.empty()) return 1;
      for (const Term& term : piece->terms) (void)(term.coef / factor);
    }
  } catch (const RationalOverflow&) {
    return 1;
  }
  return factor;
}

Tile divided(Tile tile, const Rational& by) {
  if (!by.is_one())
    for (Term& term : tile.terms) term.coef = term.coef / by;
  return tile;
}

}  // namespace

Value join_dim(Lifting& lifting, const Value& value, Int dim, DType dtype) {
  const auto d = static_cast<size_t>(dim);
  if (value.cuts[d].size() == 2) return value;
  const size_t pieces = value.cuts[d].size() - 1;
  size_t inner = 1;
  for (size_t i = d + 1; i < value.cuts.size(); ++i) inner *= value.cuts[i].size() - 1;
  Value result = value;
  result.cuts[d] = {0, value.shape[d]};
  result.tiles.clear();
  const size_t count = tile_count(result);
  for (size_t t = 0; t < count; ++t) {
    const size_t first = t / inner * inner * pieces + t % inner;
    Request request;
    request.kind = Instance::Kind::kCat;
    request.dtype = dtype;
    std::vector<Term> terms;
    Shape cross;
    std::vector<const Tile*> joined;
    for (size_t p = 0; p < pieces; ++p) joined.push_back(&value.tiles[first + p * inner]);
    const Rational factor = factor_of(joined, dtype);
    for (size_t p = 0; p < pieces; ++p) {
      const size_t source = first + p * inner;
      const Shape size = tile_size(value, source);
      terms.push_back(materialize(lifting, divided(*joined[p], factor), size, dtype));
      request.operands.push_back({terms.back().atom, terms.back().layout.offset});
      request.piece_sizes.push_back(size[d]);
      cross = size;
    }
    cross[d] = 1;
    std::vector<Layout> across;
    for (const Term& term : terms) {
      across.push_back(term.layout);
      across.back().dims[d].clear();
    }
    std::vector<const Layout*> layouts;
    for (const Layout& layout : across) layouts.push_back(&layout);
    add_parallel_labels(request, layouts, cross);
    for (size_t p = 0; p < pieces; ++p) {
      for (const Mode& mode : terms[p].layout.dims[d]) {
        RequestLabel label;
        label.tag = InstanceLabel::Tag::kWhole;
        label.size = mode.size;
        label.strides = Strides(pieces, 0);
        label.strides[p] = mode.stride;
        label.spec_label = static_cast<int32_t>(p);
        request.labels.push_back(std::move(label));
      }
    }
    const Lifted lifted = lifting.lift(request);
    Term term = view_of(lifted.atom, lifted.layout);
    term.coef = factor;
    term.layout.dims[d] = {{value.shape[d], 1}};
    Tile tile;
    tile.terms.push_back(std::move(term));
    result.tiles.push_back(std::move(tile));
  }
  return result;
}

namespace {

// The reshaped value, whose cut dimensions are joined, innermost first, until a grid expresses it;
// nullopt where none does. At least one is.
std::optional<Value> reshape_joined(Lifting& lifting, const Value& value, const Shape& shape,
                                    DType dtype) {
  Value joined = value;
  for (size_t d = joined.shape.size(); d-- > 0;) {
    if (joined.cuts[d].size() == 2) continue;
    joined = join_dim(lifting, joined, static_cast<Int>(d), dtype);
    if (auto result = reshape(joined, shape)) return result;
  }
  return std::nullopt;
}

// Whether it takes a dimension of size 1 away: of one head, where the specification has several.
bool squeezes(const Shape& from, const Shape& to) {
  return to.size() < from.size() &&
         std::ranges::count(from, Int{1}) > std::ranges::count(to, Int{1});
}

// A rank's value may be small enough to keep its pieces apart where the specification has joined
// these, with those of other ranks: then it is a part of what was joined.
std::optional<Value> reshape_as_specified(Lifting& lifting, const Value& value, const Shape& shape,
                                          DType dtype) {
  const auto is_cut = [](const auto& cuts) { return cuts.size() > 2; };
  if (lifting.is_sequential() || std::ranges::none_of(value.cuts, is_cut)) return std::nullopt;
  const Lifting::KnownOnly known(lifting);
  try {
    auto joined = reshape_joined(lifting, value, shape, dtype);
    const auto is_part = [&](const Term& term) {
      return lifting.atom(term.atom).size > element_count(shape);
    };
    return joined && any_term(*joined, is_part) ? std::move(joined) : std::nullopt;
  } catch (const NotKnown&) {
  } catch (const NotLifted&) {
  }
  return std::nullopt;
}

}  // namespace

Value reshape_any(Lifting& lifting, const Value& value, const Shape& shape, DType dtype) {
  if (squeezes(value.shape, shape))
    if (auto result = reshape_as_specified(lifting, value, shape, dtype)) return std::move(*result);
  if (auto result = reshape(value, shape)) {
    merge_tiles(*result);
    return std::move(*result);
  }
  if (auto result = reshape_as_specified(lifting, value, shape, dtype)) return std::move(*result);
  if (element_count(shape) <= kFewElements) {
    Value apart = reshape_by_elements(value, shape);
    if (apart.tiles.size() <= 2 * value.tiles.size()) return apart;
  }
  if (auto result = reshape_joined(lifting, value, shape, dtype)) return std::move(*result);
  if (element_count(shape) <= kMostElementsApart) return reshape_by_elements(value, shape);
  throw NotLifted{"a reshape cuts a digit unevenly"};
}

}  // namespace assay
