#include "static_check/checker/arithmetic/division.h"

#include <algorithm>

#include "static_check/checker/arithmetic/definitions.h"

namespace assay::checker {
namespace {

bool divides(const Facts& facts, const Factor& factor) {
  const Instance* made = facts.definition(factor.atom);
  return made != nullptr && made->kind == Instance::Kind::kMap && made->fn == "reciprocal" &&
         facts.positive(made->operands[0].atom);
}

// What the factor divides by, where it is the reciprocal of a positive element.
std::optional<Factor> divisor_of(const Facts& facts, const Region& region, const Factor& factor) {
  if (!divides(facts, factor)) return std::nullopt;
  const Instance* made = facts.definition(factor.atom);
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

namespace {

// The boxes that the factor is a part by.
std::vector<Box> own_boxes(const Facts& facts, const Product& product, const Factor& factor) {
  std::vector<Box> own;
  for (const Box& box : product.boxes)
    if (facts.hides(factor.atom, box.label)) own.push_back(box);
  return own;
}

// Takes the factor, with the boxes that it is a part by, out of the product; false when it is no
// factor of its own.
bool take_part(const Facts& facts, Product& product, const Factor& factor,
               const std::vector<Box>& boxes) {
  const auto belongs = [&](const Box& box) { return facts.hides(factor.atom, box.label); };
  if (!take(product, factor) || own_boxes(facts, product, factor) != boxes) return false;
  for (const Box& box : boxes) {
    if (box.maximum) return false;
    for (const Factor& other : product.factors)
      if (facts.hides(other.atom, box.label)) return false;
  }
  std::erase_if(product.boxes, belongs);
  return std::none_of(product.boxes.begin(), product.boxes.end(),
                      [](const Box& box) { return box.maximum; });
}

}  // namespace

bool divide_by_common_factors(const Facts& facts, Sum& sum) {
  bool divided = false;
  const Factors candidates = sum.front().factors;
  for (const Factor& factor : candidates) {
    const Atom::Kind kind = facts.atom(factor.atom).kind;
    if (kind == Atom::Kind::kInfinity || kind == Atom::Kind::kNan) continue;
    const std::vector<Box> boxes = own_boxes(facts, sum.front(), factor);
    Sum rest = sum;
    if (!std::all_of(rest.begin(), rest.end(),
                     [&](Product& product) { return take_part(facts, product, factor, boxes); }))
      continue;
    sum = std::move(rest);
    divided = true;
  }
  return divided;
}

bool has_divisor(const Facts& facts, const Sum& sum) {
  return std::any_of(sum.begin(), sum.end(), [&](const Product& product) {
    return std::any_of(product.factors.begin(), product.factors.end(),
                       [&](const Factor& factor) { return divides(facts, factor); });
  });
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
