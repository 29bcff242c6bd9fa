// Collectives on the values of all members.
#pragma once

#include <string>
#include <vector>

#include "shared_ir/reference/reference.h"

namespace assay::reference {

struct Member {
  const Collective* what;
  const ReferenceTensor* sent;
};

// Why these calls, one a member in group order, are not the same collective on fitting shapes;
// empty when they are.
std::string mismatch(const std::vector<Member>& members);

// What each member receives. The members fit each other.
std::vector<ReferenceTensor> run_collective(const std::vector<Member>& members);

}  // namespace assay::reference
