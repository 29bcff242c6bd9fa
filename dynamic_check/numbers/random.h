// A counter-based generator: element i of the tensor named N under seed S is a function of (S, N,
// i) alone, so every shard of every rank can be made on its own and agrees with the whole.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "shared_ir/graph.h"

namespace assay {

struct RandomKey {
  uint64_t seed = 0;
  std::string name;
};

// 64 random bits for element `index`, draw number `draw` (splitmix64's finaliser over a Weyl
// sequence; Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
uint64_t random_bits(const RandomKey& key, uint64_t index, uint64_t draw = 0);

// splitmix64's finaliser, and the step of its Weyl sequence.
inline constexpr uint64_t kWeylStep = 0x9E3779B97F4A7C15ull;
[[gnu::always_inline]] inline uint64_t mixed_bits(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

// Errors of rounding, relative to the largest: independent, uniform over 65,536 numbers of (-1, 1)
// of mean 0. Four neighbours share 64 random bits.
class RoundingNoise {
 public:
  static constexpr int64_t kDrawn = 4;  // elements of one draw

  explicit RoundingNoise(const RandomKey& key);

  // Of elements kDrawn * draw and the following ones, in steps: element i's are bits 16 i to 16 i +
  // 15, a signed number.
  [[gnu::always_inline]] uint64_t bits(uint64_t draw) const {
    return mixed_bits(start_ + draw * kWeylStep);
  }
  // The error that a number of steps is.
  template <typename Float>
  [[gnu::always_inline]] static constexpr Float error(int16_t steps) {
    return (static_cast<Float>(steps) + Float(0.5)) * Float(0x1p-15);
  }
  // Where the key's sequence starts.
  uint64_t start() const { return start_; }
  double at(uint64_t index) const {
    return error<double>(static_cast<int16_t>(bits(index / kDrawn) >> (16 * (index % kDrawn))));
  }

 private:
  uint64_t start_;
};

// float64 tensors of independent elements: standard normal (Box and Muller); uniform in (-1, 1).
at::Tensor normal_tensor(const RandomKey& key, const Shape& shape);
at::Tensor symmetric_tensor(const RandomKey& key, const Shape& shape);

}  // namespace assay
