// What numbers depend on in a case: which decisions.
#pragma once

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "static_check/checker/identity/evaluated_number.h"

namespace assay::checker::identity {

class Coins {
 public:
  Coins();

  // On one decision, of which no outcome is rarer than 2^-bits.
  Dependence coin(uint64_t key, float bits);
  bool tossed() const { return tossed_; }
  // Of a sum, and of a product.
  Dependence either(const Dependence& a, const Dependence& b);
  Dependence both(const Dependence& a, const Dependence& b);
  // Of a function that is not linear: on all of it.
  Dependence function_of(const Dependence& a);
  // Of 1 / x, where x is a number of this residue.
  Dependence inverse(const Dependence& x, uint64_t r) const;
  // Of which outcomes an equation between numbers is to be seen to fail, which is not asked where a
  // divisor is 0.
  float shown_by(const Dependence& a, const Dependence& b);

 private:
  struct Set {
    std::vector<std::pair<uint64_t, float>> coins;  // by key
    float bits = 0;                                 // of all together
  };

  bool tossed_ = false;  // any

  int32_t intern(Set set);
  int32_t united(int32_t a, int32_t b);
  // Of all its coins.
  float most(int32_t coins) const;
  Dependence fraction(float bits, int32_t coins, float below, int32_t coins_below,
                      uint64_t divisor) const;

  std::vector<Set> sets_;
  std::map<std::vector<std::pair<uint64_t, float>>, int32_t> by_coins_;
  std::unordered_map<uint64_t, int32_t> unions_;  // by both
};

}  // namespace assay::checker::identity
