#include "shared_ir/cast.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "shared_ir/base/error.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

namespace {

// Binary formats: bits of the fraction, the exponent of the smallest normal number, the largest
// one.
struct Format {
  int fraction_bits, smallest_exponent;
  double largest;
};

Format format_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat8E4M3:
      return {3, -6, 448};
    case DType::kFloat8E5M2:
      return {2, -14, 57344};
    case DType::kFloat16:
      return {10, -14, 65504};
    case DType::kBFloat16:
      return {7, -126, 0x1.FEp127};
    case DType::kFloat32:
      return {23, -126, std::numeric_limits<float>::max()};
    case DType::kFloat64:
      return {52, -1022, std::numeric_limits<double>::max()};
    default:
      throw InternalError("an integer dtype has no binary format of floating numbers");
  }
}

}  // namespace

double nearest_number(double x, DType to) {
  const Format format = format_of(to);
  const bool has_infinity = to != DType::kFloat8E4M3;
  if (!std::isfinite(x)) return has_infinity ? x : std::numeric_limits<double>::quiet_NaN();
  if (x == 0 || to == DType::kFloat64) return x;
  const int exponent = std::max(std::ilogb(x), format.smallest_exponent);
  const double step = std::ldexp(1.0, exponent - format.fraction_bits);
  const double rounded = std::nearbyint(x / step) * step;
  if (std::abs(rounded) <= format.largest) return rounded;
  return has_infinity ? std::copysign(std::numeric_limits<double>::infinity(), x)
                      : std::numeric_limits<double>::quiet_NaN();
}

bool is_in_range(double x, DType of) {
  const double error = std::abs(nearest_number(x, of) - x);
  return error <= std::ldexp(std::abs(x), -format_of(of).fraction_bits - 1);
}

std::pair<Int, Int> integer_range(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return {0, 1};
    case DType::kUint8:
      return {0, UINT8_MAX};
    case DType::kUint16:
      return {0, UINT16_MAX};
    case DType::kUint32:
      return {0, UINT32_MAX};
    case DType::kInt8:
      return {INT8_MIN, INT8_MAX};
    case DType::kInt16:
      return {INT16_MIN, INT16_MAX};
    case DType::kInt32:
      return {INT32_MIN, INT32_MAX};
    case DType::kInt64:
      return {INT64_MIN, INT64_MAX};
    default:
      throw InternalError("a floating dtype has no range of integers");
  }
}

bool cast_keeps_values(DType from, DType to) {
  if (is_float8(to)) return from == to || is_bool(from);
  if (is_floating(to)) return true;
  if (is_floating(from)) return false;
  const auto [from_low, from_high] = integer_range(from);
  const auto [to_low, to_high] = integer_range(to);
  return to_low <= from_low && from_high <= to_high;
}

std::string cast_function(DType to) { return "cast(" + std::string(to_string(to)) + ")"; }

Int cast_integer(Int x, DType to) {
  const auto [low, high] = integer_range(to);
  if (low <= x && x <= high) return x;
  const Int count = high - low + 1;
  const Int rest = (x % count + count) % count;
  return rest > high ? rest - count : rest;
}

double cast_value(double x, DType to) {
  if (is_float8(to)) return nearest_number(x, to);
  if (is_floating(to)) return x;
  if (is_bool(to)) return x != 0;
  const double whole = std::trunc(x);
  // A double holds no integer beyond 2^53 exactly: nothing wraps.
  if (to == DType::kInt64 || !std::isfinite(whole)) return whole;
  const auto [low, high] = integer_range(to);
  const double count = static_cast<double>(high) - static_cast<double>(low) + 1;
  return whole - count * std::floor((whole - static_cast<double>(low)) / count);
}

}  // namespace assay
