#include "dynamic_check/numbers/random.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <algorithm>
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

// Of elements `begin` and the following, to `out`. `angles`: room for as many.
void fill_normal(uint64_t start, int64_t begin, const at::Tensor& out, const at::Tensor& angles) {
  auto* radius = out.mutable_data_ptr<double>();
  auto* angle = angles.mutable_data_ptr<double>();
  for (int64_t i = 0; i < out.numel(); ++i) {
    const uint64_t element = mixed_bits(start + static_cast<uint64_t>(begin + i) * kWeylStep);
    radius[i] = unit(mixed_bits(element));
    angle[i] = 2 * std::numbers::pi * unit(mixed_bits(element + kWeylStep));
  }
  // LibTorch's take several elements at once.
  out.log_().mul_(-2).sqrt_().mul_(angles.cos_());
}

}  // namespace

uint64_t random_bits(const RandomKey& key, uint64_t index, uint64_t draw) {
  return bits_at(stream(key), index, draw);
}

RoundingNoise::RoundingNoise(const RandomKey& key) : start_(stream(key)) {}

at::Tensor normal_tensor(const RandomKey& key, const Shape& shape) {
  constexpr int64_t kInCache = 1 << 12;
  const at::NoGradGuard no_grad;
  at::Tensor result = at::empty(shape, at::kDouble);
  const at::Tensor flat = result.view({-1});
  const uint64_t start = stream(key);
  const int64_t pieces = (flat.numel() + kInCache - 1) / kInCache;
  at::parallel_for(0, pieces, 1, [&](int64_t first, int64_t last) {
    const at::NoGradGuard no_grad_here;
    const at::Tensor angles = at::empty({kInCache}, at::kDouble);
    for (int64_t begin = first * kInCache; begin < std::min(last * kInCache, flat.numel());
         begin += kInCache) {
      const int64_t count = std::min(kInCache, flat.numel() - begin);
      fill_normal(start, begin, flat.narrow(0, begin, count), angles.narrow(0, 0, count));
    }
  });
  return result;
}

at::Tensor symmetric_tensor(const RandomKey& key, const Shape& shape) {
  at::Tensor result = at::empty(shape, at::kDouble);
  const uint64_t start = stream(key);
  auto* out = result.mutable_data_ptr<double>();
  for (int64_t i = 0; i < result.numel(); ++i)
    out[i] = 2 * unit(bits_at(start, static_cast<uint64_t>(i), 0)) - 1;
  return result;
}

}  // namespace assay
