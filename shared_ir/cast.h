// What kCast does to values.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "shared_ir/dtype.h"

namespace assay {

// Smallest and largest value of an integer dtype or bool. Throws InternalError for a floating one.
std::pair<int64_t, int64_t> integer_range(DType dtype);

// Whether the cast is the identity on every value: to a floating dtype (rounding is no change of
// value), or among integers and bool to one that has all values of `from`.
bool cast_keeps_values(DType from, DType to);

// The kMap function that a cast which may change values is: "cast(int8)".
std::string cast_function(DType to);

// to bool: whether x is not 0. To an integer: without the fraction, modulo the dtype's range (as
// PyTorch casts integers). To floating: x.
double cast_value(double x, DType to);

}  // namespace assay
