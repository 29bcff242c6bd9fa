// Where comparisons of sums of inputs are ties, so that evaluations by cases can have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "shared_ir/rational.h"

namespace assay::identity {

using Input = std::pair<uint64_t, uint64_t>;  // atom, address

// The sum of coefficients times inputs; of none twice, by their order.
using LinearForm = std::vector<std::pair<Input, Rational>>;

// a * x + b * y; empty where it has too many terms, or too long coefficients.
LinearForm combined(const LinearForm& x, const Rational& a, const LinearForm& y, const Rational& b);

// What comparisons of earlier cases of a test have asked of sums of inputs.
class Ties {
 public:
  // The last input of the sum is `sum` + `offset` at a tie.
  struct Tie {
    LinearForm sum;
    Rational offset;
    bool operator==(const Tie&) const = default;
  };

  // The form, of one input or more, was compared with that. `at_ties`: where others are at ties, as
  // x^2 < z asks for the sign of z where x is 0; of these only some are kept.
  void meet(const LinearForm& form, const Rational& threshold, bool at_ties);
  const std::vector<Tie>& of(const Input& input) const;
  // The largest number of ties of one input.
  size_t most() const { return most_; }
  bool take_changed() { return std::exchange(changed_, false); }

 private:
  std::map<Input, std::vector<Tie>> ties_;
  size_t most_ = 1;
  bool changed_ = false;
};

}  // namespace assay::identity
