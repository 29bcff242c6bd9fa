// Powers, reciprocals and roots, and logarithms by their factors.
#include <cmath>
#include <map>

#include "static_check/identity/algebra.h"

namespace assay::identity {
namespace {

// Factors up to this are taken out of roots.
constexpr int64_t kLargestFactor = 1000;

Residue root_of_square(const Residue& square) {
  return {kValues.power(square.value, (kValues.modulus() + 1) / 4),
          kExponents.power(square.exponent, (kExponents.modulus() + 1) / 4)};
}
const Residue kFourthRootOfTwo = root_of_square(root_of_square({2, 2}));

bool is_square(const Residue& of) {
  const uint64_t root = kValues.power(of.value, (kValues.modulus() + 1) / 4);
  return kValues.multiply(root, root) == of.value;
}

// The root that is a square itself, where there is one, so that the root of a square is |x| as
// Cases has it; else `other`.
Residue square_root(const Residue& of, const Residue& other) {
  const uint64_t root = kValues.power(of.value, (kValues.modulus() + 1) / 4);
  if (kValues.multiply(root, root) != of.value) return other;
  const uint64_t exponent = kExponents.power(of.exponent, (kExponents.modulus() + 1) / 4);
  const bool exact = kExponents.multiply(exponent, exponent) == of.exponent;
  return {root, exact ? exponent : other.exponent};
}

}  // namespace

Residue Algebra::log_of(uint64_t value) {
  const auto of_factor = [&](uint64_t factor) {
    const uint64_t keys[] = {1, factor};
    return random_residue("log", keys);
  };
  if (!factored_) return of_factor(value);
  const Product& product = factors_.of(positive_.at(value), true);
  Residue sum = product.exponent;
  for (const auto& [factor, times] : product.powers)
    sum = sum + residue_of(times) * of_factor(factor);
  for (const bool divided : {false, true}) {
    int64_t rest = divided ? product.constant.denominator() : product.constant.numerator();
    for (int64_t prime = 2; rest > 1; ++prime) {
      if (prime > kLargestFactor) prime = rest;
      for (; rest % prime == 0; rest /= prime) {
        const Residue log = of_factor(residue_of(prime).value);
        sum = divided ? sum - log : sum + log;
      }
    }
  }
  return sum;
}

Number Algebra::plain_power(const Number& number, const Rational& exponent) {
  if (!number.is_finite()) {
    if (number.kind == Number::Kind::kUndefined) return number;
    throw NotRepresented{"a power of an infinity"};
  }
  if (exponent.is_zero()) return constant(1);
  if (exponent.is_one()) return number;
  const Number a = settled(number);
  if (a.residue.value == 0) return exponent.is_negative() ? undefined() : constant(0);
  if (exponent.is_positive()) {
    if (has(a, Form::Kind::kFlag)) return a;
    if (has(a, Form::Kind::kKept)) return keep(a.form->flag(), power(a.form->kept(), exponent));
  }
  if (!exponent.is_integer()) {
    if (const Rational* known = constant_of(a)) return root_of_constant(*known, exponent);
    if (has(a, Form::Kind::kRoot) && a.form->factor == Residue{1, 1}) {
      auto powers = a.form->roots;
      for (auto& [base, of] : powers) of = of * exponent;
      return roots(Residue{1, 1}, std::move(powers));
    }
    const bool even = exponent.denominator() == 2 || exponent.denominator() == 4;
    if (cases_ != nullptr && cases_->assignments() == nullptr && even && !is_square(a.residue))
      cases_->note_free_root(a.sign != Sign::kAny);
    return root(Residue{1, 1}, a.residue, exponent);
  }
  const int64_t times = exponent.numerator();
  if (const Rational* known = constant_of(a); known != nullptr && std::abs(times) <= 64) {
    try {
      Rational result(1);
      for (int64_t i = 0; i < std::abs(times); ++i) result = result * *known;
      return constant(times < 0 ? Rational(1) / result : result);
    } catch (const RationalOverflow&) {
    }
  }
  if (has(a, Form::Kind::kRoot)) {
    auto powers = a.form->roots;
    for (auto& [base, of] : powers) of = of * exponent;
    return roots(raised(a.form->factor, times), std::move(powers));
  }
  return {raised(a.residue, times)};
}

Number Algebra::reciprocal(const Number& a) {
  if (a.kind == Number::Kind::kUndefined) return a;
  if (!a.is_finite()) return constant(0);
  // What a flag leaves out has none.
  if (has(a, Form::Kind::kFlag) || has(a, Form::Kind::kKept)) return unknown("reciprocal", {&a, 1});
  Number result = power(a, -1);
  if (cases_ == nullptr && a.sign != Sign::kAny && result.is_finite() &&
      constant_of(result) == nullptr && !reciprocals_.contains(settled(a).residue.value))
    reciprocals_.try_emplace(result.residue.value, a);
  return result;
}

Number Algebra::root(const Residue& factor, const Residue& base, const Rational& exponent) {
  if (!factored_) return roots(factor, {{base, exponent}});
  const Product& product = bases_.of(base, false);
  std::vector<std::pair<Residue, Rational>> powers;
  for (const auto& [of, times] : product.powers)
    powers.emplace_back(bases_.factor(of), exponent * times);
  Residue outside = factor;
  if (!(product.exponent == Residue{}))
    outside = outside * exponential({product.exponent * residue_of(exponent)}).residue;
  const Number result = roots(outside, std::move(powers));
  return product.constant.is_one() ? result
                                   : multiply(root_of_constant(product.constant, exponent), result);
}

Number Algebra::roots(Residue factor, std::vector<std::pair<Residue, Rational>> powers) const {
  std::ranges::sort(powers, {}, [](const auto& power) { return power.first.value; });
  Form form{Form::Kind::kRoot};
  for (size_t i = 0; i < powers.size();) {
    const Residue base = powers[i].first;
    Rational exponent(0);
    for (; i < powers.size() && powers[i].first.value == base.value; ++i)
      exponent = exponent + powers[i].second;
    // By exponents between 0 and 1, so that x / sqrt(x) is sqrt(x).
    const int64_t parts = exponent.denominator();
    const int64_t rest = (exponent.numerator() % parts + parts) % parts;
    factor = factor * raised(base, (exponent.numerator() - rest) / parts);
    if (rest != 0) form.roots.emplace_back(base, Rational(rest, parts));
  }
  if (form.roots.empty()) return {factor};
  form.factor = factor;
  for (const auto& [base, exponent] : form.roots) factor = factor * unit_root(base, exponent);
  return with(factor, std::move(form));
}

// Powers of one root for all common denominators. By cases a root of what is a square is its root.
Residue Algebra::unit_root(const Residue& base, const Rational& exponent) const {
  constexpr int64_t kCommon = 12;
  const int64_t parts = exponent.denominator();
  const bool common = kCommon % parts == 0;
  const uint64_t keys[] = {static_cast<uint64_t>(common ? kCommon : parts), base.value};
  const Residue unit =
      raised(random_residue("root", keys), exponent.numerator() * (common ? kCommon / parts : 1));
  if (cases_ == nullptr || cases_->assignments() != nullptr) return unit;
  if (parts == 2) return square_root(base, unit);
  if (parts != 4) return unit;
  const Residue quarter = raised(random_residue("root", keys), kCommon / 4);
  return raised(square_root(unit_root(base, Rational(1, 2)), quarter), exponent.numerator());
}

// By the roots of primes, that of 2 being a number of the field.
Number Algebra::root_of_constant(const Rational& base, const Rational& exponent) {
  if (base.is_negative()) return undefined();
  const auto [p, q, twos] = base.parts();
  if (4 % exponent.denominator() != 0) return roots(Residue{1, 1}, {{residue_of(base), exponent}});
  std::map<int64_t, int64_t> primes{{2, twos}};
  for (const auto& [of, sign] : {std::pair{p, 1}, std::pair{q, -1}})
    for (int64_t rest = of, prime = 2; rest > 1; ++prime) {
      if (prime > kLargestFactor || prime * prime > rest) prime = rest;
      for (; rest % prime == 0; rest /= prime) primes[prime] += sign;
    }
  const int64_t quarters = 4 / exponent.denominator() * exponent.numerator();
  try {
    Rational root(1);
    bool exact = true;
    for (const auto& [prime, times] : primes) {
      exact &= times * quarters % 4 == 0;
      for (int64_t i = 0; i < std::abs(times * quarters / 4); ++i)
        root = times * quarters < 0 ? root / Rational(prime) : root * Rational(prime);
    }
    if (exact) return constant(root);
  } catch (const RationalOverflow&) {
  }
  const Residue of_two = raised(kFourthRootOfTwo, primes[2] * quarters);
  primes.erase(2);
  std::vector<std::pair<Residue, Rational>> powers;
  for (const auto& [prime, times] : primes)
    powers.emplace_back(residue_of(prime), Rational(times) * exponent);
  return roots(of_two, std::move(powers));
}

}  // namespace assay::identity
