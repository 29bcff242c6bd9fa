#include "dynamic_check/inputs/random.h"

#include <ATen/ops/empty.h>

#include <cmath>
#include <numbers>

namespace assay {
namespace {

// Where the key's sequence starts.
uint64_t stream(const RandomKey& key) {
  uint64_t state = mixed_bits(key.seed + kWeylStep);
  for (unsigned char c : key.name) state = mixed_bits((state ^ c) * kWeylStep + 1);
  return state;
}

uint64_t bits_at(uint64_t start, uint64_t index, uint64_t draw) {
  return mixed_bits(mixed_bits(start + index * kWeylStep) + draw * kWeylStep);
}

double unit(uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }

double normal_at(uint64_t start, uint64_t index) {
  return std::sqrt(-2 * std::log(unit(bits_at(start, index, 0)))) *
         std::cos(2 * std::numbers::pi * unit(bits_at(start, index, 1)));
}

template <typename Element>
at::Tensor fill(const RandomKey& key, const Shape& shape, Element element) {
  at::Tensor result = at::empty(shape, at::kDouble);
  const uint64_t start = stream(key);
  auto* out = result.mutable_data_ptr<double>();
  for (int64_t i = 0; i < result.numel(); ++i) out[i] = element(start, static_cast<uint64_t>(i));
  return result;
}

}  // namespace

uint64_t random_bits(const RandomKey& key, uint64_t index, uint64_t draw) {
  return bits_at(stream(key), index, draw);
}

double random_uniform(const RandomKey& key, uint64_t index, uint64_t draw) {
  return unit(random_bits(key, index, draw));
}

double random_normal(const RandomKey& key, uint64_t index) { return normal_at(stream(key), index); }

RoundingNoise::RoundingNoise(const RandomKey& key) : start_(stream(key)) {}

at::Tensor normal_tensor(const RandomKey& key, const Shape& shape) {
  return fill(key, shape, normal_at);
}

at::Tensor symmetric_tensor(const RandomKey& key, const Shape& shape) {
  return fill(key, shape, [](uint64_t start, uint64_t index) {
    return 2 * unit(bits_at(start, index, 0)) - 1;
  });
}

}  // namespace assay
