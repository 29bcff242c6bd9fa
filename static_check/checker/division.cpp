#include "static_check/checker/division.h"

#include <algorithm>

#include "static_check/checker/definitions.h"

namespace assay::checker {
namespace {

// What the factor divides by, where it is the reciprocal of a positive element.
std::optional<Factor> divisor_of(const Facts& facts, const Region& region, const Factor& factor) {
  const Instance* made = facts.definition(factor.atom);
  if (made == nullptr || made->kind != Instance::Kind::kMap || made->fn != "reciprocal" ||
      !facts.positive(made->operands[0].atom))
    return std::nullopt;
  const std::vector<Affine> labels = label_coordinates(region, *made, factor.index);
  return Factor{made->operands[0].atom, operand_index(*made, 0, labels)};
}

bool is_boxed(const Facts& facts, const Product& product, const Factor& factor) {
  return std::any_of(product.boxes.begin(), product.boxes.end(), [&](const Box& box) {
    return box.maximum || facts.hides(factor.atom, box.label);
  });
}

bool take(Product& product, const Factor& factor) {
  const auto at = std::find(product.factors.begin(), product.factors.end(), factor);
  if (at == product.factors.end()) return false;
  product.factors.erase(at);
  return true;
}

}  // namespace

void cancel_reciprocals(const Facts& facts, const Region& region, Product& product) {
  for (size_t i = 0; i < product.factors.size();) {
    const Factor factor = product.factors[i];
    const auto divisor = divisor_of(facts, region, factor);
    if (!divisor || is_boxed(facts, product, *divisor) || !take(product, *divisor)) {
      ++i;
      continue;
    }
    take(product, factor);
    i = 0;
  }
}

bool divide_by_common_factors(const Facts& facts, Sum& sum) {
  bool divided = false;
  const std::vector<Factor> candidates = sum.front().factors;
  for (const Factor& factor : candidates) {
    const Atom::Kind kind = facts.atom(factor.atom).kind;
    if (kind == Atom::Kind::kInfinity || kind == Atom::Kind::kNan) continue;
    const bool shared = std::all_of(sum.begin(), sum.end(), [&](const Product& product) {
      return !is_boxed(facts, product, factor) &&
             std::find(product.factors.begin(), product.factors.end(), factor) !=
                 product.factors.end();
    });
    if (!shared) continue;
    for (Product& product : sum) take(product, factor);
    divided = true;
  }
  return divided;
}

std::optional<Sum> over_common_divisor(const Facts& facts, const Region& region, const Sum& sum) {
  Factor newest{kNone, {}};
  std::optional<Factor> divisor;
  for (const Product& product : sum)
    for (const Factor& factor : product.factors) {
      if (factor.atom <= newest.atom) continue;
      if (auto here = divisor_of(facts, region, factor)) {
        newest = factor;
        divisor = std::move(here);
      }
    }
  if (!divisor) return std::nullopt;
  Sum result = sum;
  for (Product& product : result) {
    if (take(product, newest)) continue;
    if (is_boxed(facts, product, *divisor)) return std::nullopt;
    product.factors.push_back(*divisor);
  }
  return result;
}

}  // namespace assay::checker
