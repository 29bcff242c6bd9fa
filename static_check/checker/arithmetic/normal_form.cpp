// The normal form of a product.
#include <algorithm>

#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/arithmetic/definitions.h"

namespace assay::checker {
namespace {

// A guard on ids over a sum of one-hot(ids) along its class is a box on the class: all other
// summands are 0.
bool guard_to_box(const Facts& facts, const Region& region, Product& product, const Guard& guard) {
  const AtomId one_hot = facts.one_hot_of(guard.element.atom);
  if (one_hot == kNone) return false;
  const Int elements = facts.atom(guard.element.atom).size;
  for (const Factor& factor : product.factors) {
    const Instance* sum = facts.definition(factor.atom);
    if (sum == nullptr || sum->kind != Instance::Kind::kSum) continue;
    const Instance* mul = facts.definition(sum->operands[0].atom);
    if (mul == nullptr || mul->kind != Instance::Kind::kMul) continue;
    for (size_t side = 0; side < 2; ++side) {
      if (facts.canonical(mul->operands[side].atom) != one_hot) continue;
      // The one-hot's index as a function of the region's digits and of one more digit per reduced
      // label.
      Region inner = region;
      std::vector<Affine> labels = label_coordinates(region, *sum, factor.index);
      std::vector<std::pair<LabelId, size_t>> reduced;
      for (size_t i = 0; i < labels.size(); ++i) {
        if (sum->labels[i].tag != InstanceLabel::Tag::kReduced) continue;
        inner = region_of({sum->labels[i].size}, inner);
        labels[i] = inner.coords.back();
        if (sum->labels[i].size > 1)
          reduced.emplace_back(sum->labels[i].hidden, inner.sizes.size() - 1);
      }
      Affine index;
      try {
        index = operand_index(*mul, side,
                              label_coordinates(inner, *mul, operand_index(*sum, 0, labels)));
      } catch (const Split&) {
        continue;  // no single digit of the one-hot: the guard stays a guard
      }
      for (const auto& [label, digit] : reduced) {
        if (index.step(digit) != elements) continue;
        Affine element = index;
        element.steps[digit] = 0;
        element = plus(element, Affine{});
        const Int first_class = element.base - guard.element.index.base;
        if (element.steps != guard.element.index.steps || first_class % elements != 0) continue;
        size_t hiding = 0;
        for (const Factor& other : product.factors)
          hiding += facts.hides(other.atom, label) ? 1 : 0;
        if (hiding != 1 || !facts.may_box(factor.atom, label)) continue;
        const Int size = inner.sizes[digit], shift = first_class / elements;
        Box box{label, 1, size, false, {}};
        for (const Interval& in : intersect(guard.in, {{shift, shift + size}}))
          box.in.push_back({in.lo - shift, in.hi - shift});
        product.boxes.push_back(std::move(box));
        return true;
      }
    }
  }
  return false;
}

// For all integers that the sequential program's indices leave.
bool holds_for_indices(const Facts& facts, const Region& region, const Guard& guard) {
  const std::vector<Interval> left =
      facts.integer_values(region, guard.element.atom, guard.element.index);
  return !left.empty() && std::all_of(left.begin(), left.end(), [&](const Interval& values) {
    return std::any_of(guard.in.begin(), guard.in.end(), [&](const Interval& in) {
      return in.lo <= values.lo && values.hi <= in.hi;
    });
  });
}

// The class of a one-hot of this very element that the product contains; nullopt when there is
// none.
std::optional<Affine> class_of(const Facts& facts, const Product& product, const Factor& element) {
  const AtomId one_hot = facts.one_hot_of(element.atom);
  if (one_hot == kNone) return std::nullopt;
  const Int elements = facts.atom(element.atom).size;
  for (const Factor& factor : product.factors) {
    if (factor.atom != one_hot) continue;
    Affine category;
    bool exact = true;
    const auto divided = [&](Int x) {
      exact &= x >= 0 && x % elements == 0;
      return x / elements;
    };
    category.base = divided(factor.index.base - element.index.base);
    category.steps.resize(std::max(factor.index.steps.size(), element.index.steps.size()));
    for (size_t i = 0; i < category.steps.size(); ++i)
      category.steps[i] = divided(factor.index.step(i) - element.index.step(i));
    if (exact) return plus(category, Affine{});
  }
  return std::nullopt;
}

}  // namespace

bool normalise(const Facts& facts, const Region& region, Product& product) {
  if (product.coef.is_zero()) return false;
  std::erase_if(product.factors, [&](const Factor& factor) {
    return facts.atom(factor.atom).kind == Atom::Kind::kOne;
  });
  std::erase_if(product.factors, [&](const Factor& factor) {  // a boolean is 1 where it is 1
    if (!facts.boolean(factor.atom)) return false;
    product.guards.push_back({factor, {{1, 2}}});
    return true;
  });
  for (Factor& factor : product.factors) factor.atom = facts.canonical(factor.atom);
  std::sort(product.factors.begin(), product.factors.end());

  std::vector<Guard> guards;
  for (Guard& guard : product.guards) {
    guard.element.atom = facts.canonical(guard.element.atom);
    if (facts.boolean(guard.element.atom)) guard.in = intersect(guard.in, {{0, 2}});
    const auto same = std::find_if(guards.begin(), guards.end(), [&](const Guard& other) {
      return other.element == guard.element;
    });
    if (same == guards.end())
      guards.push_back(guard);
    else
      same->in = intersect(same->in, guard.in);
  }
  product.guards.clear();
  for (const Guard& guard : guards) {
    if (guard.in.empty()) return false;
    // The guarded integer is known: element i of an iota is i, and a one-hot is 0 but where the
    // integer is its class.
    const auto known = facts.atom(guard.element.atom).kind == Atom::Kind::kIota
                           ? std::optional<Affine>(guard.element.index)
                           : class_of(facts, product, guard.element);
    if (known) {
      const bool holds = std::any_of(guard.in.begin(), guard.in.end(), [&](const Interval& in) {
        return inside(region, *known, in);
      });
      if (!holds) return false;
      continue;
    }
    if (holds_for_indices(facts, region, guard)) continue;
    if (!guard_to_box(facts, region, product, guard)) product.guards.push_back(guard);
  }
  return std::none_of(product.boxes.begin(), product.boxes.end(),
                      [](const Box& box) { return box.in.empty(); });
}

}  // namespace assay::checker
