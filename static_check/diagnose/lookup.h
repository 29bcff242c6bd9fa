// Rows looked up in a table by an index tensor, one against another.
#pragma once

#include <optional>
#include <vector>

#include "static_check/diagnose/nearest.h"

namespace assay {

// How `found`, of which the terms `beside` are summands as well, differs from `wanted` where both
// look rows of one table up by one index tensor, at different offsets; nullopt for other terms.
std::optional<Nearest> compare_lookups(const Lifting& lifting, const Term& wanted,
                                       const Term& found, const std::vector<Term>& beside);

}  // namespace assay
