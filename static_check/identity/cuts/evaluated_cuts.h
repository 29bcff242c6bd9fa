// What evaluations take tensors for that are cut.
#pragma once

#include "static_check/identity/evaluation.h"

namespace assay::identity {

// That part of a tensor, which has this shape.
Tensor part_of(const Tensor& whole, const Cuts::Part& part, const Shape& shape);

// Any numbers of that sign, for a result of the specification that is free.
Tensor any_numbers(Algebra& algebra, CoreId id, const Shape& shape, Sign sign);

}  // namespace assay::identity
