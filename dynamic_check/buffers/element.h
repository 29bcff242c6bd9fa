// The numbers that bytes in memory stand for, by type. Needs no LibTorch.
#pragma once

#include <bit>
#include <cstdint>

#include "shared_ir/dtype.h"
#include "shared_ir/error.h"

namespace assay {

// A float of one sign bit, kExponent and kMantissa bits. IEEE 754's infinities where kInfinity;
// else, as in e4m3fn, only all bits together are no number.
template <typename Bits, int kExponent, int kMantissa, bool kInfinity>
struct SmallFloat {
  Bits bits;

  // Over float32, which has all of these numbers: without branches, for loops over many.
  explicit operator double() const {
    constexpr int kBias = (1 << (kExponent - 1)) - 1;
    constexpr uint32_t kAll = (1u << (kExponent + kMantissa)) - 1;
    constexpr uint32_t kTop = kAll >> kMantissa << kMantissa;
    constexpr uint32_t kNaN = 0x7fc00000, kInfinite = 0x7f800000;
    constexpr float kSmallest = std::bit_cast<float>((128u - kBias - kMantissa) << 23);
    const uint32_t magnitude = bits & kAll;
    const float subnormal = static_cast<float>(static_cast<int32_t>(magnitude)) * kSmallest;
    uint32_t value = (magnitude << (23 - kMantissa)) + ((127u - kBias) << 23);
    value = magnitude >> kMantissa == 0 ? std::bit_cast<uint32_t>(subnormal) : value;
    if constexpr (kInfinity) {
      value = magnitude >= kTop ? value | kInfinite : value;
    } else {
      value = magnitude == kAll ? kNaN : value;
    }
    const uint32_t sign = static_cast<uint32_t>(bits) >> (kExponent + kMantissa) << 31;
    return static_cast<double>(std::bit_cast<float>(value | sign));
  }
};

// The upper half of a float32.
struct BFloat16 {
  uint16_t bits;

  explicit operator double() const {
    return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits) << 16));
  }
};

using Float16 = SmallFloat<uint16_t, 5, 10, true>;
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
