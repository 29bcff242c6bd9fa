#include "static_check/identity/cases/assignments.h"

#include <algorithm>

namespace assay::identity {

std::optional<uint64_t> Assignments::value(const Place& input, uint64_t count) {
  if (collecting_) {
    // An index of two tables lies in the smaller one.
    const auto [known, first] = digits_.try_emplace(input, Digit{0, count});
    if (!first) known->second.count = std::min(known->second.count, count);
    return 0;
  }
  const auto known = digits_.find(input);
  if (known == digits_.end() || known->second.count > count) return std::nullopt;
  return known->second.value;
}

uint64_t Assignments::count(uint64_t limit) const {
  uint64_t all = 1;
  for (const auto& [input, digit] : digits_) {
    if (digit.count != 0 && all > limit / digit.count) return limit;
    all *= digit.count;
  }
  return all;
}

bool Assignments::next() {
  for (auto& [input, digit] : digits_) {
    if (++digit.value < digit.count) return true;
    digit.value = 0;
  }
  return false;
}

}  // namespace assay::identity
