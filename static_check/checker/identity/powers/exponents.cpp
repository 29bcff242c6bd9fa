#include <algorithm>
#include <numeric>

#include "static_check/checker/identity/algebra.h"

namespace assay::checker::identity {
namespace {

// Larger denominators and exponents of logarithms are not needed, and must not overflow.
constexpr PlainInt kLargest = PlainInt{1} << 20;

PlainInt integer(const Rational& value, PlainInt times) {
  return static_cast<PlainInt>(value.numerator()) *
         (times / static_cast<PlainInt>(value.denominator()));
}

}  // namespace

uint64_t Algebra::exponential_of(const Residues& ordinary_part, const std::vector<LogTerm>& terms,
                                 PlainInt times) const {
  const uint64_t exponent = identity::times<kQ>(ordinary_part.e, static_cast<uint64_t>(times));
  uint64_t result = identity::power<kP>(generator_, exponent);
  for (const LogTerm& term : terms)
    result = identity::times<kP>(result, signed_power<kP>(term.of.r, integer(term.coef, times)));
  return result;
}

Number Algebra::log_form(const Residues& ordinary_part, std::vector<LogTerm> terms) {
  std::sort(terms.begin(), terms.end(),
            [](const LogTerm& a, const LogTerm& b) { return a.of.r < b.of.r; });
  std::vector<LogTerm> merged;
  for (LogTerm& term : terms) {
    if (!merged.empty() && merged.back().of.r == term.of.r) {
      merged.back().coef = merged.back().coef + term.coef;
      merged.back().of_positive |= term.of_positive;
    } else {
      merged.push_back(std::move(term));
    }
    if (merged.back().coef.is_zero()) merged.pop_back();
  }
  if (merged.empty()) return ordinary(ordinary_part);
  store(merged.size());
  PlainInt denominator = 1;
  bool small = true;
  for (const LogTerm& term : merged) {
    small = small && term.coef.fits(kLargest);
    if (small) denominator = std::lcm(denominator, static_cast<PlainInt>(term.coef.denominator()));
    small = small && denominator <= kLargest;
  }
  if (!small) {  // each logarithm is a function of its own
    Residues total = ordinary_part;
    for (const LogTerm& term : merged) total = total + log_value(term);
    return ordinary(total);
  }
  const uint64_t exponential = exponential_of(ordinary_part, merged, denominator);
  if (exponential == 1) return exact(Rational(0));
  if (denominator == 1)
    if (const auto found = exponents_.find(exponential); found != exponents_.end())
      return found->second;
  Residues value =
      random_("log", std::vector<uint64_t>{static_cast<uint64_t>(denominator), exponential});
  if (reading_.formal_logs) {
    value = ordinary_part;
    for (const LogTerm& term : merged) value = value + log_value(term);
  }
  Number result = with_form(value, Kind::kLog, logs_, LogForm{ordinary_part, std::move(merged)});
  result.type = kReal;
  return result;
}

// The logarithms of factors add up to that of a product where they have values: what is made of
// one alone is not read off its factors where these may be negative.
Residues Algebra::log_value(const LogTerm& term) {
  const Residues log =
      term.of_positive ? formal_log(term.of) : random_("log", std::vector<uint64_t>{1, term.of.r});
  return residues_of(term.coef) * log;
}

Number Algebra::plain_log(const Number& x) {
  if (x.kind == Kind::kInfinity) return x;
  if (!x.is_finite()) return undefined();
  if (x.is_constant() && !rational(x).is_positive())
    return rational(x).is_zero() ? infinity(true) : undefined();
  if (is_integer_type(x.type)) return unknown("log", {{x}}, kReal);
  // A root has a value where its base is not negative, and its logarithm where the base's has one.
  if (x.kind == Kind::kRoot) {
    const RootForm form = roots_[index(x)];
    const bool even =
        std::all_of(form.powers.begin(), form.powers.end(),
                    [](const RootPower& each) { return each.exponent.denominator() % 2 == 0; });
    if (even && form.factor.r == 1) {
      std::vector<Number> terms;
      for (const RootPower& each : form.powers)
        terms.push_back(scaled(log(each.base), each.exponent));
      return sum(std::move(terms));
    }
  }
  return log_form({}, {{x.value, Rational(1), x.positive}});
}

// A function of x alone, that is, of its r: where there are several e for one function, the first
// one counts.
Number Algebra::plain_exp(const Number& x) {
  if (x.kind == Kind::kMinusInfinity) return exact(Rational(0));
  if (is_hidden(x)) return exp_of_hidden(x);
  if (!x.is_finite()) return x;
  if (is_integer_type(x.type)) return unknown("exp", {{x}}, kReal);
  if (is_exactly(x, Rational(0))) return exact(Rational(1));
  const auto each = [&](std::span<const Number> y) { return std::optional(exp(y[0])); };
  auto known = exp_by_places(x);
  if (!known) known = member_by_member({&x, 1}, kReal, each);
  if (!known) known = branch_by_branch({&x, 1}, kReal, each);
  if (known) {
    exponentials_.try_emplace(x.value.r, *known);
    exponents_.try_emplace(known->value.r, x);
    return *known;
  }
  if (const auto found = exponentials_.find(x.value.r); found != exponentials_.end())
    return found->second;
  if (x.kind == Kind::kLog) {  // exp(x + log(v) / 2) = exp(x) sqrt(v)
    const LogForm form = logs_[index(x)];
    const bool fractions = std::any_of(form.terms.begin(), form.terms.end(),
                                       [](const LogTerm& term) { return !term.coef.is_integer(); });
    if (fractions) {
      Number product = plain_exp(ordinary(form.ordinary));
      for (const LogTerm& term : form.terms) {
        Number base = ordinary(term.of);
        base.nonnegative = base.positive = term.of_positive;
        const auto p = static_cast<PlainInt>(term.coef.numerator()),
                   q = static_cast<PlainInt>(term.coef.denominator());
        product = plain_product(product, q == 1 ? power(base, p) : plain_root(base, p, q));
      }
      exponentials_.try_emplace(x.value.r, product);
      return product;
    }
  }
  Residues value{0, random_("exp", std::vector<uint64_t>{x.value.r}).e};
  const LogForm* form = x.kind == Kind::kLog ? &logs_[index(x)] : nullptr;
  const bool whole =
      form != nullptr && std::all_of(form->terms.begin(), form->terms.end(),
                                     [](const LogTerm& term) { return term.coef.is_integer(); });
  if (whole) {
    value.r = exponential_of(form->ordinary, form->terms, 1);
    if (form->ordinary.r == 0) {
      value.e = 1;
      for (const LogTerm& term : form->terms)
        value.e = identity::times<kQ>(value.e, signed_power<kQ>(term.of.e, integer(term.coef, 1)));
    }
  } else {
    value.r = identity::power<kP>(generator_, x.value.e);
  }
  // exp(-x) exp(x) = 1, in exponents too.
  if (const auto opposite = exponentials_.find(minus<kP>(x.value.r));
      opposite != exponentials_.end() && value.r == signed_power<kP>(opposite->second.value.r, -1))
    value.e = signed_power<kQ>(opposite->second.value.e, -1);
  Number result = ordinary(value);
  // exp(log x) is x, of which nothing is known where it is not a logarithm's.
  result.positive = form == nullptr || std::ranges::all_of(form->terms, &LogTerm::of_positive);
  result.nonnegative = result.positive;
  exponentials_.emplace(x.value.r, result);
  exponents_.emplace(result.value.r, x);
  note_nonnegative(result);
  return result;
}

}  // namespace assay::checker::identity
