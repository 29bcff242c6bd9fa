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

// Uniform in (0, 1).
double random_uniform(const RandomKey& key, uint64_t index, uint64_t draw = 0);

// Standard normal (Box and Muller).
double random_normal(const RandomKey& key, uint64_t index);

// float64 tensors of independent elements: standard normal; uniform in (-1, 1).
at::Tensor normal_tensor(const RandomKey& key, const Shape& shape);
at::Tensor symmetric_tensor(const RandomKey& key, const Shape& shape);

}  // namespace assay
