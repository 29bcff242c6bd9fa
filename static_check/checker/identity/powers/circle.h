// Angles as points of the unit circle. The point of a sum of angles is the product of their points:
// cos(a + b) = cos a cos b - sin a sin b, sin(a + b) = sin a cos b + cos a sin b. Angles of which
// nothing else is known are at random points, by the tangent of half of a part of them: equal
// functions of sines and cosines of independent angles are equal as rational functions of these.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "static_check/checker/identity/field.h"
#include "static_check/checker/identity/hash.h"

namespace assay::checker::identity {

class Circle {
 public:
  // Cosine and sine.
  using Point = std::pair<Residues, Residues>;

  // The function must outlive this.
  explicit Circle(const RandomFunction& random) : random_(random) {}

  Point point(const Residues& angle);

 private:
  // Sixtieths of angles that are independent.
  using Turns = std::map<uint64_t, PlainInt>;

  std::optional<Turns> known(uint64_t angle) const;
  std::optional<Turns> composed(uint64_t angle) const;

  const RandomFunction& random_;
  std::unordered_map<uint64_t, Turns> turns_;
  std::vector<uint64_t> asked_;  // the first of these angles
};

}  // namespace assay::checker::identity
