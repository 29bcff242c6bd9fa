// Which of some numbers another one is a positive constant times.
#pragma once

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "static_check/checker/identity/evaluated_number.h"

namespace assay::checker::identity {

// The constants that are tried: the first of the programs and their squares (a root of a product
// has one of each factor), and fractions of small integers.
class Scales {
 public:
  // One of the programs, which is positive.
  void learn(const Rational& constant);

  struct Multiple {
    const Number* of;
    Rational times;
  };
  // times * of has the residue r; nullopt where it is such a multiple of none. By r.
  std::optional<Multiple> find(const std::unordered_map<uint64_t, Number>& numbers, uint64_t r);

 private:
  std::vector<std::pair<uint64_t, Rational>> learned_, fractions_;  // by r; with their inverses
};

}  // namespace assay::checker::identity
