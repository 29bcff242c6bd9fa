// What the kernel of rounding noise does to the elements of one thread (numbers/rounding.h): the
// same bits as on the host.
#pragma once

#include <type_traits>

#include "dynamic_check/cuda/kernel_elements.h"

namespace assay::cuda {

inline constexpr int kNoiseThreads = 256;
inline constexpr int kDrawn = 4;  // elements that share 64 random bits

// Thread blocks of a launch: their threads take the draws in turn.
inline int64_t noise_blocks(int64_t elements) {
  constexpr int64_t kMost = 1 << 16;
  const int64_t draws = (elements + kDrawn - 1) / kDrawn;
  const int64_t blocks = (draws + kNoiseThreads - 1) / kNoiseThreads;
  return blocks < kMost ? blocks : kMost;
}

// splitmix64's finaliser (numbers/random.h).
ASSAY_BOTH uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

// value + value * error, each operation rounded.
ASSAY_BOTH float moved(float value, float error) {
#ifdef __CUDA_ARCH__
  return __fadd_rn(value, __fmul_rn(value, error));
#else
  return value + value * error;
#endif
}
ASSAY_BOTH double moved(double value, double error) {
#ifdef __CUDA_ARCH__
  return __dadd_rn(value, __dmul_rn(value, error));
#else
  return value + value * error;
#endif
}

ASSAY_BOTH float in_noise(float x) { return x; }
ASSAY_BOTH double in_noise(double x) { return x; }
template <typename T>
ASSAY_BOTH float in_noise(T x) {
  return to_float(x);
}

ASSAY_BOTH void store(float& to, float x) { to = x; }
ASSAY_BOTH void store(double& to, double x) { to = x; }
ASSAY_BOTH void store(BFloat16& to, float x) { to = to_bfloat16(x); }
ASSAY_BOTH void store(Float16& to, float x) { to = to_float16(x); }

// Elements kDrawn * draw and the following ones, as far as there are `elements`. `start`: where the
// key's sequence starts.
template <typename T>
ASSAY_BOTH void add_draw(const T* in, T* out, int64_t elements, int64_t draw, double relative,
                         uint64_t start) {
  constexpr uint64_t kWeyl = 0x9E3779B97F4A7C15ull;
  const uint64_t bits = mixed(start + static_cast<uint64_t>(draw) * kWeyl);
  for (int i = 0; i < kDrawn; ++i) {
    const int64_t at = draw * kDrawn + i;
    if (at >= elements) return;
    const auto value = in_noise(in[at]);
    using Wide = std::remove_const_t<decltype(value)>;
    const auto steps = static_cast<int16_t>(bits >> (16 * i));
    const Wide error =
        static_cast<Wide>(relative) * ((static_cast<Wide>(steps) + Wide(0.5)) * Wide(0x1p-15));
    store(out[at], is_finite(static_cast<double>(value)) ? moved(value, error) : value);
  }
}

// What thread `thread` of `threads` does, of all blocks.
template <typename T>
ASSAY_BOTH void add_noise(const T* in, T* out, int64_t elements, int64_t thread, int64_t threads,
                          double relative, uint64_t start) {
  const int64_t draws = (elements + kDrawn - 1) / kDrawn;
  for (int64_t draw = thread; draw < draws; draw += threads)
    add_draw(in, out, elements, draw, relative, start);
}

}  // namespace assay::cuda
