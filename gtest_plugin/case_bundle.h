// The folder that a failing test leaves behind, for `assay check`.
#pragma once

#include "assay/refinement.h"
#include "gtest_plugin/failure_message.h"

namespace assay {

// Keeps the case, in a folder of the test's name below ASSAY_BUNDLES: says in the context where, or
// why it cannot be written. Neither when the programs cannot be captured, which the report says.
void write_bundle(const RefinementSpec& spec, FailureContext* context);

}  // namespace assay
