// The numbers that bytes in memory stand for, by type. Needs no LibTorch.
#pragma once

#include <bit>
#include <cstdint>

#include "shared_ir/base/error.h"
#include "shared_ir/dtype.h"

namespace assay {

// A float of one sign bit, kExponent and kMantissa bits. IEEE 754's infinities where kInfinity;
// else, as in e4m3fn, only all bits together are no number.
template <typename Bits, int kExponent, int kMantissa, bool kInfinity>
struct SmallFloat {
  Bits bits;

  static constexpr int kBias = (1 << (kExponent - 1)) - 1;
  static constexpr uint32_t kAll = (1u << (kExponent + kMantissa)) - 1;
  static constexpr uint32_t kTop = kAll >> kMantissa << kMantissa;

  // Both ways without branches, for loops over many.
  explicit operator float() const {
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
    return std::bit_cast<float>(value | sign);
  }
  // float32 has all of these numbers.
  explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }

  // The nearest, of two the even one. What is too large is infinite, or no number.
  static SmallFloat nearest(float number) {
    constexpr int32_t kLargest = kInfinity ? kTop : kAll;
    constexpr int32_t kNaN = kInfinity ? kTop | (1u << (kMantissa - 1)) : kAll;
    // Numbers of this size are as far apart as subnormals are here: an addition rounds.
    constexpr uint32_t kMagic = (151u - kBias - kMantissa) << 23;
    const auto all = std::bit_cast<uint32_t>(number);
    const auto magnitude = static_cast<int32_t>(all & 0x7fffffff);
    const float shifted = std::bit_cast<float>(magnitude) + std::bit_cast<float>(kMagic);
    const auto subnormal = static_cast<int32_t>(std::bit_cast<uint32_t>(shifted) - kMagic);
    const int32_t odd = magnitude >> (23 - kMantissa) & 1;
    int32_t value =
        (magnitude - ((127 - kBias) << 23) + (1 << (22 - kMantissa)) - 1 + odd) >> (23 - kMantissa);
    value = value > kLargest ? kLargest : value;
    value = magnitude < (128 - kBias) << 23 ? subnormal : value;
    value = magnitude > 0x7f800000 ? kNaN : value;
    const uint32_t sign = all >> 31 << (kExponent + kMantissa);
    return {static_cast<Bits>(static_cast<uint32_t>(value) | sign)};
  }
};

// The upper half of a float32.
struct BFloat16 {
  uint16_t bits;

  explicit operator float() const {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
  explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }

  // The nearest, of two the even one.
  static BFloat16 nearest(float number) {
    const auto all = std::bit_cast<uint32_t>(number);
    const uint32_t rounded = (all + 0x7fff + (all >> 16 & 1)) >> 16;
    const bool is_nan = static_cast<int32_t>(all & 0x7fffffff) > 0x7f800000;
    return {static_cast<uint16_t>(is_nan ? 0x7fc0 : rounded)};
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
