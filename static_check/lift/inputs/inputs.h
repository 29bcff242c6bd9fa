// The input relation, inverted: each distributed input becomes views of sequential inputs (or parts
// of their sums).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "shared_ir/case/case.h"
#include "static_check/algebra/value.h"
#include "static_check/lift/lifting.h"

namespace assay {

struct InputValues {
  std::map<std::string, Value> sequential;          // by tensor name
  std::vector<std::map<std::string, Value>> ranks;  // by rank, tensor name
};

// Atoms for every sequential tensor that is a graph input or that the relation speaks of, and the
// values of distributed ones. Parts of a distributed tensor that no relation covers are unknowns of
// their own. Throws UserError when a relation has a form that cannot be inverted (says which).
InputValues invert_input_relation(Lifting& lifting, const Case& refinement);

}  // namespace assay
