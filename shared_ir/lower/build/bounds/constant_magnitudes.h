// How large the numbers of a program's own constants may become, and of what is computed of them
// alone: for constants that are too many to look at one by one.
#pragma once

#include <optional>
#include <vector>

#include "shared_ir/core.h"

namespace assay::lowering {

class ConstantMagnitudes {
 public:
  // An upper bound of the absolute values of operator `id`, as far as sums, products and numberings
  // make it grow; infinities do not count. nullopt where it depends on an input, or is another
  // function of constants.
  std::optional<double> of(const CoreProgram& program, CoreId id);

 private:
  std::optional<double> compute(const CoreProgram& program, const CoreOp& op) const;

  std::vector<std::optional<double>> known_;  // of the program's first operators
};

}  // namespace assay::lowering
