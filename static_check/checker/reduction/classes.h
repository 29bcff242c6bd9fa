// Sums over the classes of one-hots.
#pragma once

#include <functional>
#include <optional>

#include "static_check/checker/arithmetic/sums.h"

namespace assay::checker {

// What is left of a sum: a product that is added up over the region's other digits. Its coefficient
// is 0 where nothing is.
struct BesideClasses {
  Region region;
  Product product;
};

// Of a one-hot that alone of a product's factors moves along a digit, from class to class, one
// class is met: added up it is 1 where the integer is among these classes. Digits from `fixed` on
// are summed. nullopt where no digit is such.
std::optional<BesideClasses> sum_over_classes(const Facts& facts, size_t fixed,
                                              const Region& region, const Product& product);

// One-hots of one class on the whole region as guards: 1 where the integer is that class.
Product with_guards(const Facts& facts, const Region& region, Product product);

// The same sum, with names that stand beside one-hots written out: what an index selects of a sum
// is the sum of what it selects of its terms. Products that are `known` stay. Throws Split.
Sum selected_terms(const Facts& facts, const Region& region, const Sum& sum,
                   const std::function<bool(const Product&)>& known);

}  // namespace assay::checker
