// Constant rows of a tensor. Reading them is a concatenation of slices, and what is written to few
// of them lies between slices of what is left, as a program of other operators would make them.
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

// The rows of dimension `dim` of x that these indices name, whose dimensions stand in place of
// `dim`. nullopt where they are no constants, one is no row, or it takes more than a few slices.
std::optional<CoreId> read_rows(Builder& builder, CoreId x, Int dim, CoreId ids);

// The gradient of these for an x of so many rows along its first dimension: `gradient`, which has
// the dimensions of ids in place of that, added up by row.
std::optional<CoreId> added_rows(Builder& builder, CoreId gradient, CoreId ids, Int rows);

// Constant indices of a table of that many rows, where those that count from its end count from its
// start; other indices as they are.
CoreId from_the_start(Builder& builder, CoreId ids, Int rows);

}  // namespace assay::lowering
