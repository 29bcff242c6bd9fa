// Indices as one-hots, held against what the program itself gives.
#pragma once

#include <optional>

#include "shared_ir/lower/builtins/call.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {

// The tensor, which must be one of integers.
CoreId checked_ids(Call& call, CoreId ids);

// An index beside those of a table of that many rows: the ignore_index that is argument i, unless
// it is a row, or no target is taken to be it.
std::optional<Int> beside_rows(Call& call, size_t i, Int rows);

// [ids..., classes]: 1 where the index is the class. That indices which the program does not give
// lie in the table is noted; those that it gives are looked at, and fail where they do not.
CoreId one_hot_of(Call& call, CoreId ids, Int classes, DType dtype,
                  std::optional<Int> beside = std::nullopt);

}  // namespace assay::lowering
