// A function of the bits of integers, the same for the bits at each place: as the sum of products
// of them that it is of bits that are 0 or 1 (Warren, "Hacker's Delight", section 2-3, has such
// sums of and, or and exclusive or). The integer is the sum of the same multiples of what the
// products are of whole integers, their bitwise "and"; that of no integers has all bits set.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "shared_ir/core.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {

struct BitForm {
  std::map<std::set<CoreId>, PlainInt> products;  // none is 0 times

  static BitForm ones() { return {{{{}, 1}}}; }
  static BitForm of(CoreId id) { return {{{{id}, 1}}}; }

  void add(const BitForm& other, PlainInt times) {
    for (const auto& [product, coefficient] : other.products) {
      PlainInt& sum = products[product];
      sum += times * coefficient;
      if (sum == 0) products.erase(product);
    }
  }

  // Those of both at each place.
  BitForm times(const BitForm& other) const {
    BitForm result;
    for (const auto& [a, x] : products)
      for (const auto& [b, y] : other.products) {
        std::set<CoreId> both = a;
        both.insert(b.begin(), b.end());
        result.add({{{both, 1}}}, x * y);
      }
    return result;
  }

  BitForm negated() const {
    BitForm result = ones();
    result.add(*this, -1);
    return result;
  }

  // Of few integers.
  bool is_small() const {
    constexpr size_t kMostProducts = 16, kMostFactors = 4;
    for (const auto& [product, times] : products)
      if (product.size() > kMostFactors) return false;
    return products.size() <= kMostProducts;
  }
};

}  // namespace assay::lowering
