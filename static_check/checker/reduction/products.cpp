#include "static_check/checker/reduction/products.h"

#include <algorithm>

#include "static_check/checker/arithmetic/definitions.h"
#include "static_check/checker/reduction/indicators.h"
#include "static_check/checker/reduction/reduced_labels.h"

namespace assay::checker {
namespace {

// The sum of the product of these factors over these digits, of number `fixed` or more, through
// this instance.
std::optional<Product> reduce_factors(const Facts& facts, const Instance& sum, size_t fixed,
                                      const std::vector<size_t>& digits, const Region& inner,
                                      const Factors& factors) {
  const auto element = as_element(facts, inner, {1, factors, {}, {}}, sum.operands[0].atom);
  if (!element) return std::nullopt;
  const Affine& index = element->factors[0].index;
  const bool all = std::all_of(digits.begin(), digits.end(),
                               [&](size_t digit) { return index.step(digit) != 0; });
  return all ? reduce_through(sum, fixed, inner, index) : std::nullopt;
}

bool is_reciprocal(const Instance& made) {
  return made.kind == Instance::Kind::kMap && made.fn == "reciprocal";
}

bool is_scale(const Facts& facts, const Factor& factor) {
  const Instance* made = facts.definition(factor.atom);
  return made != nullptr &&
         (is_reciprocal(*made) || (made->kind == Instance::Kind::kMap && made->fn == "exp"));
}

// A region with digits for the labels that a sum runs over, between the outer digits and those that
// the sum around it runs over.
struct Widened {
  Region region;
  size_t fixed;  // outer digits
  size_t added;  // digits of the labels

