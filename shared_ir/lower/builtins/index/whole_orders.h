// Writes at all places of an order: each row is written once, whatever it held. Programs write so
// where a sorted row came from, and put back what they sorted.
#pragma once

#include <optional>

#include "shared_ir/lower/builtins/call.h"

namespace assay::lowering {

// Whether the ids hold each of 0 .. rows - 1 once along dimension `dim`, as the places of an order
// of so many.
bool is_whole_order(const Builder& builder, CoreId ids, Int dim, Int rows);

// The places that the order's places have in it, which is what the numbers 0, 1, 2, ... are where
// they are written there; nullopt for other values.
std::optional<CoreId> inverse_of_order(Call& call, CoreId ids, Int dim, CoreId values);

}  // namespace assay::lowering
