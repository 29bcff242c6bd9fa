#include "dynamic_check/numbers/sketch.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "dynamic_check/buffers/buffers.h"
#include "dynamic_check/keep/keep.h"
#include "dynamic_check/numbers/random.h"
#include "dynamic_check/numbers/visit_elements.h"
#include "shared_ir/base/error.h"

namespace assay {
namespace {

// Neighbours that go to neighbouring buckets: one random word has their signs.
constexpr int64_t kChunk = 64;

// Where chunks go: beyond the buckets is what begins again at the first.
using Sums = double[kSketchBuckets + kChunk];

struct Draw {
  explicit Draw(uint64_t chunk)
      : signs(mixed_bits((chunk + 1) * kWeylStep)),
        bucket(static_cast<int64_t>(mixed_bits(signs) % kSketchBuckets)) {}
  uint64_t signs;
  int64_t bucket;  // of the first element
};

// Adds the elements, of which the first begins chunk number `chunk` of the tensor's blocks.
template <typename T>
ASSAY_VECTOR_CLONES void add_elements(const T* elements, int64_t count, uint64_t chunk,
                                      double* sums) {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  int64_t i = 0;
  for (; i + kChunk <= count; i += kChunk, ++chunk) {
    const Draw draw(chunk);
    double* const to = sums + draw.bucket;
    for (int64_t j = 0; j < kChunk; ++j) {
      const auto bits = std::bit_cast<uint64_t>(static_cast<double>(elements[i + j]));
      to[j] += std::bit_cast<double>(bits ^ ((draw.signs << (kChunk - 1 - j)) & kSign));
    }
  }
  const Draw draw(chunk);
  for (int64_t j = 0; i + j < count; ++j) {
    const auto value = static_cast<double>(elements[i + j]);
    sums[draw.bucket + j] += (draw.signs >> j) % 2 == 0 ? value : -value;
  }
}

// Of one block. What is not finite stays so in a sum.
template <typename T>
void sketch_block(const T* elements, int64_t count, uint64_t chunk, double* result) {
  Sums sums = {};
  add_elements(elements, count, chunk, sums);
  for (int64_t i = 0; i < kSketchBuckets; ++i)
    result[i] = sums[i] + (i < kChunk ? sums[kSketchBuckets + i] : 0);
}

bool all_finite(const double* values, int64_t count) {
  return std::all_of(values, values + count, [](double value) { return std::isfinite(value); });
}

}  // namespace

Sketch::Sketch(const at::Tensor& tensor) {
  ASSAY_CHECK(tensor.is_floating_point() && tensor.is_cpu(),
              "sketches are of floating tensors on the CPU");
  const int64_t elements = tensor.numel(), blocks = block_count(elements);
  const int64_t size = block_size(elements);
  const at::Tensor sums = at::empty({blocks, kSketchBuckets}, at::kDouble);
  auto* const data = sums.mutable_data_ptr<double>();
  const auto chunks_of_block = static_cast<uint64_t>((size + kChunk - 1) / kChunk);
  visit_elements(tensor, [&](const auto* all) {
    constexpr int64_t kElementsAtATime = 1 << 15;
    at::parallel_for(
        0, blocks, std::max<int64_t>(1, kElementsAtATime / size), [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i)
            sketch_block(all + i * size, std::min(size, elements - i * size),
                         static_cast<uint64_t>(i) * chunks_of_block, data + i * kSketchBuckets);
        });
  });
  finite_ = all_finite(data, sums.numel());
  sums_ = kept(sums);
}

Norms Sketch::distance_to(const Sketch& other) const {
  ASSAY_CHECK(sums_.sizes() == other.sums_.sizes(), "only sketches of one shape are compared");
  Norms norms;
  norms.finite = finite_ && other.finite_;
  const auto* const a = sums_.const_data_ptr<double>();
  const auto* const b = other.sums_.const_data_ptr<double>();
  double whole = 0;
  for (int64_t block = 0; block < sums_.size(0); ++block) {
    double squares = 0;
    for (int64_t i = block * kSketchBuckets; i < (block + 1) * kSketchBuckets; ++i)
      squares += (a[i] - b[i]) * (a[i] - b[i]);
    if (!std::isfinite(squares)) squares = 0;
    norms.blocks.push_back(std::sqrt(squares));
    whole += squares;
  }
  norms.whole = std::sqrt(whole);
  return norms;
}

}  // namespace assay
