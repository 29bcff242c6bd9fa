// Values of PyTorch's tensors against those of the reference evaluator.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "shared_ir/graph.h"
#include "shared_ir/reference/reference.h"

namespace assay::test {

// Floating values are float64, others as `what` has them. Row-major.
at::Tensor tensor_of(const Tensor& what, const ReferenceTensor& value);

ReferenceTensor values_of(const at::Tensor& tensor);

// Where elements of equal shapes differ by more than the tolerance times the larger of 1 and their
// size (1e-5 where the kernel's are float32); booleans at all, and integers modulo what their type
// holds. NaN and infinities
// agree with themselves alone. Empty when all elements agree.
std::string difference(const at::Tensor& kernel, const ReferenceTensor& declared, double tolerance);

}  // namespace assay::test
