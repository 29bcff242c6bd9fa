#include "static_check/checker/arithmetic/exponentials.h"

#include <algorithm>
#include <utility>

#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/arithmetic/definitions.h"

namespace assay::checker {
namespace {

constexpr size_t kMostTerms = 256;
constexpr Int kMostTimes = 4;      // that a logarithm occurs
constexpr int kMostDivisors = 32;  // that one sum is multiplied by

Sum one() { return {Product{}}; }

void append(Sum& to, const Sum& sum) { to.insert(to.end(), sum.begin(), sum.end()); }

// What the call of `fn` that the factor is reads; nullopt when it is none.
std::optional<Factor> argument(const Facts& facts, const Region& region, const std::string& fn,
                               const Factor& factor) {
  const Instance* made = facts.definition(factor.atom);
  if (made == nullptr || made->kind != Instance::Kind::kMap || made->fn != fn ||
      made->operands.size() != 1)
    return std::nullopt;
  const std::vector<Affine> labels = label_coordinates(region, *made, factor.index);
  return Factor{made->operands[0].atom, operand_index(*made, 0, labels)};
}

bool is_single(const Product& product) {
  return product.factors.size() == 1 && product.boxes.empty() && product.guards.empty();
}

bool is_call(const Facts& facts, const Region& region, const std::string& fn, const Sum& operand,
             const Sum& claim) {
  if (claim.size() != 1 || !is_single(claim[0]) || !claim[0].coef.is_one()) return false;
  const auto read = argument(facts, region, fn, claim[0].factors[0]);
  return read && is_floating(facts.atom(claim[0].factors[0].atom).dtype) &&
         equal(facts, region, operand, {{1, {*read}, {}, {}}});
}

// The sum with its names unfolded.
Sum without_names(const Facts& facts, const Region& region, const Sum& sum) {
  Sum pending = sum, result;
  while (!pending.empty()) {
    Product product = std::move(pending.back());
    pending.pop_back();
    const Instance* made =
        product.factors.size() == 1 ? facts.definition(product.factors[0].atom) : nullptr;
    if (made == nullptr || made->kind != Instance::Kind::kCombine) {
      if (normalise(facts, region, product)) result.push_back(std::move(product));
      if (result.size() + pending.size() > kMostTerms) throw Rejection{"too many terms"};
      continue;
    }
    const Sum pieces = *expand(facts, region, product.factors[0]);
    product.factors.clear();
    for (const Product& piece : pieces) pending.push_back(multiply(facts, product, piece));
  }
  return result;
}

// s where the product is a few times log(s) or -log(s), s positive.
std::optional<Factor> of_log(const Facts& facts, const Region& region, const Product& product) {
  if (!is_single(product) || !product.coef.is_integer() || !product.coef.fits(kMostTimes))
    return std::nullopt;
  const auto read = argument(facts, region, "log", product.factors[0]);
  return read && facts.positive(read->atom) ? read : std::nullopt;
}

void append_power(Factors& to, const Factor& factor, const Rational& exponent) {
  for (Rational left = exponent.is_negative() ? -exponent : exponent; !left.is_zero();
       left = left - 1)
    to.push_back(factor);
}

// A sum, apart: the s of +log(s), those of -log(s), and what is no logarithm.
struct Logarithms {
  Factors over, under;
  Sum rest;
};

Logarithms logarithms_of(const Facts& facts, const Region& region, const Sum& sum) {
  Logarithms result;
  for (const Product& product : without_names(facts, region, sum)) {
    const auto read = of_log(facts, region, product);
    if (!read)
      result.rest.push_back(product);
    else
      append_power(product.coef.is_positive() ? result.over : result.under, *read, product.coef);
  }
  return result;
}

Sum times(const Facts& facts, const Sum& sum, const Factors& factors) {
  Sum result;
  for (const Product& product : sum)
    result.push_back(multiply(facts, product, {1, factors, {}, {}}));
  return result;
}

// A sum without its exponentials, and the sum of their exponents: value * exp(exponent).
struct Scaled {
  Sum value;
  Sum exponent;
};

// Where the product has the factor; its end where it has none.
Factors::iterator find_call(const Facts& facts, const Region& region, const std::string& fn,
                            Product& product, const Factor& of) {
  return std::find_if(product.factors.begin(), product.factors.end(), [&](const Factor& factor) {
    return argument(facts, region, fn, factor) == of;
  });
}

// The product with its factors' products and names of one term written out.
Product written_out(const Facts& facts, const Region& region, Product product) {
  Factors pending = std::exchange(product.factors, {});
  while (!pending.empty()) {
    const Factor factor = std::move(pending.back());
    pending.pop_back();
    const Instance* made = facts.definition(factor.atom);
    const bool defined = made != nullptr && (made->kind == Instance::Kind::kMul ||
                                             made->kind == Instance::Kind::kCombine);
    const std::optional<Sum> inside = defined ? expand(facts, region, factor) : std::nullopt;
    if (!inside || inside->size() != 1 || !inside->front().boxes.empty() ||
        !inside->front().guards.empty()) {
      product.factors.push_back(factor);
      continue;
    }
    product.coef = product.coef * inside->front().coef;
    const Factors& factors = inside->front().factors;
    pending.insert(pending.end(), factors.begin(), factors.end());
  }
  return product;
}

// A finite exponential that a product of the sum is divided by.
std::optional<Factor> exponential_divisor(const Facts& facts, const Region& region,
                                          const Sum& sum) {
  for (const Product& product : sum)
    for (const Factor& factor : product.factors) {
      const auto divisor = argument(facts, region, "reciprocal", factor);
      if (divisor && argument(facts, region, "exp", *divisor) &&
          (facts.positive(divisor->atom) || sum.size() == 1))
        return divisor;
    }
  return std::nullopt;
}

// An exponent whose exponential is a factor of all products of the sum.
std::optional<Factor> shared_exponent(const Facts& facts, const Region& region, Sum& sum) {
  if (sum.empty()) return std::nullopt;
  for (const Factor& factor : sum.front().factors) {
    const auto exponent = argument(facts, region, "exp", factor);
    if (exponent && std::all_of(sum.begin(), sum.end(), [&](Product& product) {
          return find_call(facts, region, "exp", product, *exponent) != product.factors.end();
        }))
      return exponent;
  }
  return std::nullopt;
}

// The exponentials that products of the sum are divided by and those that all its products share
// are taken out, in this form of sums that are equal but for a factor as well.
Scaled without_exponentials(const Facts& facts, const Region& region, const Sum& sum) {
  Scaled result;
  for (const Product& product : sum) result.value.push_back(written_out(facts, region, product));
  for (int taken = 0; taken < kMostDivisors; ++taken) {
    const auto divisor = exponential_divisor(facts, region, result.value);
    if (!divisor) break;
    for (Product& product : result.value) {
      const auto at = find_call(facts, region, "reciprocal", product, *divisor);
      if (at != product.factors.end())
        product.factors.erase(at);
      else
        product = multiply(facts, product, {1, {*divisor}, {}, {}});
    }
    result.exponent.push_back({-1, {*argument(facts, region, "exp", *divisor)}, {}, {}});
  }
  while (const auto exponent = shared_exponent(facts, region, result.value)) {
    for (Product& product : result.value)
      product.factors.erase(find_call(facts, region, "exp", product, *exponent));
    result.exponent.push_back({1, {*exponent}, {}, {}});
  }
  return result;
}

// The same of the product of these factors, names of sums among them unfolded where that takes
// something out.
Scaled without_exponentials(const Facts& facts, const Region& region, const Factors& factors) {
  Scaled result{one(), {}};
  for (const Factor& factor : factors) {
    const Sum whole{{1, {factor}, {}, {}}};
    Scaled taken = without_exponentials(facts, region, without_names(facts, region, whole));
    if (taken.exponent.empty()) taken.value = whole;
    Sum product;
    for (const Product& x : result.value)
      for (const Product& y : taken.value) product.push_back(multiply(facts, x, y));
    if (product.size() > kMostTerms) throw Rejection{"too many terms"};
    result.value = std::move(product);
    append(result.exponent, taken.exponent);
  }
  return result;
}

// Multiplies a sum that is divided by this positive divisor in one of its products at least by it;
// false where none is, or where a part of the divisor cannot be multiplied.
bool take_divisor(const Facts& facts, const Region& region, Sum& sum, const Factor& divisor) {
  Sum rest;
  bool divided = false;
  for (Product product : sum) {
    const auto at = find_call(facts, region, "reciprocal", product, divisor);
    if (at == product.factors.end()) {
      const bool part = std::any_of(
          product.boxes.begin(), product.boxes.end(),
          [&](const Box& box) { return box.maximum || facts.hides(divisor.atom, box.label); });
      if (part) return false;
      rest.push_back(multiply(facts, product, {1, {divisor}, {}, {}}));
      continue;
    }
    product.factors.erase(at);
    rest.push_back(std::move(product));
    divided = true;
  }
  if (divided) sum = std::move(rest);
  return divided;
}

constexpr int kMostRounds = 4;  // of logarithms in exponents of what logarithms are of

// Whether exp(parts) = value.
bool are_equal(const Facts& facts, const Region& region, Logarithms parts, Scaled value) {
  // A part of a sum that is divided by the whole cannot be multiplied by it.
  std::erase_if(parts.under, [&](const Factor& divisor) {
    return take_divisor(facts, region, value.value, divisor);
  });
  // exp(exponent) * over = under, with the logarithms of the exponent taken out, and those in the
  // exponents of these.
  Sum exponent, over = one(), under = std::move(value.value);
  const auto subtract = [&](const Sum& taken) {
    for (Product product : taken) {
      product.coef = -product.coef;
      exponent.push_back(std::move(product));
    }
  };
  subtract(value.exponent);
  append(exponent, parts.rest);
  for (int round = 0; round < kMostRounds; ++round) {
    const Scaled above = without_exponentials(facts, region, parts.over);
    const Scaled below = without_exponentials(facts, region, parts.under);
    over = multiply(facts, region, over, above.value, {});
    under = multiply(facts, region, under, below.value, {});
    if (over.size() + under.size() > kMostTerms) return false;
    append(exponent, above.exponent);
    subtract(below.exponent);
    if (equal(facts, region, exponent, {})) return equal(facts, region, under, over);
    parts = logarithms_of(facts, region, exponent);
    if (parts.over.empty() && parts.under.empty()) return false;
    if (equal(facts, region, parts.rest, {}) &&
        equal(facts, region, times(facts, under, parts.under), times(facts, over, parts.over)))
      return true;
    exponent = parts.rest;
  }
  return false;
}

// Positive divisors of a value of one product, which multiply the other side instead: there names
// of exponentials are unfolded.
Factors take_positive_divisors(const Facts& facts, const Region& region, Sum& value) {
  Factors taken;
  if (value.size() != 1) return taken;
  std::erase_if(value.front().factors, [&](const Factor& factor) {
    const auto divisor = argument(facts, region, "reciprocal", factor);
    if (!divisor || !facts.positive(divisor->atom)) return false;
    taken.push_back(*divisor);
    return true;
  });
  return taken;
}

// Whether exp(logarithm) = value.
bool is_logarithm(const Facts& facts, const Region& region, const Sum& logarithm,
                  const Sum& value_of) {
  const Logarithms parts = logarithms_of(facts, region, logarithm);
  const Sum value = without_names(facts, region, value_of);
  const Scaled scaled = without_exponentials(facts, region, value);
  if (are_equal(facts, region, parts, scaled)) return true;
  Scaled undivided = scaled;
  const Factors divisors = take_positive_divisors(facts, region, undivided.value);
  if (!divisors.empty()) {
    Logarithms multiplied = parts;
    multiplied.over.insert(multiplied.over.end(), divisors.begin(), divisors.end());
    if (are_equal(facts, region, std::move(multiplied), std::move(undivided))) return true;
  }
  // Names among its factors are sums that share exponentials.
  if (value.size() != 1 || !value[0].boxes.empty() || !value[0].guards.empty()) return false;
  const Product product = written_out(facts, region, value[0]);
  Scaled factors = without_exponentials(facts, region, product.factors);
  for (Product& term : factors.value) term.coef = term.coef * product.coef;
  return are_equal(facts, region, parts, std::move(factors));
}

bool is_reciprocal(const Facts& facts, const Region& region, const Sum& operand, const Sum& claim) {
  if (claim.size() != 1 || operand.empty())
    return equal(facts, region, multiply(facts, region, claim, operand, claim), one());
  // A part of a sum that is divided by the whole cannot be multiplied by it.
  Product factors = written_out(facts, region, claim.front());
  Sum rest;
  for (const Product& product : operand) rest.push_back(written_out(facts, region, product));
  std::erase_if(factors.factors, [&](const Factor& factor) {
    return facts.positive(factor.atom) && take_divisor(facts, region, rest, factor);
  });
  return equal(facts, region, multiply(facts, region, {factors}, rest, claim), one());
}

bool is_sigmoid(const Facts& facts, const Region& region, const Sum& operand, const Sum& claim) {
  const Logarithms parts = logarithms_of(facts, region, operand);
  if (!parts.rest.empty()) return false;
  Sum whole = times(facts, claim, parts.over);
  for (Product& product : times(facts, claim, parts.under)) whole.push_back(std::move(product));
  return equal(facts, region, whole, times(facts, one(), parts.over));
}

}  // namespace

bool holds_exponentially(const Facts& facts, const Region& region, const std::string& fn,
                         const Sum& operand, const Sum& claim) try {
  if (is_call(facts, region, fn, operand, claim)) return true;
  if (fn == "exp") return is_logarithm(facts, region, operand, claim);
  if (fn == "log") return is_logarithm(facts, region, claim, operand);
  if (fn == "sigmoid") return is_sigmoid(facts, region, operand, claim);
  return fn == "reciprocal" && is_reciprocal(facts, region, operand, claim);
} catch (const Rejection&) {
  return false;
}

}  // namespace assay::checker