  Affine moved(const Affine& x) const {
    Affine result{x.base, {}};
    for (size_t i = 0; i < x.steps.size(); ++i) {
      const size_t to = i < fixed ? i : i + added;
      if (result.steps.size() <= to) result.steps.resize(to + 1, 0);
      result.steps[to] = x.steps[i];
    }
    return plus(result, {});
  }
};

// The factors under the sum that `of` is, all labels of which are digits of the widened region.
Factors under_the_sum(const Facts& facts, const Instance& sum, const Factor& of,
                      const Region& inner, size_t fixed, Widened& wide) {
  std::vector<Affine> labels = label_coordinates(inner, sum, of.index);
  wide.fixed = fixed;
  wide.region.sizes.assign(inner.sizes.begin(),
                           inner.sizes.begin() + static_cast<ptrdiff_t>(fixed));
  std::vector<std::pair<size_t, Affine>> summed;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (sum.labels[i].tag != InstanceLabel::Tag::kReduced) continue;
    wide.region = region_of({sum.labels[i].size}, wide.region);
    summed.emplace_back(i, wide.region.coords.back());
  }
  wide.added = wide.region.sizes.size() - fixed;
  wide.region.sizes.insert(wide.region.sizes.end(),
                           inner.sizes.begin() + static_cast<ptrdiff_t>(fixed), inner.sizes.end());
  for (Affine& label : labels) label = wide.moved(label);
  for (const auto& [i, coordinate] : summed) labels[i] = coordinate;
  return factors_of(facts, wide.region, {{sum.operands[0].atom, operand_index(sum, 0, labels)}});
}

// Sums that these atoms are, through products and reciprocals.
std::vector<const Instance*> sums_in(const Facts& facts, std::vector<AtomId> pending) {
  std::vector<const Instance*> found;
  while (!pending.empty()) {
    const Instance* made = facts.definition(pending.back());
    pending.pop_back();
    if (made == nullptr) continue;
    if (made->kind == Instance::Kind::kSum) found.push_back(made);
    if (made->kind != Instance::Kind::kMul && !is_reciprocal(*made)) continue;
    for (const Instance::Operand& operand : made->operands) pending.push_back(operand.atom);
  }
  return found;
}

// sum over i of x (sum over j of y) = sum over j of (y') (sum over i of x y''), through `outer` and
// a sum below it.
std::optional<Product> reduce_exchanged(const Facts& facts, const Instance& outer, size_t fixed,
                                        const std::vector<size_t>& digits, const Region& inner,
                                        const Factors& factors, size_t which) {
  Widened wide;
  Factors moving = under_the_sum(facts, *facts.definition(factors[which].atom), factors[which],
                                 inner, fixed, wide);
  for (size_t i = 0; i < factors.size(); ++i)
    if (i != which) moving.push_back({factors[i].atom, wide.moved(factors[i].index)});
  const size_t behind = fixed + wide.added;
  std::vector<size_t> own, added;
  for (const size_t digit : digits) own.push_back(digit + wide.added);
  for (size_t digit = fixed; digit < behind; ++digit) added.push_back(digit);
  const auto stay = std::stable_partition(moving.begin(), moving.end(), [&](const Factor& factor) {
    return factor.index.depends_beyond(behind);
  });
  const Factors staying(stay, moving.end());
  moving.erase(stay, moving.end());
  for (const Instance* below : sums_in(facts, {outer.operands[0].atom})) {
    const auto first = reduce_factors(facts, *below, behind, own, wide.region, moving);
    if (!first) continue;
    Factors rest = staying;
    rest.insert(rest.end(), first->factors.begin(), first->factors.end());
    auto second = reduce_factors(facts, outer, fixed, added, wide.region, rest);
    if (!second) continue;
    for (const Box& box : first->boxes) {
      if (!facts.may_box(second->factors[0].atom, box.label)) return std::nullopt;
      second->boxes.push_back(box);
    }
    return second;
  }
  return std::nullopt;
}

std::optional<Product> reduce_exchanged_any(const Facts& facts, const Instance& sum, size_t fixed,
                                            const std::vector<size_t>& digits, const Region& inner,
                                            const Factors& factors) {
  for (size_t i = 0; i < factors.size(); ++i) {
    const Instance* made = facts.definition(factors[i].atom);
    if (made == nullptr || made->kind != Instance::Kind::kSum ||
        !factors[i].index.depends_beyond(fixed))
      continue;
    try {
      if (auto found = reduce_exchanged(facts, sum, fixed, digits, inner, factors, i)) return found;
    } catch (const Split& split) {
      // Digits of the region are cut outside; those of the inner sum are not.
      if (split.digit < fixed) throw;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Product> reduce_product(const Facts& facts,
                                      const std::set<const Instance*>& candidates, size_t fixed,
                                      const Region& inner, const Product& product) {
  Factors summed = factors_of(facts, inner, {product.factors[0]});
  const auto scales =
      std::stable_partition(summed.begin(), summed.end(), [&](const Factor& factor) {
        return factor.index.depends_beyond(fixed) || !is_scale(facts, factor);
      });
  Product rest = product;
  rest.factors.assign(scales, summed.end());
  summed.erase(scales, summed.end());
  std::vector<size_t> digits;  // those along which it is the same are counted elsewhere
  for (size_t digit = fixed; digit < inner.sizes.size(); ++digit)
    if (product.factors[0].index.step(digit) != 0) digits.push_back(digit);
  // A sum that a scale divides by is cancelled in the claim.
  std::vector<const Instance*> sums(candidates.begin(), candidates.end());
  std::vector<AtomId> scaled;
  for (const Factor& scale : rest.factors) scaled.push_back(scale.atom);
  const auto divided = sums_in(facts, std::move(scaled));
  sums.insert(sums.end(), divided.begin(), divided.end());
  for (const Instance* candidate : sums) {
    auto sum = reduce_factors(facts, *candidate, fixed, digits, inner, summed);
    if (!sum && product.boxes.empty())
      sum = reduce_exchanged_any(facts, *candidate, fixed, digits, inner, summed);
    if (!sum) continue;
    for (const Box& box : sum->boxes)
      for (const Factor& scale : rest.factors)
        if (facts.hides(scale.atom, box.label)) return std::nullopt;
    rest.factors.insert(rest.factors.end(), sum->factors.begin(), sum->factors.end());
    rest.boxes.insert(rest.boxes.end(), sum->boxes.begin(), sum->boxes.end());
    return rest;
  }
  return std::nullopt;
}

}  // namespace assay::checker
