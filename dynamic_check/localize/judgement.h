// What was said of an operator of the ranks that was held against its own recorded inputs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dynamic_check/judge/judge.h"

namespace assay {

// By what an operator was judged.
enum class JudgedBy : uint8_t {
  kNothing,         // Judgement::why_not says why
  kView,            // it computes nothing
  kExactReference,  // the operator in float64
  kDeclaration,     // the user's, in float64
  kOtherKernel,     // a product by another way to compute it
  kItself,          // its own kernel, called again: a wrong one agrees with itself
  kMembersInputs,   // a collective: by the reduction or movement of its members' inputs
};

// As in a report: "exact reference".
std::string_view to_string(JudgedBy by);

struct Judgement {
  JudgedBy by = JudgedBy::kNothing;
  std::string why_not{};
  std::optional<OperatorFault> fault{};  // nullopt: right, or not judged
};

}  // namespace assay
