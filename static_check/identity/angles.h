// Sines and cosines as points of the unit circle, so that those of sums of angles are what they are
// by the addition theorems: (cos, sin)(a + b) is the product of both points as complex numbers.
//
// An angle that is no sum, difference or simple fraction of others is at a random point, which a
// twelfth of it has by the rational parametrisation ((1 - t^2), 2 t) / (1 + t^2): equal functions
// of angles, which are independent, are equal as rational functions of the t (Schwartz 1980). That
// a difference is among the known ones by chance has a probability below 2^-60 in two evaluations,
// as in factors.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "static_check/identity/number.h"

namespace assay::identity {

struct Point {
  Residue cos, sin;
};

class Angles {
 public:
  // `random`: a residue of its own for each value.
  explicit Angles(std::function<Residue(uint64_t)> random) : random_(std::move(random)) {}

  Point at(const Residue& angle);

 private:
  using Parts = std::vector<std::pair<uint64_t, int64_t>>;  // twelfths of independent angles

  std::optional<Parts> known(uint64_t value) const;
  std::optional<Parts> by_others(uint64_t value) const;
  Point of(const Parts& parts);

  std::function<Residue(uint64_t)> random_;
  std::unordered_map<uint64_t, Parts> parts_;               // by value
  std::vector<uint64_t> seen_;                              // the first of them
  std::vector<std::pair<uint64_t, uint64_t>> independent_;  // the first: value, inverse
  std::unordered_map<uint64_t, Point> twelfths_;            // points of a twelfth
};

}  // namespace assay::identity
