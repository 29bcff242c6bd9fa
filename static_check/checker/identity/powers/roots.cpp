#include <algorithm>

#include "static_check/checker/facts/regions.h"
#include "static_check/checker/identity/algebra.h"

namespace assay::checker::identity {
namespace {

constexpr PlainInt kLargestPrime = 1000;  // that is taken out of constants

bool same_powers(const RootForm& a, const RootForm& b) {
  return std::equal(a.powers.begin(), a.powers.end(), b.powers.begin(), b.powers.end(),
                    [](const RootPower& x, const RootPower& y) {
                      return x.base.value.r == y.base.value.r && x.exponent == y.exponent;
                    });
}

}  // namespace

// A root of a positive fraction, of degree 2 or 4, to a power: what is a whole power of a prime
// comes out of it, and the rest is a product of roots of primes, of which that of 2 is no unknown.
Number Algebra::root_of_fraction(const Rational& value, PlainInt numerator, PlainInt degree) {
  std::map<PlainInt, PlainInt> primes;
  const auto take = [&](PlainInt rest, PlainInt times) {
    for (PlainInt prime = 2; rest > 1; ++prime) {
      if (prime > kLargestPrime || prime * prime > rest) prime = rest;
      for (; rest % prime == 0; rest /= prime) primes[prime] += times;
    }
  };
  take(static_cast<PlainInt>(value.numerator()), numerator);
  take(static_cast<PlainInt>(value.denominator()), -numerator);
  Rational outside(1);
  PlainInt quarters = 0;  // of the power of 2 that stays
  std::vector<RootPower> powers;
  for (const auto& [prime, times] : primes) {
    const PlainInt rest = (times % degree + degree) % degree;
    for (PlainInt left = (times - rest) / degree; left != 0; left += left < 0 ? 1 : -1)
      outside = left < 0 ? outside / Rational(prime) : outside * Rational(prime);
    if (rest == 0) continue;
    if (prime == 2)
      quarters = 4 / degree * rest;
    else
      powers.push_back({exact(Rational(prime)), Rational(rest, degree)});
  }
  const Residues fourth{identity::square_root<kP>(root_two_.r),
                        identity::square_root<kQ>(root_two_.e)};
  Number result = exact(outside);
  if (quarters != 0) result = multiply(irrational(identity::power(fourth, quarters)), result);
  return powers.empty() ? result : multiply(result, root_form({{1, 1}, std::move(powers)}));
}

// Of a number that is a positive constant times an earlier one, one of them of unknown sign: both
// have a root where either has.
std::optional<Number> Algebra::root_of_multiple(const Number& x, const Rational& exponent) {
  if (cases() != nullptr || x.value.r == 0) return std::nullopt;
  auto multiple = scales_.find(known_roots_.radicands, x.value.r);
  if (!multiple && !x.nonnegative) multiple = scales_.find(known_roots_.nonnegative, x.value.r);
  if (!multiple)
    (x.nonnegative ? known_roots_.nonnegative : known_roots_.radicands).emplace(x.value.r, x);
  if (!multiple || multiple->times.is_one()) return std::nullopt;
  const auto p = static_cast<PlainInt>(exponent.numerator()),
             q = static_cast<PlainInt>(exponent.denominator());
  const Number of = *multiple->of;
  return multiply(root(exact(multiple->times), p, q), plain_root(of, p, q));
}

// A number of unknown sign that is r s, r / s or r s / t, of the first numbers whose roots were
// taken: its root is what theirs make, where they have theirs. Empty: it is one of these numbers,
// or none.
const Algebra::RootedProduct& Algebra::product_of_rooted(const Number& x) {
  const auto [known, is_new] = known_roots_.products.try_emplace(x.value.r);
  RootedProduct& product = known->second;
  if (!is_new) return product;
  const auto first = [&](uint64_t r) {
    const auto found =
        std::ranges::find(known_roots_.rooted, r, [](const Number& one) { return one.value.r; });
    return found == known_roots_.rooted.end() ? nullptr : &*found;
  };
  const auto find = [&](uint64_t r) {
    if (const Number* itself = first(r)) return RootedProduct{{*itself, 1}};
    for (const Number& one : known_roots_.rooted)
      if (const Number* other = first(times<kP>(r, inverse(one.value).r)))
        return RootedProduct{{one, 1}, {*other, 1}};
    return RootedProduct{};
  };
  product = find(x.value.r);
  for (const Number& divisor : known_roots_.rooted) {
    if (!product.empty()) return product;
    product = find(times<kP>(x.value.r, divisor.value.r));
    if (!product.empty()) product.emplace_back(divisor, -1);
  }
  constexpr size_t kMostRooted = 12;
  if (product.empty() && known_roots_.rooted.size() < kMostRooted) known_roots_.rooted.push_back(x);
  return product;
}

std::optional<Number> Algebra::root_of_product(const Number& x, PlainInt numerator,
                                               PlainInt denominator) {
  if (cases() != nullptr || x.nonnegative || x.value.r == 0) return std::nullopt;
  const RootedProduct product = product_of_rooted(x);
  if (product.empty()) return std::nullopt;
  Number result = exact(Rational(1));
  for (const auto& [of, times] : product)
    result = multiply(result, plain_root(of, times * numerator, denominator));
  return result;
}

Number Algebra::plain_root(const Number& x, PlainInt numerator, PlainInt denominator) {
  if (x.kind == Kind::kInfinity) return numerator > 0 ? x : exact(Rational(0));
  if (!x.is_finite()) return undefined();
  const Rational exponent(numerator, denominator);
  if (x.is_constant()) {
    if (rational(x).is_negative()) return undefined();
    // The sign of the infinity is that of the zero.
    if (rational(x).is_zero()) return numerator > 0 ? exact(Rational(0)) : undefined();
    if (rational(x).is_one()) return exact(Rational(1));
    try {
      if (denominator == 2 || denominator == 4)
        return root_of_fraction(rational(x), numerator, denominator);
    } catch (const RationalOverflow&) {
    }
    return root_form({{1, 1}, {{x, exponent}}});
  }
  if (is_integer_type(x.type)) {
    const uint64_t keys[] = {static_cast<uint64_t>(numerator), static_cast<uint64_t>(denominator)};
    return unknown("root", {{x}}, kReal, keys);
  }
  if (x.kind == Kind::kRoot && roots_[index(x)].factor.r == 1) {  // a root of a root
    RootForm form = roots_[index(x)];
    for (RootPower& each : form.powers) each.exponent = each.exponent * exponent;
    return root_form(std::move(form));
  }
  if (const auto known = root_of_multiple(x, exponent)) return *known;
  if (const auto known = root_of_product(x, numerator, denominator)) return *known;
  if (!x.nonnegative || x.value.r == 0) return root_form({{1, 1}, {{x, exponent}}});
  const Word word = spell(x.value, 0);
  RootForm form{{1, 1}, {}};
  for (const Letter& letter : word.letters) {
    Number base = letter.of.r == x.value.r ? x : ordinary(letter.of);
    base.nonnegative = true;
    form.powers.push_back({std::move(base), letter.power * exponent});
  }
  if (word.exponent.r != 0)
    form.factor = plain_exp(ordinary(word.exponent * residues_of(exponent))).value;
  Number result = root_form(std::move(form));
  if (!word.constant.is_one())
    result = multiply(plain_root(exact(word.constant), numerator, denominator), result);
  if (result.is_finite() && !result.is_constant()) {
    result.nonnegative = true;
    result.positive |= x.positive;
  }
  return result;
}

// base^exponent, between 0 and 1: powers of one random root where the denominators are common ones.
Residues Algebra::root_value(const Residues& base, const Rational& exponent) const {
  constexpr PlainInt kCommon = 12;
  const auto parts = static_cast<PlainInt>(exponent.denominator());
  const PlainInt of = kCommon % parts == 0 ? kCommon : parts;
  Residues root =
      identity::power(random_("root", std::vector<uint64_t>{static_cast<uint64_t>(of), base.r}),
                      static_cast<PlainInt>(exponent.numerator()) * (of / parts));
  if (cases() == nullptr || cases()->all_chosen()) return root;
  if (!is_square(base.r)) {
    if (parts == 2 || parts == 4) cases()->note_free_root();
    return root;
  }
  const auto own = [&](const Residues& square, const Residues& otherwise) {
    const uint64_t e = square_root<kQ>(square.e);
    return Residues{square_root<kP>(square.r), times<kQ>(e, e) == square.e ? e : otherwise.e};
  };
  if (parts == 2) return own(base, root);
  if (parts != 4) return root;
  const Residues one = identity::power(random_("root", std::vector<uint64_t>{kCommon, base.r}), 3);
  return identity::power(own(root_value(base, Rational(1, 2)), one),
                         static_cast<PlainInt>(exponent.numerator()));
}

// A root of 1/x is one over that of x: the base is what a root was taken of first.
void Algebra::take_first_base(RootPower& power) {
  constexpr size_t kMostBases = size_t{1} << 16;
  const uint64_t r = power.base.value.r;
  if (r == 0 || power.base.is_constant() || known_roots_.bases.contains(r)) return;
  const Residues other = inverse(power.base.value);
  if (!known_roots_.bases.contains(other.r)) {
    if (known_roots_.bases.size() < kMostBases) known_roots_.bases.insert(r);
    return;
  }
  const bool nonnegative = power.base.nonnegative, positive = power.base.positive;
  power.base = ordinary(other);
  power.base.nonnegative = nonnegative;
  power.base.positive = positive;
  power.exponent = -power.exponent;
}

Number Algebra::root_form(RootForm form) {
  if (form.factor.r == 0) return exact(Rational(0));
  for (RootPower& each : form.powers) take_first_base(each);
  std::sort(form.powers.begin(), form.powers.end(),
            [](const RootPower& a, const RootPower& b) { return a.base.value.r < b.base.value.r; });
  std::vector<RootPower> merged;
  for (RootPower& each : form.powers) {
    if (each.base.value.r == 0) return undefined();
    if (merged.empty() || merged.back().base.value.r != each.base.value.r) {
      merged.push_back(std::move(each));
      continue;
    }
    merged.back().exponent = merged.back().exponent + each.exponent;
    merged.back().base.nonnegative |= each.base.nonnegative;
    merged.back().base.positive |= each.base.positive;
  }
  const bool alone = form.factor.r == 1;
  bool of_positive = true;
  form.powers.clear();
  for (RootPower& each : merged) {
    // Exponents between 0 and 1: the rest is a power of the base itself.
    const Rational exponent = each.exponent;
    const auto numerator = static_cast<PlainInt>(exponent.numerator()),
               denominator = static_cast<PlainInt>(exponent.denominator());
    const PlainInt rest = (numerator % denominator + denominator) % denominator;
    form.factor = form.factor * identity::power(each.base.value, (numerator - rest) / denominator);
    of_positive = of_positive && each.base.positive;
    if (rest == 0) continue;
    each.exponent = Rational(rest, denominator);
    form.powers.push_back(std::move(each));
  }
  Residues value = form.factor;
  for (const RootPower& each : form.powers)
    value = value * root_value(each.base.value, each.exponent);
  Number result = form.powers.empty() ? ordinary(value)
                                      : with_form(value, Kind::kRoot, roots_, std::move(form));
  if (result.is_constant()) return result;
  result.type = kReal;
  result.nonnegative = alone;
  result.positive = alone && of_positive;
  return result;
}

Number Algebra::product_of_roots(const Number& a, const Number& b) {
  if (a.kind != Kind::kRoot) return product_of_roots(b, a);
  RootForm form = roots_[index(a)];
  if (b.kind != Kind::kRoot) {
    form.factor = form.factor * b.value;
    return root_form(std::move(form));
  }
  const RootForm& other = roots_[index(b)];
  form.factor = form.factor * other.factor;
  // A power of the base itself only where the root is defined.
  for (const RootPower& x : other.powers)
    for (const RootPower& y : form.powers)
      if (x.base.value.r == y.base.value.r && (x.exponent + y.exponent).is_integer() &&
          !x.base.nonnegative && !y.base.nonnegative)
        return ordinary(a.value * b.value);
  form.powers.insert(form.powers.end(), other.powers.begin(), other.powers.end());
  return root_form(std::move(form));
}

std::optional<Number> Algebra::sum_of_roots(const std::vector<Number>& terms) {
  for (const Number& x : terms)
    if (x.kind != Kind::kRoot) return std::nullopt;
  RootForm total = roots_[index(terms[0])];
  total.factor = {};
  for (const Number& x : terms) {
    const RootForm& form = roots_[index(x)];
    if (!same_powers(form, total)) return std::nullopt;
    total.factor = total.factor + form.factor;
  }
  return root_form(std::move(total));
}

}  // namespace assay::checker::identity
