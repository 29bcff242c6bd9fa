// What the dynamic layer is asked about a spec: the programs, and the relations to merge by.
#pragma once

#include <vector>

#include "assay/refinement.h"
#include "dynamic_check/check.h"
#include "shared_ir/case.h"
#include "shared_ir/proof.h"

namespace assay {

// The spec must outlive what is returned.
Programs programs_under_test(const RefinementSpec& spec);

// The certificate's relations, of outputs and inner tensors.
std::vector<Relation> inferred_relations(const Certificate& certificate);

}  // namespace assay
