// One call by PyTorch's kernel and by its declaration.
#pragma once

#include <optional>
#include <string>

#include "shared_ir/operator_table/operator_table.h"
#include "tests/declarations/call_pattern.h"

namespace assay::test {

struct Comparison {
  enum class Outcome {
    kAgrees,   // as many results, of the same shapes, categories of dtypes and values
    kRefused,  // the declaration says nothing of this call: it would be opaque, or an error; or the
               // values differ, and rounding of the operands makes as much of a difference
    kDiffers,
    kRejected,  // PyTorch does not take this call
  };
  Outcome outcome = Outcome::kAgrees;
  std::string why;  // not empty unless they agree
};

// Runs the call's kernel in float64, and evaluates what its declaration in `operators` lowers it to
// on the same values. Integers and booleans agree exactly; other values to the tolerance times the
// larger of 1 and their size, or to 1e-5 where the kernel's result is float32 whatever its operands
// are; NaNs and infinities agree
// with themselves alone. Elements that PyTorch leaves open are not compared (open_elements.h), and
// calls whose kernel ends the process are rejected. Functions that are marked linear must be
// (linear_marks.h). Of a call that is refused as a whole, each result is compared as if it alone
// were used. Random masks keep everything in both. No tolerance: values are not looked at.
Comparison compare_with_kernel(const DrawnCall& call, const OperatorTable& operators,
                               std::optional<double> tolerance);

}  // namespace assay::test
