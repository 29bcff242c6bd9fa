// Rounding noise: what another order of additions, or another kernel of the same precision, may do
// to a value.
#pragma once

#include <ATen/core/Tensor.h>

#include "dynamic_check/numbers/random.h"
#include "shared_ir/dtype.h"

namespace assay {

// Half the distance from 1 to the next larger number: the largest relative error of one rounding.
double unit_roundoff(DType dtype);

// Every element times (1 + r), r uniform in (-relative, relative) and independent, rounded to the
// tensor's dtype. Integers and booleans come back as they are.
at::Tensor perturbed(const at::Tensor& tensor, double relative, const RandomKey& key);

// The same in place, without a trace in autograd or in a recording. Where elements lie without
// gaps, they take their errors in the order of memory.
void perturb(const at::Tensor& tensor, double relative, const RandomKey& key);

}  // namespace assay
