// Elements of tensors as kernels see them, on a GPU and, so that what kernels do can be tried
// without one, on the host: the same functions compiled for both.
#pragma once

#include <cstdint>
#include <cstring>

#ifdef __CUDACC__
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#define ASSAY_BOTH __host__ __device__ __forceinline__
#else
#define ASSAY_BOTH inline
#endif

namespace assay::cuda {

struct BFloat16 {
  uint16_t bits;
};
struct Float16 {
  uint16_t bits;
};
struct Float8E4M3 {
  uint8_t bits;
};
struct Float8E5M2 {
  uint8_t bits;
};

template <typename To, typename From>
ASSAY_BOTH To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

// Neither NaN nor infinite. (The host compiler's isfinite is no function of the device.)
ASSAY_BOTH bool is_finite(double x) {
  return (bits_as<uint64_t>(x) & 0x7ff0000000000000ull) != 0x7ff0000000000000ull;
}

ASSAY_BOTH float to_float(BFloat16 x) {
  return bits_as<float>(static_cast<uint32_t>(x.bits) << 16);
}

// The exponent is moved by a product, which also makes numbers below the normal ones right.
ASSAY_BOTH float to_float(Float16 x) {
#ifdef __CUDA_ARCH__
  return __half2float(__ushort_as_half(x.bits));
#else
  const uint32_t magnitude = (x.bits & 0x7fffu) << 13, sign = (x.bits & 0x8000u) << 16;
  const bool special = (x.bits & 0x7c00u) == 0x7c00u;
  const uint32_t bits =
      special ? magnitude | 0x7f800000u : bits_as<uint32_t>(bits_as<float>(magnitude) * 0x1p112f);
  return bits_as<float>(bits | sign);
#endif
}

ASSAY_BOTH float to_float(Float8E5M2 x) {
  return to_float(Float16{static_cast<uint16_t>(x.bits << 8)});
}

// Of the format without infinities: 0x7f is NaN.
ASSAY_BOTH float to_float(Float8E4M3 x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  return __half2float(__half(__nv_cvt_fp8_to_halfraw(x.bits, __NV_E4M3)));
#else
  const uint32_t magnitude = x.bits & 0x7fu, sign = (x.bits & 0x80u) << 24;
  const uint32_t bits = magnitude == 0x7fu
                            ? 0x7fc00000u
                            : bits_as<uint32_t>(bits_as<float>(magnitude << 20) * 0x1p120f);
  return bits_as<float>(bits | sign);
#endif
}

// In what a difference of two elements is taken. Of float8 that is exact in float32 for e4m3 (19
// bits), and rounded once for e5m2; all others are exact operands of a float64 difference.
template <typename T>
struct DifferenceType {
  using type = double;
};
template <>
struct DifferenceType<Float8E4M3> {
  using type = float;
};
template <>
struct DifferenceType<Float8E5M2> {
  using type = float;
};

ASSAY_BOTH double widened(double x) { return x; }
ASSAY_BOTH double widened(float x) { return x; }
template <typename T>
ASSAY_BOTH typename DifferenceType<T>::type widened(T x) {
  return to_float(x);
}

// To the nearest, ties to even, as LibTorch rounds on the host.
ASSAY_BOTH BFloat16 to_bfloat16(float x) {
  const uint32_t bits = bits_as<uint32_t>(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return {0x7fc0};
  return {static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16)};
}

ASSAY_BOTH Float16 to_float16(float x) {
#ifdef __CUDA_ARCH__
  return {__half_as_ushort(__float2half_rn(x))};
#else
  const uint32_t bits = bits_as<uint32_t>(x), sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t half = 0;
  if (magnitude > 0x7f800000u)
    half = 0x7e00;
  else if (magnitude >= 0x477ff000u)  // 65520: half way to what would be the next
    half = 0x7c00;
  else if (magnitude < 0x38800000u)  // below 2^-14: multiples of 2^-24, which the sum with 1/2 is
    half = bits_as<uint32_t>(bits_as<float>(magnitude) + 0.5f) - 0x3f000000u;
  else
    half = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1)) >> 13;
  return {static_cast<uint16_t>(half | sign)};
#endif
}

}  // namespace assay::cuda
