// Copies of what operators gave, which a check keeps until it has compared them: in memory up to a
// budget, beyond it in files. So a check takes, beyond what the programs take themselves, the
// budget and a few times the largest tensor, however deep the model is.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace assay {

// How many bytes of memory all kept copies of this process may take together (default:
// machine_memory.h). Copies that are there stay where they are.
void set_copy_memory(int64_t bytes);
int64_t copy_memory();

// A copy without gaps, in the order of memory of the original, which knows nothing of autograd. One
// that goes beyond the budget lies in a file of the folder for temporary files that has no name any
// more and goes with the copy; the system takes back the memory through which it is read as it
// likes. Tensors of less than 64 KiB, and those of a GPU, are always in memory. Thread-safe. Throws
// UserError when the file cannot be written.
at::Tensor kept_copy(const at::Tensor& tensor);

// The same of a tensor that nobody writes into any more: without a copy, where it alone has its
// memory and that is within the budget.
at::Tensor kept(const at::Tensor& tensor);

}  // namespace assay
