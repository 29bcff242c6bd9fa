#include "static_check/checker/reduction/classes.h"

#include <algorithm>

#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/arithmetic/definitions.h"

namespace assay::checker {
namespace {

// That the integer of a one-hot is one of the classes along this digit.
std::optional<Guard> among_classes(const Facts& facts, const Region& region, const Factor& one_hot,
                                   size_t digit) {
  const Atom& atom = facts.atom(one_hot.atom);
  if (atom.kind != Atom::Kind::kOneHot) return std::nullopt;
  const Int elements = facts.atom(atom.ids).size;
  if (one_hot.index.step(digit) != elements) return std::nullopt;
  Affine first = one_hot.index;
  first.steps[digit] = 0;
  Affine element = plus(first, Affine{});
  const Int first_class = element.base / elements;
  element.base -= first_class * elements;
  if (region.largest(element) >= elements) return std::nullopt;
  return Guard{{facts.canonical(atom.ids), element},
               {{first_class, first_class + region.sizes[digit]}}};
}

constexpr size_t kMostSelected = 256;  // products

// A name among the factors, beside a one-hot.
Factors::const_iterator name_among(const Facts& facts, const Factors& factors) {
  const bool selects = std::any_of(factors.begin(), factors.end(), [&](const Factor& factor) {
    return facts.atom(factor.atom).kind == Atom::Kind::kOneHot;
  });
  return !selects ? factors.end()
                  : std::find_if(factors.begin(), factors.end(), [&](const Factor& factor) {
                      const Instance* made = facts.definition(factor.atom);
                      return made != nullptr && made->kind == Instance::Kind::kCombine;
                    });
}

}  // namespace

Product with_guards(const Facts& facts, const Region& region, Product product) {
  Factors kept;
  for (const Factor& factor : product.factors) {
    const Atom& atom = facts.atom(factor.atom);
    const Int elements = atom.kind == Atom::Kind::kOneHot ? facts.atom(atom.ids).size : 1;
    Affine element = factor.index;
    const Int its_class = element.base / elements;
    element.base -= its_class * elements;
    if (atom.kind != Atom::Kind::kOneHot || region.largest(element) >= elements) {
      kept.push_back(factor);
      continue;
    }
    product.guards.push_back({{facts.canonical(atom.ids), element}, {{its_class, its_class + 1}}});
  }
  product.factors = std::move(kept);
  return product;
}

Sum selected_terms(const Facts& facts, const Region& region, const Sum& sum,
                   const std::function<bool(const Product&)>& known) {
  Sum result, pending = sum;
  while (!pending.empty()) {
    if (result.size() + pending.size() > kMostSelected) return sum;
    Product product = std::move(pending.back());
    pending.pop_back();
    if (known(product)) {
      result.push_back(std::move(product));
      continue;
    }
    Factors factors = factors_of(facts, region, product.factors);
    const auto name = name_among(facts, factors);
    // A box speaks of a sum inside of a factor: beside one nothing is written out.
    const auto definition = name == factors.end() || !product.boxes.empty()
                                ? std::nullopt
                                : expand(facts, region, *name);
    const bool plain =
        definition && std::all_of(definition->begin(), definition->end(),
                                  [](const Product& piece) { return piece.boxes.empty(); });
    if (!plain) {
      result.push_back(std::move(product));
      continue;
    }
    factors.erase(name);
    for (const Product& piece : *definition) {
      Product whole = product;
      whole.coef = product.coef * piece.coef;
      whole.factors = factors;
      whole.factors.insert(whole.factors.end(), piece.factors.begin(), piece.factors.end());
      whole.guards.insert(whole.guards.end(), piece.guards.begin(), piece.guards.end());
      if (normalise(facts, region, whole)) pending.push_back(std::move(whole));
    }
  }
  return result;
}

std::optional<BesideClasses> sum_over_classes(const Facts& facts, size_t fixed,
                                              const Region& region, const Product& product) {
  Factors factors = factors_of(facts, region, product.factors);
  for (size_t digit = fixed; digit < region.sizes.size(); ++digit) {
    const auto moves = [&](const Factor& factor) { return factor.index.step(digit) != 0; };
    const auto one_hot = std::find_if(factors.begin(), factors.end(), moves);
    if (one_hot == factors.end() || std::any_of(one_hot + 1, factors.end(), moves)) continue;
    const bool guarded = std::any_of(product.guards.begin(), product.guards.end(),
                                     [&](const Guard& guard) { return moves(guard.element); });
    const auto among = guarded ? std::nullopt : among_classes(facts, region, *one_hot, digit);
    if (!among) continue;
    factors.erase(one_hot);
    BesideClasses left{region, product};
    left.region.sizes[digit] = 1;
    left.product.factors = std::move(factors);
    left.product.guards.push_back(*among);
    if (!normalise(facts, left.region, left.product)) left.product.coef = 0;
    return left;
  }
  return std::nullopt;
}

}  // namespace assay::checker
