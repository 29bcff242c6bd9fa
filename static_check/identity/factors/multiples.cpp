#include "static_check/identity/factors/multiples.h"

#include "static_check/identity/algebra.h"
#include "static_check/identity/field.h"

namespace assay::identity {

const std::unordered_map<uint64_t, Rational>& small_fractions() {
  static const auto all = [] {
    constexpr int64_t kLargest = 32;
    std::unordered_map<uint64_t, Rational> fractions;
    for (int64_t p = 1; p <= kLargest; ++p)
      for (int64_t q = 1; q <= kLargest; ++q)
        fractions.try_emplace(residue_of(Rational(p, q)).value, p, q);
    return fractions;
  }();
  return all;
}

void Scales::learn(const Rational& constant, const Residue& residue) {
  constexpr size_t kMost = 128;
  if (constants_.size() < kMost)
    constants_.push_back({residue.value, kValues.inverse(residue.value), constant});
  try {
    squares_.try_emplace(kValues.multiply(residue.value, residue.value), constant * constant);
  } catch (const RationalOverflow&) {
  }
}

std::optional<Rational> Scales::squared(uint64_t value) const {
  const auto square = squares_.find(value);
  return square == squares_.end() ? std::nullopt : std::optional(square->second);
}

Multiples::Multiple Multiples::first_of(const Residue& number, const Scales& scales,
                                        bool of_fractions) {
  const auto inserted = first_.try_emplace(number.value, Multiple{number, 1});
  const auto own = inserted.first;
  if (!inserted.second) return own->second;
  const auto is = [&](uint64_t by, const Rational& times) {
    const auto other = first_.find(kValues.multiply(number.value, by));
    if (other == first_.end() || other == own) return false;
    try {
      own->second = {other->second.first, other->second.times * times};
    } catch (const RationalOverflow&) {
      return false;
    }
    return true;
  };
  for (const Scales::Constant& constant : scales.first())
    if (is(constant.value, Rational(1) / constant.is) || is(constant.inverse, constant.is))
      return own->second;
  if (of_fractions)
    for (const auto& [residue, fraction] : small_fractions())
      if (is(residue, Rational(1) / fraction)) break;
  return own->second;
}

}  // namespace assay::identity
