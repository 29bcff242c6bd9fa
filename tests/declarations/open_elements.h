// What PyTorch leaves open: of two values that are written to one place, which one stays, and of
// equal elements, which one is found.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "shared_ir/core.h"
#include "tests/declarations/call_pattern.h"

namespace assay::test {

// The declared values of result `i` of a call, with the kernel's in their place where PyTorch's
// documentation says that they are not determined, and the program's notes say that this is
// excluded:
// * places that scatter, index_copy or index_put without accumulation write more than once
//   (the documentation of torch.Tensor.scatter_, index_copy_ and index_put_);
// * indices that topk gives of elements that are equal (that of torch.topk).
// All other elements are as they were. `kernel`: PyTorch's results.
ReferenceTensor without_open_elements(const DrawnCall& call, const CoreProgram& program,
                                      const std::vector<at::Tensor>& kernel, size_t i,
                                      ReferenceTensor declared);

}  // namespace assay::test
