// Numbers that are positive constants times each other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "shared_ir/rational.h"
#include "static_check/identity/number.h"

namespace assay::identity {

// Of small integers, by their residues.
const std::unordered_map<uint64_t, Rational>& small_fractions();

// Positive constants of the programs, by which numbers may have been multiplied or divided.
class Scales {
 public:
  struct Constant {
    uint64_t value, inverse;  // residues
    Rational is;
  };

  void learn(const Rational& constant, const Residue& residue);
  // The first of them: the others are not tried.
  std::span<const Constant> first() const { return constants_; }
  // The one whose square has this residue: a root of a product has one of each factor.
  std::optional<Rational> squared(uint64_t value) const;

 private:
  std::vector<Constant> constants_;
  std::unordered_map<uint64_t, Rational> squares_;  // by value
};

class Multiples {
 public:
  struct Multiple {
    Residue first;
    Rational times;  // the number is that, times it
  };
  // The first number that was asked for of which this one is a multiple by one of the constants, or
  // by a small fraction too: of some itself.
  Multiple first_of(const Residue& number, const Scales& scales, bool of_fractions = false);

 private:
  std::unordered_map<uint64_t, Multiple> first_;  // by value
};

}  // namespace assay::identity
