// exp, log and reciprocal in one normal form, so that values that are equal by
//   exp(a + b) = exp(a) exp(b), exp(log s) = s, 1 / (a b) = (1 / a) (1 / b), log(a / b) = log a -
//   log b
// are equal terms: quotients of views, over one denominator where they are summed. All of it for
// views that are known to be positive (signs.h); the others stay under their function.
#include <algorithm>

#include "static_check/algebra/layout.h"
#include "static_check/algebra/restriction.h"
#include "static_check/lift/operators.h"
#include "static_check/lift/parts.h"

namespace assay {

namespace {

bool is_map(const Lifting& lifting, AtomId id, const char* fn) {
  return lifting.is_instance(id, Instance::Kind::kMap) && lifting.instance_of(id).fn == fn;
}

bool same_view(const Term& a, const Term& b) { return a.atom == b.atom && a.layout == b.layout; }

using Views = std::vector<Term>;

// Takes one view like this out of the list; false when there is none.
bool take(Views& views, const Term& like) {
  const auto found = std::find_if(views.begin(), views.end(),
                                  [&](const Term& view) { return same_view(view, like); });
  if (found == views.end()) return false;
  views.erase(found);
  return true;
}

// Views that `all` has and `some` has not.
Views missing(Views all, const Views& some) {
  for (const Term& view : some) take(all, view);
  return all;
}

// coef * product of the numerators / product of the denominators.
struct Quotient {
  Rational coef = 1;
  Views numerators, denominators;
};

// A term's coefficient, restrictions and factors.
struct Summand {
  Term part;  // its view is not used
  Quotient quotient;
};

// One tile of a value.
class Exponentials {
 public:
  Exponentials(Lifting& lifting, Shape size, DType dtype)
      : lifting_(lifting), size_(std::move(size)), dtype_(dtype) {}

  Tile apply(const std::string& fn, const Tile& of) {
    if (!of.integer.empty()) return map(fn, of);
    if (fn == "exp") return exp(of);
    if (fn == "log") return log(of);
    if (fn == "reciprocal") return reciprocal(of);
    return sigmoid(of);
  }

  // a + b as one term, where they are the same but for quotients of positive views; nullopt
  // otherwise.
  std::optional<Term> joined(const Term& a, const Term& b) {
    if (a.restrictions != b.restrictions) return std::nullopt;
    const Summand left = summand_of(a), right = summand_of(b);
    if (left.quotient.denominators.empty() && right.quotient.denominators.empty())
      return std::nullopt;
    const Views own = factors_of(lifting_, view_of(a)), other = factors_of(lifting_, view_of(b));
    const Views only_a = missing(own, other), only_b = missing(other, own);
    const auto is_quotient = [&](const Views& views) {
      return std::all_of(views.begin(), views.end(), [&](const Term& view) {
        return lifting_.sign(view.atom).positive && !is_restricted(a, view.atom);
      });
    };
    if (!is_quotient(only_a) || !is_quotient(only_b)) return std::nullopt;
    const auto quotient =
        quotient_of(plus(scaled(times(only_a), a.coef), scaled(times(only_b), b.coef)));
    if (!quotient) return std::nullopt;
    Tile shared = times(missing(own, only_a));
    for (Term& term : shared.terms) term.restrictions = a.restrictions;
    const Tile result = times(times(*quotient), shared);
    return result.terms.size() == 1 ? std::optional(result.terms[0]) : std::nullopt;
  }

 private:
  Value value(const Tile& tile) const { return single_tile(size_, tile); }
  Tile tile(const Term& term) const { return {{term}, {}}; }

  Tile one() const {
    Term term;
    term.atom = lifting_.one();
    term.layout = broadcast(size_);
    return tile(term);
  }

  Tile map(const std::string& fn, const Tile& of) {
    return apply_map(lifting_, fn, 0, {value(of)}, size_, dtype_).tiles.at(0);
  }

  Tile times(const Tile& a, const Tile& b) {
    return multiply(lifting_, value(a), value(b), dtype_).tiles.at(0);
  }

  Tile times(const Views& views) {
    Tile result = one();
    for (const Term& view : views) result = times(result, tile(view));
    return result;
  }

  // Over its reciprocal denominators.
  Tile times(const Quotient& quotient) {
    Tile result = scaled(times(quotient.numerators), quotient.coef);
    for (const Term& view : quotient.denominators)
      result = times(result, map("reciprocal", tile(view)));
    return result;
  }

  static Tile scaled(Tile of, const Rational& by) {
    for (Term& term : of.terms) term.coef = term.coef * by;
    return of;
  }

  static Term view_of(const Term& term) {
    Term view;
    view.atom = term.atom;
    view.layout = term.layout;
    return view;
  }

  Tile plus(const Tile& a, const Tile& b) {
    return sum_of(lifting_, {value(a), value(b)}).tiles.at(0);
  }

  Tile named(Tile terms) {
    Value made = value(terms);
    name_sums(lifting_, made, dtype_);
    return made.tiles.at(0);
  }

