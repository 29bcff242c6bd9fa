#include "static_check/identity/multiples.h"

#include "static_check/identity/field.h"

namespace assay::identity {

void Multiples::learn(const Residue& constant) {
  constexpr size_t kMost = 256;
  if (constants_.size() >= kMost || constant.value == 0) return;
  constants_.push_back(constant.value);
  constants_.push_back(kValues.inverse(constant.value));
}

Residue Multiples::first_of(const Residue& number) {
  const auto [known, added] = first_.try_emplace(number.value, number);
  if (!added) return known->second;
  for (const uint64_t constant : constants_) {
    const auto other = first_.find(kValues.multiply(number.value, constant));
    if (other == first_.end() || other == known) continue;
    known->second = other->second;
    break;
  }
  return known->second;
}

}  // namespace assay::identity
