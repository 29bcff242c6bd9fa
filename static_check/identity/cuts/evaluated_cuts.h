// What evaluations take tensors for that are cut.
#pragma once

#include "static_check/identity/evaluation.h"

namespace assay::identity {

// That part of a tensor, which has this shape.
Tensor part_of(const Tensor& whole, const Cuts::Part& part, const Shape& shape);

// Any numbers in place of a result of the specification that is free.
void make_free(Algebra& algebra, const Cuts& cuts, CoreId id, Tensor& result);

}  // namespace assay::identity
