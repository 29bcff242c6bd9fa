#include "static_check/lift/arithmetic/quotients.h"

#include <algorithm>

#include "static_check/algebra/restriction.h"
#include "static_check/lift/arithmetic/parts.h"

namespace assay {
namespace {

bool same_view(const Term& a, const Term& b) { return a.atom == b.atom && a.layout == b.layout; }

Views::iterator find(Views& views, const Term& like) {
  return std::find_if(views.begin(), views.end(),
                      [&](const Term& view) { return same_view(view, like); });
}

// Takes one view like this out of the list; false when there is none.
bool take(Views& views, const Term& like) {
  const auto found = find(views, like);
  if (found == views.end()) return false;
  views.erase(found);
  return true;
}

// Views that `all` has and `some` has not.
Views missing(Views all, const Views& some) {
  for (const Term& view : some) take(all, view);
  return all;
}

Term view_of(const Term& term) { return view_of(term.atom, term.layout); }

// A term's coefficient, restrictions and factors.
struct Summand {
  Term part;  // its view is not used
  Quotient quotient;
};

class Quotients {
 public:
  explicit Quotients(TileArithmetic& arithmetic)
      : arithmetic_(arithmetic), lifting_(arithmetic.lifting()) {}

  std::optional<Quotient> of(const Tile& tile) {
    if (tile.terms.empty()) return std::nullopt;
    std::vector<Summand> summands;
    for (const Term& term : unfold_names(lifting_, tile.terms)) {
      if (!lifting_.sign(term.atom).positive) return std::nullopt;
      if (!all_are(term.restrictions, Restriction::Kind::kBox)) return std::nullopt;
      summands.push_back(summand_of(term));
    }
    if (summands.empty()) return std::nullopt;  // what is named is zero
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
    core = arithmetic_.named(std::move(core));
    if (core.terms.size() == 1 && core.terms[0].restrictions.empty()) {
      result.coef = core.terms[0].coef;
      core.terms[0].coef = 1;
    }
    const Term view = arithmetic_.view(core);
    if (view.atom != lifting_.one()) result.numerators.push_back(view);
    const auto positive = [&](const Term& factor) { return lifting_.sign(factor.atom).positive; };
    if (!result.coef.is_positive() ||
        !std::all_of(result.numerators.begin(), result.numerators.end(), positive) ||
        !std::all_of(result.denominators.begin(), result.denominators.end(), positive))
      return std::nullopt;
    return result;
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
    const auto quotient = of(arithmetic_.plus(scaled(only_a, a.coef), scaled(only_b, b.coef)));
    if (!quotient) return std::nullopt;
    Tile shared = arithmetic_.times(missing(own, only_a));
    for (Term& term : shared.terms) term.restrictions = a.restrictions;
    const Tile result = arithmetic_.times(as_product(arithmetic_, *quotient), shared);
    return result.terms.size() == 1 ? std::optional(result.terms[0]) : std::nullopt;
  }

 private:
  Tile scaled(const Views& views, const Rational& by) {
    return TileArithmetic::scaled(arithmetic_.times(views), by);
  }

  Summand summand_of(const Term& term) const {
    Summand result{term, {}};
    for (const Term& factor : factors_of(lifting_, view_of(term))) {
      if (factor.atom == lifting_.one()) continue;
      auto divisor =
          lifting_.is_map(factor.atom, "reciprocal") ? argument_of(lifting_, factor) : std::nullopt;
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
    return std::any_of(
        part.restrictions.begin(), part.restrictions.end(), [&](const Restriction& r) {
          return r.kind != Restriction::Kind::kGuard && lifting_.hides(atom, r.label);
        });
  }

  // The summand's factors but the shared ones, multiplied; a name of parts in its parts.
  std::vector<Term> product(const Summand& summand, const Views& shared) {
    Tile made = arithmetic_.times(missing(summand.quotient.numerators, shared));
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

  TileArithmetic& arithmetic_;
  Lifting& lifting_;
};

}  // namespace

std::optional<Quotient> quotient_of(TileArithmetic& arithmetic, const Tile& of) {
  return Quotients(arithmetic).of(of);
}

Tile as_product(TileArithmetic& arithmetic, const Quotient& quotient) {
  Tile result = TileArithmetic::scaled(arithmetic.times(quotient.numerators), quotient.coef);
  for (const Term& view : quotient.denominators)
    result = arithmetic.times(result, arithmetic.map("reciprocal", TileArithmetic::tile(view)));
  return result;
}

void join_quotients(Lifting& lifting, Value& value, DType dtype) {
  constexpr size_t kMostTerms = 8;
  for (size_t t = 0; t < value.tiles.size(); ++t) {
    std::vector<Term>& terms = value.tiles[t].terms;
    const auto divides = [&](const Term& term) {
      const Views factors = factors_of(lifting, term);
      return std::any_of(factors.begin(), factors.end(), [&](const Term& factor) {
        return lifting.is_map(factor.atom, "reciprocal");
      });
    };
    if (terms.size() < 2 || terms.size() > kMostTerms ||
        std::none_of(terms.begin(), terms.end(), divides))
      continue;
    TileArithmetic arithmetic(lifting, tile_size(value, t), dtype);
    Quotients quotients(arithmetic);
    const size_t before = terms.size();
    for (size_t i = 0; i < terms.size(); ++i) {
      for (size_t j = i + 1; j < terms.size();) {
        auto both = quotients.joined(terms[i], terms[j]);
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

void cancel_reciprocals(const Lifting& lifting, std::vector<Term>& factors,
                        const std::function<bool(const Term&)>& may_cancel) {
  for (size_t i = 0; i < factors.size();) {
    const auto divisor = lifting.is_map(factors[i].atom, "reciprocal")
                             ? argument_of(lifting, factors[i])
                             : std::nullopt;
    const auto cancelled = divisor && lifting.sign(divisor->atom).positive && may_cancel(*divisor)
                               ? find(factors, *divisor)
                               : factors.end();
    if (cancelled == factors.end()) {
      ++i;
      continue;
    }
    const auto reciprocal = factors.begin() + static_cast<ptrdiff_t>(i);
    factors.erase(std::max(reciprocal, cancelled));
    factors.erase(std::min(reciprocal, cancelled));
    i = 0;
  }
}

bool is_scale(const Lifting& lifting, AtomId id) {
  return lifting.is_map(id, "reciprocal") || lifting.is_map(id, "exp");
}

}  // namespace assay
