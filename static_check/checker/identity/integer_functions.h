// kMap of flags and comparisons, and of integers.
#pragma once

#include <optional>

#include "static_check/checker/identity/functions.h"

namespace assay::checker::identity {

// Comparisons and logic, of any type; nullopt for other functions.
std::optional<Number> flag_function(Algebra& algebra, const Use& use, std::span<const Number> of);

// Constants are computed; of others little is known, as they may wrap.
Number integer_function(Algebra& algebra, const Use& use, std::span<const Number> of);

}  // namespace assay::checker::identity
