// Functions of one whole matrix, which is a block, in double precision.
#pragma once

#include <string_view>

#include "shared_ir/reference/element_functions.h"

namespace assay::reference {

// "solve": operands a [n, n] and b [n]; the x of a x = b. "solve_triangular(upper,unit)": the same
// where only the upper (lower) triangle of a is read, and for unit 1 stands on its diagonal. "det":
// of a. nullptr for another name. Sums run in the order of Golub and Van Loan, "Matrix
// Computations", 3.1 and 3.4; pivots are the largest.
BlockFunction find_matrix_function(std::string_view name);

}  // namespace assay::reference
