// Positive numbers that others were multiplied by, so that rows that have one in common are found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "static_check/identity/factors/sieve.h"
#include "static_check/identity/number.h"

namespace assay::identity {

// Of numbers without logarithms, which are no constants. What is noted of a number is a product of
// positive ones of which it is a multiple, of none of any sign 1.
class PositiveFactors {
 public:
  void learn_product(const Residue& product, const Number& a, const Number& b);
  void learn_multiple(const Residue& product, const Number& of, const Rational& by);
  // A sum has what its terms have in common.
  void learn_sum(const Residue& sum, const Number& a, const Number& b);

  // Of a positive number itself.
  Residue of(const Number& number) const;
  // Whether a number of any sign was multiplied by it, and it is positive.
  bool is_one(uint64_t value) const { return positive_.contains(value); }

 private:
  static constexpr size_t kMost = size_t{1} << 16;

  bool may_have(const Number& number) const {
    return number.sign == Sign::kPositive || noted_.may_hold(number.residue.value);
  }
  void note(const Residue& number, const Residue& factor);

  Sieve noted_;
  std::unordered_map<uint64_t, Residue> factors_, positive_;  // by value
};

}  // namespace assay::identity