  // The view that an element-wise function of one operand reads.
  std::optional<Term> argument(const Term& view) const {
    auto layout = lifting_.trace(view.atom, view.layout, 0);
    if (!layout) return std::nullopt;
    Term read;
    read.atom = lifting_.instance_of(view.atom).operands[0].atom;
    read.layout = std::move(*layout);
    return read;
  }

  // s where the term is log(s) or -log(s), s positive.
  std::optional<Term> of_log(const Term& term) const {
    const bool unit = term.coef.is_one() || (-term.coef).is_one();
    if (!unit || !term.restrictions.empty() || !is_map(lifting_, term.atom, "log"))
      return std::nullopt;
    auto read = argument(term);
    return read && lifting_.sign(read->atom).positive ? read : std::nullopt;
  }

  // A finite maximum or minimum, or one that a clamp makes finite, by which exponents are shifted.
  bool is_shift(const Term& term) const {
    const bool unit = term.coef.is_one() || (-term.coef).is_one();
    const bool extremum = lifting_.is_instance(term.atom, Instance::Kind::kMax) ||
                          lifting_.is_instance(term.atom, Instance::Kind::kMin) ||
                          is_map(lifting_, term.atom, "maximum") ||
                          is_map(lifting_, term.atom, "minimum") ||
                          (lifting_.is_instance(term.atom, Instance::Kind::kMap) &&
                           lifting_.instance_of(term.atom).fn.starts_with("clamp("));
    return unit && extremum && lifting_.sign(term.atom).finite &&
           std::all_of(term.restrictions.begin(), term.restrictions.end(),
                       [](const Restriction& r) { return r.kind == Restriction::Kind::kMax; });
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
    for (const Term& term : unfold_names(lifting_, of.terms)) {
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
    const std::vector<Term> terms = unfold_names(lifting_, of.terms);
    if (terms.empty() || !std::all_of(terms.begin(), terms.end(),
                                      [&](const Term& term) { return of_log(term).has_value(); }))
      return map("sigmoid", of);
    return reciprocal(plus(one(), exp(scaled({terms, {}}, -1))));
  }

  Tile log(const Tile& of) {
    const auto quotient = quotient_of(of);
    if (!quotient || !quotient->coef.is_one()) return map("log", of);
    Tile result;
    const auto add = [&](const Term& view, const Rational& coef) {
      const auto exponent = is_map(lifting_, view.atom, "exp") ? argument(view) : std::nullopt;
      const Tile made = exponent ? tile(*exponent) : map("log", tile(view));
      result = plus(result, scaled(made, coef));
    };
    for (const Term& view : quotient->numerators) add(view, 1);
    for (const Term& view : quotient->denominators) add(view, -1);
    return result;
  }

  Tile reciprocal(const Tile& of) {
    const auto quotient = quotient_of(of);
    if (!quotient) return map("reciprocal", of);
    return times(
        Quotient{Rational(1) / quotient->coef, quotient->denominators, quotient->numerators});
  }

  Summand summand_of(const Term& term) const {
    Summand result{term, {}};
    for (const Term& factor : factors_of(lifting_, view_of(term))) {
      if (factor.atom == lifting_.one()) continue;
      auto divisor = is_map(lifting_, factor.atom, "reciprocal") ? argument(factor) : std::nullopt;
      if (divisor)
        result.quotient.denominators.push_back(std::move(*divisor));
      else
        result.quotient.numerators.push_back(factor);
    }
    return result;
  }

  // Factors that all summands share, apart from those of which a summand is a part.
  Views shared_factors(const std::vector<Summand>& summands) const {
    Views shared = summands.front().quotient.numerators;
    for (const Summand& summand : summands) {
      Views rest = summand.quotient.numerators;
      std::erase_if(shared, [&](const Term& view) {
        return is_restricted(summand.part, view.atom) || !take(rest, view);
      });
    }
    return shared;
  }

  bool is_restricted(const Term& part, AtomId atom) const {
    const auto& hidden = lifting_.atom(atom).hidden;
    return std::any_of(part.restrictions.begin(), part.restrictions.end(),
                       [&](const Restriction& r) {
                         return r.kind != Restriction::Kind::kGuard &&
                                std::binary_search(hidden.begin(), hidden.end(), r.label);
                       });
  }

  // The summand's factors but the shared ones, multiplied; a name of parts in its parts.
  std::vector<Term> product(const Summand& summand, const Views& shared) {
    Tile made = times(missing(summand.quotient.numerators, shared));
    std::vector<Term> terms;
    for (Term& term : made.terms) {
      if (term.restrictions.empty() && summand.part.restrictions.empty()) {
        const auto parts = lifting_.unfold(term);
        if (parts) {
          for (Term part : *parts) {
            part.coef = part.coef * summand.part.coef;
            terms.push_back(std::move(part));
          }
          continue;
        }
      }
      term.coef = term.coef * summand.part.coef;
      term.restrictions.insert(term.restrictions.end(), summand.part.restrictions.begin(),
                               summand.part.restrictions.end());
      normalize(term.restrictions);
      terms.push_back(std::move(term));
    }
    return terms;
  }

  // A sum of positive terms, or a difference that comes out as one. nullopt unless the coefficient
  // and all views are positive.
  std::optional<Quotient> quotient_of(const Tile& of) {
    if (of.terms.empty()) return std::nullopt;
    std::vector<Summand> summands;
    for (const Term& term : unfold_names(lifting_, of.terms)) {
      if (!lifting_.sign(term.atom).positive) return std::nullopt;
      const bool parts =
          std::all_of(term.restrictions.begin(), term.restrictions.end(),
                      [](const Restriction& r) { return r.kind == Restriction::Kind::kBox; });
      if (!parts) return std::nullopt;
      summands.push_back(summand_of(term));
    }
    Quotient result;
    for (const Summand& summand : summands)
      for (const Term& view : missing(summand.quotient.denominators, result.denominators))
        result.denominators.push_back(view);
    for (Summand& summand : summands)
      for (const Term& view : missing(result.denominators, summand.quotient.denominators))
        summand.quotient.numerators.push_back(view);
    result.numerators = shared_factors(summands);
    Tile core;
    for (const Summand& summand : summands) {
      const std::vector<Term> terms = product(summand, result.numerators);
      core.terms.insert(core.terms.end(), terms.begin(), terms.end());
    }
    combine(core.terms);
    unite_parts(lifting_, core.terms);
    core = named(std::move(core));
    if (core.terms.size() == 1 && core.terms[0].restrictions.empty()) {
      result.coef = core.terms[0].coef;
      core.terms[0].coef = 1;
    }
    const Term view = materialize(lifting_, core, size_, dtype_);
    if (view.atom != lifting_.one()) result.numerators.push_back(view);
    const auto positive = [&](const Term& factor) { return lifting_.sign(factor.atom).positive; };
    if (result.coef.numerator() <= 0 ||
        !std::all_of(result.numerators.begin(), result.numerators.end(), positive) ||
        !std::all_of(result.denominators.begin(), result.denominators.end(), positive))
      return std::nullopt;
    return result;
  }

  Lifting& lifting_;
  const Shape size_;
  const DType dtype_;
};

}  // namespace

bool is_exponential(const std::string& fn) {
  return fn == "exp" || fn == "log" || fn == "reciprocal" || fn == "sigmoid";
}

Value apply_exponential(Lifting& lifting, const std::string& fn, const Value& value, DType dtype) {
  Value result = value;
  for (size_t t = 0; t < result.tiles.size(); ++t) {
    const Shape size = tile_box(value, t).size;
    result.tiles[t] = Exponentials(lifting, size, dtype).apply(fn, value.tiles[t]);
  }
  merge_tiles(result);
  return result;
}

void join_quotients(Lifting& lifting, Value& value, DType dtype) {
  constexpr size_t kMostTerms = 8;
  for (size_t t = 0; t < value.tiles.size(); ++t) {
    std::vector<Term>& terms = value.tiles[t].terms;
    const auto divides = [&](const Term& term) {
      const Views factors = factors_of(lifting, term);
      return std::any_of(factors.begin(), factors.end(), [&](const Term& factor) {
        return is_map(lifting, factor.atom, "reciprocal");
      });
    };
    if (terms.size() < 2 || terms.size() > kMostTerms ||
        std::none_of(terms.begin(), terms.end(), divides))
      continue;
    Exponentials exponentials(lifting, tile_box(value, t).size, dtype);
    const size_t before = terms.size();
    for (size_t i = 0; i < terms.size(); ++i) {
      for (size_t j = i + 1; j < terms.size();) {
        auto both = exponentials.joined(terms[i], terms[j]);
        if (!both) {
          ++j;
          continue;
        }
        terms[i] = std::move(*both);
        terms.erase(terms.begin() + static_cast<ptrdiff_t>(j));
        j = i + 1;
      }
    }
    if (terms.size() == before) continue;
    combine(terms);
    unite_parts(lifting, terms);
  }
}

void cancel_reciprocals(const Lifting& lifting, std::vector<Term>& factors) {
  for (size_t i = 0; i < factors.size();) {
    const Term factor = factors[i];
    if (is_map(lifting, factor.atom, "reciprocal")) {
      const AtomId divisor = lifting.instance_of(factor.atom).operands[0].atom;
      auto layout = lifting.trace(factor.atom, factor.layout, 0);
      Term read;
      read.atom = divisor;
      if (layout && lifting.sign(divisor).positive) {
        read.layout = std::move(*layout);
        if (take(factors, read)) {
          take(factors, factor);
          i = 0;
          continue;
        }
      }
    }
    ++i;
  }
}

bool is_scale(const Lifting& lifting, AtomId id) {
  return is_map(lifting, id, "reciprocal") || is_map(lifting, id, "exp");
}

}  // namespace assay
