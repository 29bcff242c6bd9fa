// Functions that a declaration calls linear in an operand are.
#pragma once

#include <string>
#include <vector>

#include "shared_ir/core.h"
#include "shared_ir/reference/reference.h"

namespace assay::test {

// Holds each mark of a map or block of the program (CoreOp::linear) against f(2 x + 3 y) =
// 2 f(x) + 3 f(y), x being the operand's value. Empty when all are true, else the function and the
// operand's number.
std::string false_linear_mark(const CoreProgram& program,
                              const std::vector<ReferenceTensor>& values);

}  // namespace assay::test
