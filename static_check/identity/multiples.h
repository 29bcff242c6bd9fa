// Numbers that are positive constants times each other.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "static_check/identity/number.h"

namespace assay::identity {

class Multiples {
 public:
  // A positive constant of the programs, by which numbers may have been multiplied or divided. The
  // first of them are tried.
  void learn(const Residue& constant);

  // The first number that was asked for of which this one is such a multiple: of some itself.
  Residue first_of(const Residue& number);

 private:
  std::vector<uint64_t> constants_;  // and what is one by them
  std::unordered_map<uint64_t, Residue> first_;
};

}  // namespace assay::identity
