// What evaluations take tensors for that are cut.
#pragma once

#include <optional>
#include <vector>

#include "static_check/identity/evaluation.h"

namespace assay::identity {

// Any numbers, for a result of the specification that is free; nullopt: it is what is computed.
std::optional<Tensor> free_value(Algebra& algebra, const Scope& scope, CoreId id,
                                 const Shape& shape);

// The part of the specification's values that an operator of a rank is cut to; nullopt: it is what
// is computed.
std::optional<Tensor> cut_value(const Scope& scope, Rank rank, CoreId id, const Shape& shape,
                                const std::vector<std::vector<Tensor>>& sequential);

}  // namespace assay::identity
