// One core operator of one rank, collectives and sources apart.
#pragma once

#include <vector>

#include "shared_ir/reference/reference.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::reference {

// Throws InternalError when the operator's function has no numeric definition.
ReferenceTensor run_operation(const CoreProgram& program, const CoreOp& op,
                              const std::vector<const ReferenceTensor*>& operands);

// One sample of the distribution fn, from the seed and the element number alone. Throws
// InternalError when fn has no numeric definition.
double sample(const std::string& fn, const std::string& seed, Int element);

// A sample in [0, 1), (0, 1)-normal or {0, 1} as fn says, from fn, occurrence and element number
// alone.
ReferenceTensor default_sample(const CoreOp& op);

}  // namespace assay::reference
