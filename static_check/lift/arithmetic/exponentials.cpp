// exp, log and reciprocal in one normal form, so that values that are equal by
//   exp(a + b) = exp(a) exp(b), exp(log s) = s, 1 / (a b) = (1 / a) (1 / b), log(a / b) = log a -
//   log b
// are equal terms: quotients of views, over one denominator where they are summed. Log-sum-exp and
// softmax in parts are such values; lemmas/softmax.toml has their equations as lemmas. All of it
// for views that are known to be positive (signs.h); the others stay under their function.
#include <algorithm>

#include "static_check/algebra/restriction.h"
#include "static_check/lift/arithmetic/quotients.h"

namespace assay {
namespace {

// One tile of a value.
class Exponentials : TileArithmetic {
 public:
  using TileArithmetic::TileArithmetic;

  Tile apply(const std::string& fn, const Tile& of) {
    if (!of.integer.empty()) return map(fn, of);
    if (fn == "exp") return exp(of);
    if (fn == "log") return log(of);
    if (fn == "reciprocal") return reciprocal(of);
    return sigmoid(of);
  }

 private:
  // s where the term is log(s) or -log(s), s positive.
  std::optional<Term> of_log(const Term& term) const {
    const bool unit = term.coef.is_one() || (-term.coef).is_one();
    if (!unit || !term.restrictions.empty() || !lifting().is_map(term.atom, "log"))
      return std::nullopt;
    auto read = argument_of(lifting(), term);
    return read && lifting().sign(read->atom).positive ? read : std::nullopt;
  }

  // A finite maximum or minimum, or one that a clamp makes finite, by which exponents are shifted.
  bool is_shift(const Term& term) const {
    const bool unit = term.coef.is_one() || (-term.coef).is_one();
    const bool clamp = lifting().is_instance(term.atom, Instance::Kind::kMap) &&
                       lifting().instance_of(term.atom).fn.starts_with("clamp(");
    const bool extremum = lifting().is_instance(term.atom, Instance::Kind::kMax) ||
                          lifting().is_instance(term.atom, Instance::Kind::kMin) ||
                          lifting().is_map(term.atom, "maximum") ||
                          lifting().is_map(term.atom, "minimum") || clamp;
    // The clamp of minus infinity is so far below that its exponential is 0 in floating point.
    const auto clamped = clamp ? argument_of(lifting(), term) : std::nullopt;
    if (clamp && !(clamped && lifting().sign(clamped->atom).finite)) return false;
    return unit && extremum && lifting().sign(term.atom).finite &&
           all_are(term.restrictions, Restriction::Kind::kMax);
  }

  // exp of the term, where it is a factor of its own.
  std::optional<Tile> factor(const Term& term) {
    Tile positive;
    if (const auto read = of_log(term)) {
      positive = tile(*read);
    } else if (is_shift(term)) {
      Term view = term;
      view.coef = 1;
      positive = map("exp", tile(view));
    } else {
      return std::nullopt;
    }
    return term.coef.is_one() ? positive : reciprocal(positive);
  }

  Tile exp(const Tile& of) {
    if (of.terms.empty()) return one();
    Tile result = one(), rest;
    for (const Term& term : unfold_names(lifting(), of.terms)) {
      if (const auto made = factor(term))
        result = times(result, *made);
      else
        rest.terms.push_back(term);
    }
    if (rest.terms.empty()) return result;
    if (result == one()) return map("exp", of);
    return times(result, map("exp", named(std::move(rest))));
  }

  Tile sigmoid(const Tile& of) {
    const std::vector<Term> terms = unfold_names(lifting(), of.terms);
    if (terms.empty() || !std::all_of(terms.begin(), terms.end(),
                                      [&](const Term& term) { return of_log(term).has_value(); }))
      return map("sigmoid", of);
    return reciprocal(plus(one(), exp(scaled({terms, {}}, -1))));
  }

  Tile log(const Tile& of) {
    const auto quotient = quotient_of(*this, of);
    if (!quotient || !quotient->coef.is_one()) return map("log", of);
    Tile result;
    const auto add = [&](const Term& view, const Rational& coef) {
      const auto exponent =
          lifting().is_map(view.atom, "exp") ? argument_of(lifting(), view) : std::nullopt;
      const Tile made = exponent ? tile(*exponent) : map("log", tile(view));
      result = plus(result, scaled(made, coef));
    };
    for (const Term& view : quotient->numerators) add(view, 1);
    for (const Term& view : quotient->denominators) add(view, -1);
    return result;
  }

  Tile reciprocal(const Tile& of) {
    const bool constant = of.terms.size() == 1 && of.terms[0].atom == lifting().one() &&
                          of.terms[0].restrictions.empty() && !of.terms[0].coef.is_zero();
    if (constant) return scaled(one(), Rational(1) / of.terms[0].coef);
    const auto quotient = quotient_of(*this, of);
    if (!quotient) return map("reciprocal", of);
    return as_product(*this,
                      {Rational(1) / quotient->coef, quotient->denominators, quotient->numerators});
  }
};

}  // namespace

bool is_exponential(const std::string& fn) {
  return fn == "exp" || fn == "log" || fn == "reciprocal" || fn == "sigmoid";
}

Value apply_exponential(Lifting& lifting, const std::string& fn, const Value& value, DType dtype) {
  Value result = value;
  for (size_t t = 0; t < result.tiles.size(); ++t) {
    const Shape size = tile_size(value, t);
    result.tiles[t] = Exponentials(lifting, size, dtype).apply(fn, value.tiles[t]);
  }
  merge_tiles(result);
  return result;
}

}  // namespace assay
