#include "dynamic_check/buffers/reduce_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "dynamic_check/buffers/element.h"
#include "dynamic_check/buffers/vector_clones.h"

namespace assay {
namespace {

constexpr std::array kNames{"sum", "avg", "product", "min", "max"};  // in the order of Reduction

// Of the members, as much as stays in the first cache.
constexpr int64_t kBlock = 2048;  // elements

// Small floats are computed in float32 and rounded.
template <typename T>
constexpr bool kRounded = std::is_class_v<T>;

template <typename T, typename Compute>
T computed(T a, T b, const Compute& compute) {
  if constexpr (kRounded<T>) {
    return T::nearest(compute(static_cast<float>(a), static_cast<float>(b)));
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    // Without a sign, wrapping around is defined; of 64 bits, no product becomes an `int`.
    return static_cast<T>(compute(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
  } else {
    return static_cast<T>(compute(a, b));
  }
}

// Of the lesser or greater, no integer is computed with.
template <typename T, typename Choose>
T chosen(T a, T b, const Choose& choose) {
  if constexpr (kRounded<T>) {
    return T::nearest(choose(static_cast<float>(a), static_cast<float>(b)));
  } else {
    return choose(a, b);
  }
}

// `a` if that is NaN, else `b` if that is.
constexpr auto kLesser = [](auto a, auto b) {
  const auto least = b < a ? b : a;
  return a != a ? a : b != b ? b : least;
};
constexpr auto kGreater = [](auto a, auto b) {
  const auto greatest = a < b ? b : a;
  return a != a ? a : b != b ? b : greatest;
};

template <typename T>
ASSAY_VECTOR_CLONES void divide(T* numbers, int64_t count, size_t by) {
  if constexpr (kRounded<T>) {
    const auto divisor = static_cast<float>(by);
    for (int64_t i = 0; i < count; ++i)
      numbers[i] = T::nearest(static_cast<float>(numbers[i]) / divisor);
  } else if constexpr (std::is_floating_point_v<T>) {
    const auto divisor = static_cast<T>(by);
    for (int64_t i = 0; i < count; ++i) numbers[i] /= divisor;
  }
}

// Steps from member to member, in each block; then divides by `divisor`.
template <typename T, typename Step>
ASSAY_VECTOR_CLONES void fold(std::span<const StridedBuffer> members, T* to, size_t divisor,
                              const Step& step) {
  const int64_t elements = members.front().elements();
  for (int64_t start = 0; start < elements; start += kBlock) {
    const int64_t count = std::min(kBlock, elements - start);
    const auto block = [&](size_t i) {
      return reinterpret_cast<const T*>(members[i].data) + start;
    };
    T* out = to + start;
    std::copy_n(block(0), count, out);
    for (size_t member = 1; member < members.size(); ++member) {
      const T* __restrict in = block(member);
      for (int64_t i = 0; i < count; ++i) out[i] = step(out[i], in[i]);
    }
    if (divisor != 1) divide(out, count, divisor);
  }
}

template <typename T>
void reduce(Reduction reduction, std::span<const StridedBuffer> members, T* to) {
  const size_t divisor = reduction == Reduction::kAverage ? members.size() : 1;
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kAverage:
      return fold(members, to, divisor,
                  [](T a, T b) { return computed(a, b, [](auto x, auto y) { return x + y; }); });
    case Reduction::kProduct:
      return fold(members, to, divisor,
                  [](T a, T b) { return computed(a, b, [](auto x, auto y) { return x * y; }); });
    case Reduction::kMin:
      return fold(members, to, divisor, [](T a, T b) { return chosen(a, b, kLesser); });
    case Reduction::kMax:
      return fold(members, to, divisor, [](T a, T b) { return chosen(a, b, kGreater); });
  }
}

}  // namespace

std::optional<Reduction> parse_reduction(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (name == kNames[i]) return static_cast<Reduction>(i);
  }
  return std::nullopt;
}

const char* to_string(Reduction reduction) { return kNames.at(static_cast<size_t>(reduction)); }

void reduce_buffers(Reduction reduction, std::span<const StridedBuffer> members, std::byte* to) {
  ASSAY_CHECK(!members.empty(), "a reduction needs a member");
  const StridedBuffer& first = members.front();
  for (const StridedBuffer& member : members) {
    ASSAY_CHECK(member.dtype == first.dtype && member.shape == first.shape,
                "the members of a reduction have one type and one shape");
    ASSAY_CHECK(member.is_contiguous(), "the members of a reduction have no gaps");
  }
  if (reduction == Reduction::kAverage && !is_floating(first.dtype))
    throw UserError({}, fmt::format("there is no average in {}", to_string(first.dtype)),
                    "average a floating type");
  visit_type(first.dtype,
             [&]<typename T>(T) { reduce(reduction, members, reinterpret_cast<T*>(to)); });
}

}  // namespace assay
