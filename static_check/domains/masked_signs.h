// Signs of atoms where masks hide elements of a softmax.
#pragma once

#include <vector>

#include "static_check/lift/lifting.h"

namespace assay {

// What is known of atoms as the lifter's signs have it (signs.h), and more: a sum of exponentials
// of what is real or minus infinity is greater than 0 where of each of its sums the first or the
// last exponent is real, so that its reciprocal and its log are real. Whether a mask hides one is
// worked out of masks that are constants (positions that are compared); what the inputs hide is not
// known.
//
// Proofs do not use it: where a softmax is defined is an assumption, and this says which are idle.
class MaskedSigns {
 public:
  explicit MaskedSigns(const Lifting& lifting) : lifting_(lifting) {}

  Sign sign(AtomId id);

 private:
  void add();
  // Whether a sum is real or plus infinity (`above`), or real or minus infinity.
  bool is_bounded(const Instance& sum, bool above) const;

  const Lifting& lifting_;
  std::vector<Sign> signs_;  // of the first atoms
  std::vector<bool> above_;  // of these: real or plus infinity
};

}  // namespace assay
