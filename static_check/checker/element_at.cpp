#include "static_check/checker/element_at.h"

#include <algorithm>
#include <set>

#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/arithmetic/definitions.h"
#include "static_check/checker/facts/instances.h"

namespace assay::checker {
namespace {

void check_layout(const Facts& facts, const Layout& layout, AtomId atom, const Shape& extents) {
  if (!facts.valid(atom)) throw Rejection{"a term of no atom"};
  if (layout.dims.size() != extents.size())
    throw Rejection{"a layout of another number of dimensions"};
  Modes digits;
  for (size_t d = 0; d < extents.size(); ++d) {
    Int extent = 1;
    for (const Mode& mode : layout.dims[d]) {
      if (mode.size < 1 || extent > extents[d] / mode.size)
        throw Rejection{"a layout of another extent"};
      extent *= mode.size;
      digits.push_back(mode);
    }
    if (extent != extents[d]) throw Rejection{"a layout of another extent"};
  }
  if (!addresses_fit(layout.offset, digits, facts.atom(atom).size))
    throw Rejection{"an address outside of atom " + std::to_string(atom)};
}

void check_tile(const Facts& facts, const Tile& tile, const Shape& extents) {
  if (tile.integer.size() > 1 || (!tile.integer.empty() && !tile.terms.empty()))
    throw Rejection{"a tile that is both a sum and an integer map"};
  for (const Term& term : tile.terms) {
    check_layout(facts, term.layout, term.atom, extents);
    for (const Restriction& restriction : term.restrictions) {
      facts.check_restriction(term.atom, restriction);
      if (restriction.kind == Restriction::Kind::kGuard)
        check_layout(facts, restriction.where, restriction.atom, extents);
    }
  }
  for (const PiecewiseAffine& map : tile.integer) {
    check_layout(facts, map.layout, map.atom, extents);
    if (!facts.integral(map.atom)) throw Rejection{"an integer map of what is no integer"};
    if (!well_formed(map.pieces)) throw Rejection{"pieces that are no function of all integers"};
  }
}

Affine address(const Region& region, const Layout& layout, const std::vector<Affine>& coords) {
  Affine address{layout.offset, {}};
  for (size_t d = 0; d < layout.dims.size(); ++d) {
    Affine rest = coords[d];
    Int inner = 1;
    for (const Mode& mode : layout.dims[d]) inner *= mode.size;
    for (const Mode& mode : layout.dims[d]) {
      inner /= mode.size;
      Affine digit = rest;
      if (inner > 1) std::tie(digit, rest) = divide(region, rest, inner);
      address = plus(address, times(digit, mode.stride));
    }
  }
  return address;
}

// The element that every factor and guard of the sum reads; nullopt when they read several or the
// sum is no such function.
std::optional<Factor> only_element(const Facts& facts, const Sum& sum) {
  Factor only{kNone, {}};
  const auto add = [&](const Factor& factor) {
    if (!facts.integral(factor.atom) || (only.atom != kNone && only != factor)) return false;
    only = factor;
    return true;
  };
  for (const Product& product : sum) {
    if (product.factors.size() > 1 || !product.boxes.empty() || !product.coef.is_integer())
      return std::nullopt;
    for (const Factor& factor : product.factors)
      if (!add(factor)) return std::nullopt;
    for (const Guard& guard : product.guards)
      if (!add(guard.element)) return std::nullopt;
  }
  return only;
}

}  // namespace

Sum as_sum(const Element& element) {
  return element.integer ? guarded(element.integer->of, element.integer->pieces) : element.sum;
}

std::optional<IntegerMap> as_integer(const Facts& facts, const Region& region,
                                     const Element& element) {
  if (element.integer) {
    IntegerMap map = *element.integer;
    const bool constant = map.pieces.size() == 1 && map.pieces[0].a == 0;
    map.of = constant ? Factor{kNone, {}} : Factor{facts.canonical(map.of.atom), map.of.index};
    return map;
  }
  Sum sum;
  for (Product product : element.sum)
    if (normalise(facts, region, product)) sum.push_back(std::move(product));
  const std::optional<Factor> of = only_element(facts, sum);
  if (!of) return std::nullopt;
  std::set<Int> edges{INT64_MIN, INT64_MAX};
  for (const Product& product : sum)
    for (const Guard& guard : product.guards)
      for (const Interval& in : guard.in) edges.insert({in.lo, in.hi});
  IntegerMap map{*of, {}};
  for (auto edge = edges.begin(); std::next(edge) != edges.end(); ++edge) {
    PiecewiseAffine::Piece piece{{*edge, *std::next(edge)}, 0, 0};
    for (const Product& product : sum) {
      const bool holds =
          std::all_of(product.guards.begin(), product.guards.end(),
                      [&](const Guard& guard) { return !intersect(guard.in, {piece.x}).empty(); });
      if (holds) (product.factors.empty() ? piece.b : piece.a) += product.coef.numerator();
    }
    map.pieces.push_back(piece);
  }
  return map;
}

void check_value(const Facts& facts, const Value& value, const Shape& shape) {
  if (value.shape != shape || value.cuts.size() != shape.size())
    throw Rejection{"a claim of another shape"};
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return;  // nothing is claimed
  size_t tiles = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    const Cuts& cuts = value.cuts[d];
    if (cuts.size() < 2 || cuts.front() != 0 || cuts.back() != shape[d] ||
        std::adjacent_find(cuts.begin(), cuts.end(), std::greater_equal<>()) != cuts.end())
      throw Rejection{"cuts that do not tile the tensor"};
    tiles *= cuts.size() - 1;
  }
  if (tiles != value.tiles.size()) throw Rejection{"a number of tiles that is not its grid's"};
  for (size_t tile = 0; tile < tiles; ++tile) {
    Shape extents(shape.size());
    size_t rest = tile;
    for (size_t d = shape.size(); d-- > 0;) {
      const size_t cell = rest % (value.cuts[d].size() - 1);
      rest /= value.cuts[d].size() - 1;
      extents[d] = value.cuts[d][cell + 1] - value.cuts[d][cell];
    }
    check_tile(facts, value.tiles[tile], extents);
  }
}

