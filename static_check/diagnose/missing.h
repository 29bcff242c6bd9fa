// Parts of a sequential tensor that no rank holds.
#pragma once

#include <optional>

#include "static_check/diagnose/nearest.h"

namespace assay {

// Says which rows or columns of the target no rank holds, and which rank's tensor of the same
// operator holds what another one has already; nullopt when the ranks hold no piece of it, or all.
std::optional<Nearest> missing_part(const Problem& problem, TensorId target,
                                    const CoverIndex& index);

}  // namespace assay
