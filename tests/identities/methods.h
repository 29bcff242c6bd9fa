// What each method of proof says of a case by itself.
#pragma once

#include <string>

#include "shared_ir/operator_table/operator_table.h"
#include "static_check/check.h"

namespace assay::test {

struct MethodVerdicts {
  bool derivations = false;  // lifting and lemmas
  bool everywhere = false;   // the identity test
  bool by_cases = false;     // the identity test by cases
  bool checker = false;      // the checker, asked for all of it by evaluation
  bool together = false;     // as a user's check
  std::string rejected;      // why the checker rejects what was found as a derivation
  std::string reason;        // why it is not proved together

  bool any() const { return derivations || everywhere || by_cases || checker || together; }
};

/// Every expectation of the case, by all methods together.
MethodVerdicts verdict_together(const Case& refinement, const OperatorTable& operators);

/// And by each alone.
MethodVerdicts verdicts_of_each(const Case& refinement, const OperatorTable& operators);

}  // namespace assay::test
