// Writes to few constant rows of a tensor: what is written lies between slices of what is left, so
// that a write is the concatenation that a program of other operators makes of them.
#pragma once

#include <optional>

#include "shared_ir/lower/builtins/call.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {

// x with `values` written at the rows `ids` of dimension `dim`, or added to them (`accumulate`);
// `values` have the dimensions of ids in place of `dim`. nullopt where the ids are no constants, or
// more than a few. Indices count from the end where they are negative. Fails where one is out of
// range; unsupported where a row is written twice and not added to.
std::optional<CoreId> written_rows(Call& call, CoreId x, Int dim, CoreId ids, CoreId values,
                                   bool accumulate);

// Constant indices of a table of that many rows, where those that count from its end count from its
// start; other indices as they are.
CoreId from_the_start(Builder& builder, CoreId ids, Int rows);

}  // namespace assay::lowering
