// Where the infinite constants of a program (masks of -inf) may have got to.
#pragma once

#include <vector>

#include "shared_ir/core.h"

namespace assay::lowering {

class ReachedInfinities {
 public:
  // Whether an element of operator `id` may be infinite because a constant is: through movement,
  // sums, products, conditions and extrema. Not through functions, which are taken to give
  // numbers of it, as a softmax does.
  bool at(const CoreProgram& program, CoreId id);

 private:
  bool compute(const CoreOp& op) const;

  std::vector<bool> known_;  // of the program's first operators
};

}  // namespace assay::lowering
