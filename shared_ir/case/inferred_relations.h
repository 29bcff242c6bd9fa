// The relations that a proof found.
#pragma once

#include <vector>

#include "shared_ir/case/case.h"
#include "shared_ir/proof/proof.h"

namespace assay {

// The certificate's relations, of outputs and inner tensors.
inline std::vector<Relation> inferred_relations(const Certificate& certificate) {
  std::vector<Relation> inferred;
  for (const Certificate::Covered& covered : certificate.relations)
    inferred.push_back({covered.tensor, covered.replicas, {}});
  return inferred;
}

}  // namespace assay