Element element_at(const Region& region, const Value& value, const std::vector<Affine>& coords) {
  size_t index = 0;
  std::vector<Affine> local(coords.size());
  for (size_t d = 0; d < coords.size(); ++d) {
    const size_t cell = locate(region, coords[d], value.cuts[d]);
    index = index * (value.cuts[d].size() - 1) + cell;
    local[d] = shifted(coords[d], -value.cuts[d][cell]);
  }
  const Tile& tile = value.tiles[index];
  Element element;
  if (!tile.integer.empty()) {
    const PiecewiseAffine& map = tile.integer.front();
    element.integer = IntegerMap{{map.atom, address(region, map.layout, local)}, map.pieces};
    return element;
  }
  for (const Term& term : tile.terms) {
    Product product{term.coef, {{term.atom, address(region, term.layout, local)}}, {}, {}};
    for (const Restriction& restriction : term.restrictions) {
      if (restriction.kind == Restriction::Kind::kGuard)
        product.guards.push_back(
            {{restriction.atom, address(region, restriction.where, local)}, restriction.intervals});
      else
        product.boxes.push_back({restriction.label, restriction.stride, restriction.radix,
                                 restriction.kind == Restriction::Kind::kMax,
                                 restriction.intervals});
    }
    element.sum.push_back(std::move(product));
  }
  return element;
}

Affine row_major(const Shape& shape, const std::vector<Affine>& coords) {
  Affine index;
  for (size_t d = 0; d < shape.size(); ++d) index = plus(times(index, shape[d]), coords[d]);
  return index;
}

std::vector<Affine> from_row_major(const Region& region, const Shape& shape, const Affine& index) {
  std::vector<Affine> coords(shape.size());
  Affine rest = index;
  for (size_t d = shape.size(); d-- > 0;)
    if (shape[d] != 1) std::tie(rest, coords[d]) = divide(region, rest, shape[d]);
  return coords;
}

Sum evaluate(const CleanExpr& expr, const Region& region, const std::vector<Affine>& coords,
             const LeafShape& shape_of, const LeafElement& leaf) {
  const auto operand = [&](size_t i, const std::vector<Affine>& at) {
    return evaluate(expr.operands[i], region, at, shape_of, leaf);
  };
  const auto shape = [&](const CleanExpr& of) { return infer_shape(of, shape_of, {}); };
  const auto dim = static_cast<size_t>(expr.dim);
  std::vector<Affine> at = coords;
  switch (expr.kind) {
    case CleanExpr::Kind::kTensor:
      return leaf(expr, region, coords);
    case CleanExpr::Kind::kConcat: {
      std::vector<Int> starts{0};
      for (const CleanExpr& piece : expr.operands)
        starts.push_back(starts.back() + shape(piece)[dim]);
      const size_t piece = locate(region, coords[dim], starts);
      at[dim] = shifted(coords[dim], -starts[piece]);
      return operand(piece, at);
    }
    case CleanExpr::Kind::kSlice:
      at[dim] = shifted(coords[dim], expr.start);
      return operand(0, at);
    case CleanExpr::Kind::kSum: {
      Sum sum;
      for (size_t i = 0; i < expr.operands.size(); ++i)
        for (Product& product : operand(i, coords)) sum.push_back(std::move(product));
      return sum;
    }
    case CleanExpr::Kind::kPermute:
      for (size_t d = 0; d < coords.size(); ++d) at[static_cast<size_t>(expr.dims[d])] = coords[d];
      return operand(0, at);
    case CleanExpr::Kind::kReshape:
      return operand(0,
                     from_row_major(region, shape(expr.operands[0]), row_major(expr.dims, coords)));
    case CleanExpr::Kind::kPad: {
      const Int extent = shape(expr.operands[0])[dim];
      const std::vector<Int> starts{-1, expr.start, expr.start + extent,
                                    expr.start + extent + expr.end + 1};
      if (locate(region, coords[dim], starts) != 1) return {};
      at[dim] = shifted(coords[dim], -expr.start);
      return operand(0, at);
    }
    case CleanExpr::Kind::kScale: {
      Sum sum = operand(0, coords);
      for (Product& product : sum)
        product.coef = product.coef * Rational(expr.numerator, expr.denominator);
      return sum;
    }
  }
  return {};
}

}  // namespace assay::checker
