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
//   (torch.Tensor.scatter_: "one of the values from src will be picked arbitrarily";
//   torch.Tensor.index_copy_: "the result is nondeterministic since it depends on which copy occurs
//   last"; torch.Tensor.index_put_: "the behavior is undefined if indices contain duplicate
//   elements");
// * indices that topk gives of elements that are equal ("If there are multiple k-th largest
//   elements, the index returned may be any of them", as for torch.sort without stable).
// All other elements are as they were. `kernel`: PyTorch's results.
ReferenceTensor without_open_elements(const DrawnCall& call, const CoreProgram& program,
                                      const std::vector<at::Tensor>& kernel, size_t i,
                                      ReferenceTensor declared);

}  // namespace assay::test
