// What kCast does to values.
#pragma once

#include <string>
#include <utility>

#include "shared_ir/dtype.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

inline bool is_float8(DType dtype) {
  return dtype == DType::kFloat8E4M3 || dtype == DType::kFloat8E5M2;
}

// Smallest and largest value of an integer dtype or bool. Throws InternalError for a floating one.
std::pair<Int, Int> integer_range(DType dtype);

// Whether the cast is the identity on every value: to a floating dtype of 16 bits or more (rounding
// is no change of value), or among integers and bool to one that has all values of `from`. A cast
// to float8 is a function of its own: what it makes of a value depends on the scale that the
// program chose for it, so that values that were scaled alike alone are cast alike.
bool cast_keeps_values(DType from, DType to);

// The kMap function that a cast which may change values is: "cast(int8)". Lowering makes every cast
// to float8 such a kMap.
std::string cast_function(DType to);

// The integer modulo the range of an integer dtype.
Int cast_integer(Int x, DType to);

// The nearest number of a floating dtype, ties to the even one. What is too large becomes NaN
// (float8_e4m3fn) or infinity, as in PyTorch (Micikevicius et al. 2022, "FP8 formats for deep
// learning", section 3). Of float64, x.
double nearest_number(double x, DType to);

// Whether the nearest number is x but for the dtype's rounding: x is neither too large for it nor
// so small that digits are lost.
bool is_in_range(double x, DType of);

// to bool: whether x is not 0. To an integer: without the fraction, modulo the dtype's range (as
// PyTorch casts integers). To float8: the nearest number. To another floating dtype: x.
double cast_value(double x, DType to);

}  // namespace assay
