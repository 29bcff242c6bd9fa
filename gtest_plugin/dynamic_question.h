// What the dynamic layer is asked about a spec: the programs, and the relations to merge by.
#pragma once

#include "assay/refinement.h"
#include "dynamic_check/check.h"

namespace assay {

// The spec must outlive what is returned.
Programs programs_under_test(const RefinementSpec& spec);

}  // namespace assay
