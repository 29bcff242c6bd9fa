#include "shared_ir/lower/build/integers/integer_sum.h"

#include <algorithm>

namespace assay::lowering {

void IntegerSum::add(CoreId id, const Int& times) {
  if (times == 0) return;
  const auto [entry, first] = terms.try_emplace(id, times);
  if (first) return;
  entry->second += times;
  if (entry->second == 0) terms.erase(entry);
}

void IntegerSum::add(const IntegerSum& other, const Int& times) {
  for (const auto& [id, coefficient] : other.terms) add(id, coefficient * times);
  constant += other.constant * times;
}

IntegerSum IntegerSum::times(const Int& factor) const {
  IntegerSum product;
  product.add(*this, factor);
  return product;
}

bool IntegerSum::is_small() const {
  constexpr PlainInt kLargest = PlainInt{1} << 31;
  constexpr size_t kMostTerms = 16;
  const auto is_small = [](const Int& number) { return number <= kLargest && number >= -kLargest; };
  return terms.size() <= kMostTerms && is_small(constant) &&
         std::ranges::all_of(terms, [&](const auto& term) { return is_small(term.second); });
}

}  // namespace assay::lowering
