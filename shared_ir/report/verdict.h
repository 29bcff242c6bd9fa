// The closed set of answers that Assay gives about a case (docs/architecture.md).
#pragma once

#include <string_view>

namespace assay {

enum class Verdict {
  kProved,       // every checked output and expectation has a certificate
  kRefuted,      // a witness exists: an input on which both sides differ, or a broken collective
  kUnproved,     // no proof was found; nothing more is claimed
  kTimeout,      // a stated bound (time, nodes, solver) was reached first
  kUnsupported,  // an operator or a construct has no declaration
  kError,        // the input is wrong or Assay itself failed
};

// Lower-case name as written in the report's JSON ("proved", ...).
std::string_view to_string(Verdict verdict);

// Exit code of the command line for one case: 0 proved, 1 refuted/unproved/timeout/unsupported, 2
// error. Outputs that the user accepts without proof can still make it 0 (accepted_outputs.h).
int exit_code(Verdict verdict);

}  // namespace assay
