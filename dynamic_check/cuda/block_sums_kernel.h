// What the kernel of block_sums does: how the elements are shared out, and what one thread adds up.
// For the device, and for tests on the host.
#pragma once

#include <type_traits>

#include "dynamic_check/cuda/kernel_elements.h"

namespace assay::cuda {

inline constexpr int kNormThreads = 256;  // of a thread block
inline constexpr int kMaxNormBlocks = 64, kMaxChunks = 64;

// No second operand: its elements are 0.
struct Nothing {};

// Of a run of elements.
struct BlockSums {
  double squares = 0;      // of differences, those that are not finite left out
  int64_t not_finite = 0;  // differences that are not finite
  int64_t mismatches = 0;  // of those, where one is NaN and the other is not, or infinities differ
};

ASSAY_BOTH void add(BlockSums& sums, const BlockSums& more) {
  sums.squares += more.squares;
  sums.not_finite += more.not_finite;
  sums.mismatches += more.mismatches;
}

template <typename T, typename U>
inline constexpr int kPerVector =
    16 /
    static_cast<int>(sizeof(U) > sizeof(T) && !std::is_same_v<U, Nothing> ? sizeof(U) : sizeof(T));

// The grid: `chunks` thread blocks for each block of the tensor, each of which takes `chunk`
// elements of it, the last of them fewer.
struct NormsPlan {
  int64_t elements = 0, block = 1;
  int64_t blocks = 0, chunks = 1, chunk = 1;
};

// `per_vector`: elements that a thread loads at once.
inline NormsPlan plan_norms(int64_t elements, int64_t block, int per_vector) {
  NormsPlan plan{elements, block, (elements + block - 1) / block};
  const int64_t least = int64_t{kNormThreads} * per_vector;
  plan.chunks = (block + least - 1) / least;
  if (plan.chunks > kMaxChunks) plan.chunks = kMaxChunks;
  plan.chunk = (block + plan.chunks - 1) / plan.chunks;
  plan.chunk = (plan.chunk + least - 1) / least * least;
  return plan;
}

template <typename T, int kCount>
struct alignas(sizeof(T) * kCount) Vector {
  T at[kCount];
};

template <int kCount, typename T>
ASSAY_BOTH Vector<T, kCount> load(const T* elements, int64_t at) {
  if constexpr (std::is_same_v<T, Nothing>)
    return {};
  else
    return *reinterpret_cast<const Vector<T, kCount>*>(elements + at);
}

template <typename T, typename U>
ASSAY_BOTH double difference(T a, U b) {
  if constexpr (std::is_same_v<T, U>)
    return widened(a) - widened(b);
  else
    return static_cast<double>(widened(a)) - static_cast<double>(widened(b));
}
template <typename T>
ASSAY_BOTH double difference(T a, Nothing) {
  return widened(a);
}

template <typename T>
ASSAY_BOTH double value_of(T x) {
  return widened(x);
}
ASSAY_BOTH double value_of(Nothing) { return 0; }

template <typename T, typename U>
ASSAY_BOTH void add_element(BlockSums& sums, T a, U b) {
  const double apart = difference(a, b);
  if (is_finite(apart)) {
    sums.squares += apart * apart;
    return;
  }
  ++sums.not_finite;
  const double x = value_of(a), y = value_of(b);
  const bool both_nan = x != x && y != y;
  if (!(is_finite(x) && is_finite(y)) && !(x == y || both_nan)) ++sums.mismatches;
}

// Elements before the first one at which a vector of them may start.
template <typename T>
ASSAY_BOTH int64_t before_vector(const T* elements, int64_t begin, int per_vector) {
  const uint64_t index = reinterpret_cast<uintptr_t>(elements) / sizeof(T) + begin;
  return static_cast<int64_t>((per_vector - index % per_vector) % per_vector);
}

// What is not finite stays so in a sum: only then its elements are looked at one by one.
template <typename T, typename U, int kCount>
ASSAY_BOTH void add_vector(BlockSums& sums, const Vector<T, kCount>& a,
                           const Vector<U, kCount>& b) {
  double squares = 0;
  for (int i = 0; i < kCount; ++i) {
    const double apart = difference(a.at[i], b.at[i]);
    squares += apart * apart;
  }
  if (is_finite(squares)) {
    sums.squares += squares;
    return;
  }
  for (int i = 0; i < kCount; ++i) add_element(sums, a.at[i], b.at[i]);
}

// What thread `thread` of the thread block (`chunk`, `block`) of the grid adds up. Each element is
// added by exactly one thread.
template <typename T, typename U>
ASSAY_BOTH BlockSums thread_sums(const T* __restrict__ a, const U* __restrict__ b,
                                 const NormsPlan& plan, int64_t block, int64_t chunk, int thread) {
  constexpr int kCount = kPerVector<T, U>;
  constexpr bool kAlone = std::is_same_v<U, Nothing>;
  constexpr int kAtOnce = 4;  // vectors whose loads are under way together
  const int64_t block_end =
      (block + 1) * plan.block < plan.elements ? (block + 1) * plan.block : plan.elements;
  const int64_t begin = block * plan.block + chunk * plan.chunk;
  const int64_t end = begin + plan.chunk < block_end ? begin + plan.chunk : block_end;
  BlockSums sums;
  if (begin >= end) return sums;
  int64_t vectors_begin = end, vectors = 0;
  const int64_t head = before_vector(a, begin, kCount);
  if (kAlone || head == before_vector(b, begin, kCount)) {
    vectors_begin = begin + head < end ? begin + head : end;
    vectors = (end - vectors_begin) / kCount;
  }
  int64_t next = thread;
  for (; next + (kAtOnce - 1) * kNormThreads < vectors; next += kAtOnce * kNormThreads) {
    Vector<T, kCount> left[kAtOnce];
    Vector<U, kCount> right[kAtOnce];
    for (int i = 0; i < kAtOnce; ++i) {
      const int64_t at = vectors_begin + (next + i * kNormThreads) * kCount;
      left[i] = load<kCount>(a, at);
      right[i] = load<kCount>(b, at);
    }
    for (int i = 0; i < kAtOnce; ++i) add_vector(sums, left[i], right[i]);
  }
  for (; next < vectors; next += kNormThreads) {
    const int64_t at = vectors_begin + next * kCount;
    add_vector(sums, load<kCount>(a, at), load<kCount>(b, at));
  }
  // What lies before the vectors, and behind them.
  for (int64_t i = begin + thread; i < vectors_begin; i += kNormThreads)
    add_element(sums, a[i], load<1>(b, i).at[0]);
  for (int64_t i = vectors_begin + vectors * kCount + thread; i < end; i += kNormThreads)
    add_element(sums, a[i], load<1>(b, i).at[0]);
  return sums;
}

}  // namespace assay::cuda
