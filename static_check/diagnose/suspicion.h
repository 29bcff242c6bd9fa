// Which cause of a failure is shown first.
#pragma once

#include <compare>
#include <cstdint>

namespace assay {

// In the order in which reports show them; the first is the most telling. Beside it a bug of the
// zoo (tests/golden/bugs) whose report begins so.
enum class Cause : uint8_t {
  kPendingSum,     // a sum over ranks is used as if it were whole: backward-all-reduce-missing
  kWrongScale,     // up to an output, the ranks hold a multiple: data-parallel-summed
  kAlmostTheSame,  // a tensor of the ranks that is nearly it
  kUnreadInput,    // an output does not depend on an input: float8-weight-of-another-layer
  kSimilar,        // one thing is different: vocabulary-offset-off-by-one
  kNoMeaning,      // what a rank does is not known: an operator without a declaration
  kAlike,          // a piece that lies elsewhere, or lacks a summand: tied-head-missed
  kScaledOperand,  // one operand alone comes at another scale: auxiliary-loss-not-scaled
  kDistant,        // the closest tensor has little in common: zero3-padding-read-as-bias
  kPendingNumber,  // kPendingSum, of integers, flags, and what has no operands
  kScaledBeside,   // a scale that a later operator may set right
  kNumber,         // integers, flags and inputs, which differ between ranks by nature:
                   // context-parallel-local-positions
};

// Compares as greater where it is more telling.
struct Suspicion {
  Cause cause = Cause::kNumber;
  int closeness = 0;  // Nearest::closeness: within a cause, the closer tensor first

  friend auto operator<=>(const Suspicion& a, const Suspicion& b) {
    if (const auto order = b.cause <=> a.cause; order != 0) return order;
    return a.closeness <=> b.closeness;
  }
  friend bool operator==(const Suspicion&, const Suspicion&) = default;
};

// Of a tensor of floating point that an operator made of others (`computed`) or another; `pending`:
// an operand is a sum over ranks.
Suspicion suspicion_of(bool computed, bool pending, int closeness);

// Whether it says more than that masks or indices differ.
bool is_telling(const Suspicion& suspicion);

// Whether what is known of the tensor itself explains more than the scale of an operand would.
bool is_explained(const Suspicion& suspicion);

}  // namespace assay
