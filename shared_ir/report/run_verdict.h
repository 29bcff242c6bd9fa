// The closed set of answers that a run on numbers gives. A run is no proof, and no word of it says
// so: that both sides agree is all that was seen.
#pragma once

#include <array>
#include <string_view>

namespace assay {

enum class RunVerdict {
  kAgrees,        // everything that has a relation was compared, and is within tolerance
  kDeviates,      // something is not, or the ranks' collectives do not meet
  kInconclusive,  // an output was not compared, or rounding explains what differs
  kStuck,         // a rank waited longer than it may
  kFailed,        // a program ended with an error
};

inline constexpr std::array kRunVerdicts = {RunVerdict::kAgrees, RunVerdict::kDeviates,
                                            RunVerdict::kInconclusive, RunVerdict::kStuck,
                                            RunVerdict::kFailed};

// As the report's JSON has it. That is a fixed interface, on which those who read reports rely:
// from its first version on, a run has there the words of a proof ("proved", "refuted", "unproved",
// "timeout", "error").
std::string_view name_in_json(RunVerdict verdict);

}  // namespace assay
