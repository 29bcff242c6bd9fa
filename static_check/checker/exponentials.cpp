#include "static_check/checker/exponentials.h"

#include <algorithm>
#include <utility>

#include "static_check/checker/definitions.h"

namespace assay::checker {
namespace {

constexpr size_t kMostTerms = 256;

Sum one() { return {Product{}}; }

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

// s where the product is log(s) or -log(s), s positive.
std::optional<Factor> of_log(const Facts& facts, const Region& region, const Product& product) {
  if (!is_single(product) || (product.coef != 1 && product.coef != -1)) return std::nullopt;
  const auto read = argument(facts, region, "log", product.factors[0]);
  return read && facts.positive(read->atom) ? read : std::nullopt;
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
      (product.coef == 1 ? result.over : result.under).push_back(*read);
  }
  return result;
}

Sum times(const Facts& facts, const Sum& sum, const Factors& factors) {
  Sum result;
  for (const Product& product : sum)
    result.push_back(multiply(facts, product, {1, factors, {}, {}}));
  return result;
}

// Takes the exponentials out of a product; returns the sum of their exponents.
Sum take_exponents(const Facts& facts, const Region& region, Product& product) {
  Sum exponents;
  for (const Factor& factor : factors_of(facts, region, std::exchange(product.factors, {}))) {
    const auto divisor = argument(facts, region, "reciprocal", factor);
    const auto exponent = argument(facts, region, "exp", divisor.value_or(factor));
    if (exponent)
      exponents.push_back({divisor ? -1 : 1, {*exponent}, {}, {}});
    else
      product.factors.push_back(factor);
  }
  return exponents;
}

// Takes the exponentials out of factors of which a logarithm is taken; their exponents, times
// `sign`, are added to the sum around it.
Product without_exponentials(const Facts& facts, const Region& region, const Factors& factors,
                             int sign, Sum& around) {
  Product result;
  for (const Factor& factor : factors) {
    Product of{1, {factor}, {}, {}};
    const Sum inside = without_names(facts, region, {of});
    if (inside.size() == 1 && inside[0].boxes.empty() && inside[0].guards.empty()) {
      of = inside[0];
      for (Product& exponent : take_exponents(facts, region, of)) {
        exponent.coef = exponent.coef * Rational(sign);
        around.push_back(std::move(exponent));
      }
    }
    result = multiply(facts, result, of);
  }
  return result;
}

// The finite exponentials that products of the sum are divided by, each once.
Factors exponential_divisors(const Facts& facts, const Region& region, const Sum& sum) {
  Factors found;
  for (const Product& product : sum) {
    for (const Factor& factor : factors_of(facts, region, product.factors)) {
      const auto divisor = argument(facts, region, "reciprocal", factor);
      if (divisor && facts.positive(divisor->atom) && argument(facts, region, "exp", *divisor) &&
          std::find(found.begin(), found.end(), *divisor) == found.end())
        found.push_back(*divisor);
    }
  }
  return found;
}

// Takes exponentials out of the value, so many that their exponents are `exponents`; false when
// there are no such.
bool take_exponents(const Facts& facts, const Region& region, Sum& value, const Sum& exponents) {
  if (value.size() == 1)
    return equal(facts, region, exponents, take_exponents(facts, region, value[0]));
  const Factors divisors = exponential_divisors(facts, region, value);
  Sum taken;
  for (const Factor& divisor : divisors)
    taken.push_back({-1, {*argument(facts, region, "exp", divisor)}, {}, {}});
  if (!equal(facts, region, exponents, taken)) return false;
  value = times(facts, value, divisors);
  return true;
}

// Whether exp(logarithm) = value.
bool is_logarithm(const Facts& facts, const Region& region, const Sum& logarithm,
                  const Sum& value_of) {
  Logarithms parts = logarithms_of(facts, region, logarithm);
  const Product over = without_exponentials(facts, region, parts.over, 1, parts.rest);
  const Product under = without_exponentials(facts, region, parts.under, -1, parts.rest);
  Sum value = without_names(facts, region, value_of);
  if (!equal(facts, region, parts.rest, {}) && !take_exponents(facts, region, value, parts.rest))
    return false;
  for (Product& product : value) product = multiply(facts, product, under);
  return equal(facts, region, value, {over});
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
  if (fn != "reciprocal") return false;
  return equal(facts, region, multiply(facts, region, claim, operand, claim), one());
} catch (const Rejection&) {
  return false;
}

}  // namespace assay::checker
