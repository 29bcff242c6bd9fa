// The numbers that bytes in memory stand for, by type. Needs no LibTorch.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "shared_ir/dtype.h"
#include "shared_ir/error.h"

namespace assay {

// A float of one sign bit, kExponent and kMantissa bits. IEEE 754's infinities where kInfinity;
// else, as in e4m3fn, only all bits together are no number.
template <typename Bits, int kExponent, int kMantissa, bool kInfinity>
struct SmallFloat {
  Bits bits;

  explicit operator double() const {
    constexpr int kBias = (1 << (kExponent - 1)) - 1;
    constexpr int kTop = (1 << kExponent) - 1;
    constexpr int kAll = (1 << kMantissa) - 1;
    const int exponent = (bits >> kMantissa) & kTop, mantissa = bits & kAll;
    double magnitude = std::bit_cast<double>(static_cast<uint64_t>(exponent - kBias + 1023) << 52 |
                                             static_cast<uint64_t>(mantissa) << (52 - kMantissa));
    if (exponent == 0) {
      constexpr double kSmallest =
          std::bit_cast<double>(static_cast<uint64_t>(1 - kBias - kMantissa + 1023) << 52);
      magnitude = mantissa * kSmallest;
    } else if (exponent == kTop && (kInfinity || mantissa == kAll)) {
      magnitude = kInfinity && mantissa == 0 ? std::numeric_limits<double>::infinity()
                                             : std::numeric_limits<double>::quiet_NaN();
    }
    return (bits >> (kExponent + kMantissa)) != 0 ? -magnitude : magnitude;
  }
};

using Float16 = SmallFloat<uint16_t, 5, 10, true>;
using BFloat16 = SmallFloat<uint16_t, 8, 7, true>;
using Float8E4M3 = SmallFloat<uint8_t, 4, 3, false>;
using Float8E5M2 = SmallFloat<uint8_t, 5, 2, true>;

// Calls visit(T()) with T of the type's elements.
template <typename Visit>
auto visit_type(DType dtype, const Visit& visit) {
  switch (dtype) {
    case DType::kBool:
      return visit(bool());
    case DType::kUint8:
      return visit(uint8_t());
    case DType::kUint16:
      return visit(uint16_t());
    case DType::kUint32:
      return visit(uint32_t());
    case DType::kInt8:
      return visit(int8_t());
    case DType::kInt16:
      return visit(int16_t());
    case DType::kInt32:
      return visit(int32_t());
    case DType::kInt64:
      return visit(int64_t());
    case DType::kFloat8E4M3:
      return visit(Float8E4M3());
    case DType::kFloat8E5M2:
      return visit(Float8E5M2());
    case DType::kFloat16:
      return visit(Float16());
    case DType::kBFloat16:
      return visit(BFloat16());
    case DType::kFloat32:
      return visit(float());
    case DType::kFloat64:
      return visit(double());
  }
  throw InternalError("unknown element type");
}

}  // namespace assay
