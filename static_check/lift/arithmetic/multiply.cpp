// Products, element by element: the same factors in any order are one atom.
#include <algorithm>

#include "static_check/algebra/layout.h"
#include "static_check/algebra/restriction.h"
#include "static_check/lift/operators.h"

namespace assay {

namespace {

bool restricts_hidden(const Lifting& lifting, const Term& term, AtomId other) {
  return std::any_of(term.restrictions.begin(), term.restrictions.end(), [&](const Restriction& r) {
    if (r.kind == Restriction::Kind::kMax) return true;
    return r.kind == Restriction::Kind::kBox && lifting.hides(other, r.label);
  });
}

// A product in which the same summed label runs on both sides would be quadratic in it: such a
// factor becomes a name, which `name` then holds.
const Term& factor(Lifting& lifting, const Term& term, AtomId other, const Shape& size, DType dtype,
                   Term& name) {
  if (!restricts_hidden(lifting, term, other)) return term;
  Tile tile;
  tile.terms.push_back(term);
  name = materialize(lifting, tile, size, dtype);
  return name;
}

bool order(const Term& a, const Term& b) {
  if (a.atom != b.atom) return a.atom < b.atom;
  return before(a, b);
}

Lifted product_of_two(Lifting& lifting, const Term& a, const Term& b, const Shape& size,
                      DType dtype) {
  const auto request = [&](const Term& x, const Term& y) {
    Request made;
    made.kind = Instance::Kind::kMul;
    made.dtype = dtype;
    made.operands = {{x.atom, x.layout.offset}, {y.atom, y.layout.offset}};
    const std::array<const Layout*, 2> layouts{&x.layout, &y.layout};
    add_parallel_labels(made, layouts, size);
    return made;
  };
  const bool swap = order(b, a);
  const Request first = swap ? request(b, a) : request(a, b);
  if (a.atom == b.atom) {
    // Two views of one atom have no canonical order of their own: a block of the mirrored product
    // is as good.
    if (auto known = lifting.find(first)) return std::move(*known);
    if (auto known = lifting.find(swap ? request(a, b) : request(b, a))) return std::move(*known);
  }
  return lifting.lift(first);
}

constexpr size_t kMostFactors = 8;

void add_factors(const Lifting& lifting, const Term& view, std::vector<Term>& factors) {
  if (lifting.is_instance(view.atom, Instance::Kind::kMul) && factors.size() < kMostFactors) {
    auto left = lifting.trace(view.atom, view.layout, 0);
    auto right = lifting.trace(view.atom, view.layout, 1);
    if (left && right) {
      const Instance& product = lifting.instance_of(view.atom);
      for (auto& [layout, operand] :
           {std::pair{&*left, size_t{0}}, std::pair{&*right, size_t{1}}}) {
        const Term factor = view_of(product.operands[operand].atom, std::move(*layout));
        add_factors(lifting, factor, factors);
      }
      return;
    }
  }
  factors.push_back(view);
}

// Products of the same factors are one atom, whatever the order in which they were multiplied: the
// older factors first. A one-hot comes last: sums over its classes and guards look for it there.
Lifted product(Lifting& lifting, const Term& a, const Term& b, const Shape& size, DType dtype) {
  const auto is_plain_factor = [&](const Term& term) {
    return !lifting.is_instance(term.atom, Instance::Kind::kMul) &&
           !lifting.is_map(term.atom, "reciprocal");
  };
  if (is_plain_factor(a) && is_plain_factor(b)) return product_of_two(lifting, a, b, size, dtype);
  std::vector<Term> factors;
  for (const Term* operand : {&a, &b})
    add_factors(lifting, view_of(operand->atom, operand->layout), factors);
  const size_t before = factors.size();
  // Of what is a part of its sum here, the whole is no factor.
  cancel_reciprocals(lifting, factors, [&](const Term& sum) {
    return !restricts_hidden(lifting, a, sum.atom) && !restricts_hidden(lifting, b, sum.atom);
  });
  if (factors.empty()) return {lifting.one(), broadcast(size), {}};
  const bool cancelled = factors.size() < before;
  if (!cancelled && (factors.size() == 2 || factors.size() > kMostFactors))
    return product_of_two(lifting, a, b, size, dtype);
  const auto is_one_hot = [&](const Term& factor) {
    return lifting.atom(factor.atom).kind == Atom::Kind::kOneHot;
  };
  std::sort(factors.begin(), factors.end(), [&](const Term& x, const Term& y) {
    return is_one_hot(x) != is_one_hot(y) ? is_one_hot(y) : order(x, y);
  });
  Lifted result{factors[0].atom, factors[0].layout, {}};
  for (size_t i = 1; i < factors.size(); ++i) {
    const Term left = view_of(result.atom, std::move(result.layout));
    result = product_of_two(lifting, left, factors[i], size, dtype);
  }
  return result;
}

bool is_known_product(Lifting& lifting, const Term& a, const Term& b, const Shape& size,
                      DType dtype) try {
  const Lifting::KnownOnly guard(lifting);
  product(lifting, a, b, size, dtype);
  return true;
} catch (const NotKnown&) {
  return false;
}

Term multiply_terms(Lifting& lifting, const Term& left, const Term& right, const Shape& size,
                    DType dtype) {
  Term names[2];
  const Term& a = factor(lifting, left, right.atom, size, dtype, names[0]);
  const Term& b = factor(lifting, right, a.atom, size, dtype, names[1]);
  Term result;
  result.coef = a.coef * b.coef;
  result.restrictions = a.restrictions;
  result.restrictions.insert(result.restrictions.end(), b.restrictions.begin(),
                             b.restrictions.end());
  if (!normalize(result.restrictions)) {
    result.coef = 0;
    return result;
  }
  if (a.atom == lifting.one() || b.atom == lifting.one()) {
    const Term& view = a.atom == lifting.one() ? b : a;
    result.atom = view.atom;
    result.layout = view.layout;
  } else {
    if (distributes(lifting, left, right, dtype) && !is_known_product(lifting, a, b, size, dtype)) {
      if (auto sum = distributed_product(lifting, left, right, size, dtype)) return std::move(*sum);
    }
    const Lifted lifted = product(lifting, a, b, size, dtype);
    result.atom = lifted.atom;
    result.layout = lifted.layout;
  }
  if (!absorb_guards(lifting, result)) result.coef = 0;
  return result;
}

// The tile, or what `made` then holds: an integer map by the name of its values.
const Tile& terms_of(Lifting& lifting, const Tile& tile, const Shape& size, DType dtype,
                     Tile& made) {
  if (tile.integer.empty()) return tile;
  made = tile;
  as_terms(lifting, made, size, dtype);
  return made;
}

// Products of sums with more products of terms than this are products of their names: else they
// multiply with every step.
constexpr size_t kMostProducts = 1024;

const Tile& named(Lifting& lifting, const Tile& tile, const Shape& size, DType dtype, Tile& made) {
  Tile name;
  name.terms.push_back(materialize(lifting, tile, size, dtype));
  made = std::move(name);
  return made;
}

std::vector<Term> products(Lifting& lifting, const Tile& left, const Tile& right, const Shape& size,
                           DType dtype) {
  std::vector<Term> terms;
  terms.reserve(left.terms.size() * right.terms.size());
  for (const Term& x : left.terms)
    for (const Term& y : right.terms) terms.push_back(multiply_terms(lifting, x, y, size, dtype));
  combine(terms);
  return terms;
}

}  // namespace

std::vector<Term> factors_of(const Lifting& lifting, const Term& view) {
  std::vector<Term> factors;
  add_factors(lifting, view, factors);
  return factors;
}

Value multiply(Lifting& lifting, const Value& a, const Value& b, DType dtype) {
  const Aligned operands(a, b);
  Value result;
  result.shape = a.shape;
  result.cuts = operands.first().cuts;
  result.tiles.resize(operands.first().tiles.size());
  for (size_t t = 0; t < result.tiles.size(); ++t) {
    const Shape size = tile_size(result, t);
    Tile made[2];
    const Tile* left = &terms_of(lifting, operands.first().tiles[t], size, dtype, made[0]);
    const Tile* right = &terms_of(lifting, operands.second().tiles[t], size, dtype, made[1]);
    for (int i = 0; i < 2 && left->terms.size() * right->terms.size() > kMostProducts; ++i) {
      const bool longer = left->terms.size() >= right->terms.size();
      (longer ? left : right) =
          &named(lifting, longer ? *left : *right, size, dtype, made[longer ? 0 : 1]);
    }
    try {
      result.tiles[t].terms = products(lifting, *left, *right, size, dtype);
    } catch (const RationalOverflow&) {  // a coefficient stays in the names of what it multiplies
      if (!is_floating(dtype)) throw;
      Tile names[2];
      const Tile& first = named(lifting, *left, size, dtype, names[0]);
      const Tile& second = named(lifting, *right, size, dtype, names[1]);
      result.tiles[t].terms = products(lifting, first, second, size, dtype);
    }
  }
  merge_tiles(result);
  return result;
}

Value product_of(Lifting& lifting, std::span<const Term> factors, const Shape& size, DType dtype) {
  if (factors.empty()) return single_term(size, view_of(lifting.one(), broadcast(size)));
  Value product = single_term(size, factors.front());
  for (const Term& factor : factors.subspan(1))
    product = multiply(lifting, product, single_term(size, factor), dtype);
  return product;
}

void name_long_coefficients(Lifting& lifting, Value& value, const Rational& factor, DType dtype) {
  if (factor.is_one()) return;
  for (size_t t = 0; t < value.tiles.size(); ++t) {
    Tile& tile = value.tiles[t];
    try {
      for (const Term& term : tile.terms) (void)(term.coef * factor);
    } catch (const RationalOverflow&) {
      Tile name;
      tile = named(lifting, tile, tile_size(value, t), dtype, name);
    }
  }
}

}  // namespace assay
