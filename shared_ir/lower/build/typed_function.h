// Functions of integers that are others for other dtypes.
#pragma once

#include <string>

#include "shared_ir/dtype.h"

namespace assay::lowering {

// The name of a kMap or kBlock function whose operands have dtype `of` and whose result is `to`:
// "pow:int32(2)" where it may hang on how many bits these integers have. Of floating dtypes it is
// the one function of real numbers, and comparisons, bounds, rounding, casts and what works bit by
// bit give the same for every dtype that holds their operands.
std::string typed_function(const std::string& fn, DType of, DType to);

}  // namespace assay::lowering
