#include "tests/dynamic/support/number_oracle.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <random>

namespace assay::test {
namespace {

// Of a float of less than 32 bits.
struct Format {
  int exponent, mantissa;
  bool infinity;  // else only all bits together are no number

  int bias() const { return (1 << (exponent - 1)) - 1; }
  uint64_t all() const { return (uint64_t{1} << (exponent + mantissa)) - 1; }
  uint64_t largest() const { return infinity ? (all() >> mantissa << mantissa) - 1 : all() - 1; }

  // As if no bits stood for something else.
  double magnitude(uint64_t bits) const {
    const auto power = static_cast<int>(bits >> mantissa);
    const auto fraction = static_cast<double>(bits & ((uint64_t{1} << mantissa) - 1));
    const double one = std::ldexp(1, mantissa);
    return std::ldexp(power == 0 ? fraction : one + fraction,
                      std::max(power, 1) - bias() - mantissa);
  }
};

std::optional<Format> format_of(DType dtype) {
  static const std::map<DType, Format> formats{{DType::kFloat16, {5, 10, true}},
                                               {DType::kBFloat16, {8, 7, true}},
                                               {DType::kFloat8E4M3, {4, 3, false}},
                                               {DType::kFloat8E5M2, {5, 2, true}}};
  const auto found = formats.find(dtype);
  return found == formats.end() ? std::nullopt : std::optional(found->second);
}

// By search among all numbers of the type.
std::optional<uint64_t> nearest(const Format& format, double value) {
  const double magnitude = std::abs(value);
  // One more than the largest is where infinity, or no number, begins.
  uint64_t low = 0, high = format.largest() + 1;
  if (magnitude >= format.magnitude(high)) {
    low = high;
  } else {
    while (high - low > 1) {
      const uint64_t middle = (low + high) / 2;
      (format.magnitude(middle) <= magnitude ? low : high) = middle;
    }
    const double below = magnitude - format.magnitude(low),
                 above = format.magnitude(high) - magnitude;
    if (above < below || (above == below && high % 2 == 0)) low = high;
  }
  if (low > format.largest() && !format.infinity) return std::nullopt;
  return low | (std::signbit(value) ? format.all() + 1 : 0);
}

// Of the result of one operation on numbers of the type, computed in float64.
std::optional<uint64_t> rounded(DType dtype, double value) {
  if (std::isnan(value)) return std::nullopt;
  if (const auto format = format_of(dtype)) return nearest(*format, value);
  if (dtype == DType::kFloat32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  return std::bit_cast<uint64_t>(value);
}

int64_t signed_value(DType dtype, uint64_t bits) {
  const auto unused = static_cast<int>(64 - 8 * byte_size(dtype));
  const uint64_t shifted = bits << unused;
  if (!is_integer(dtype) || is_unsigned(dtype)) return static_cast<int64_t>(shifted >> unused);
  return static_cast<int64_t>(shifted) >> unused;
}

uint64_t of_width(DType dtype, uint64_t bits) {
  const size_t bytes = byte_size(dtype);
  return bytes == 8 ? bits : bits & ((uint64_t{1} << 8 * bytes) - 1);
}

uint64_t integer_step(Reduction reduction, DType dtype, uint64_t a, uint64_t b) {
  const bool b_is_less = signed_value(dtype, b) < signed_value(dtype, a);
  if (reduction == Reduction::kMin) return b_is_less ? b : a;
  if (reduction == Reduction::kMax) return b_is_less ? a : b;
  if (is_bool(dtype)) return reduction == Reduction::kSum ? a | b : a & b;
  return of_width(dtype, reduction == Reduction::kSum ? a + b : a * b);
}

std::optional<uint64_t> floating_step(Reduction reduction, DType dtype, uint64_t a, uint64_t b) {
  const double x = value_of(dtype, a), y = value_of(dtype, b);
  if (reduction == Reduction::kSum || reduction == Reduction::kAverage)
    return rounded(dtype, x + y);
  if (reduction == Reduction::kProduct) return rounded(dtype, x * y);
  if (std::isnan(x) || std::isnan(y)) return std::nullopt;
  return (reduction == Reduction::kMin ? y < x : x < y) ? b : a;
}

}  // namespace

double value_of(DType dtype, uint64_t bits) {
  if (dtype == DType::kFloat64) return std::bit_cast<double>(bits);
  if (dtype == DType::kFloat32)
    return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  const Format format = *format_of(dtype);
  const uint64_t magnitude = bits & format.all();
  double value = format.magnitude(magnitude);
  if (magnitude > format.largest()) {
    const bool infinite = format.infinity && magnitude == format.largest() + 1;
    value = infinite ? INFINITY : NAN;
  }
  return std::copysign(value, bits > format.all() ? -1.0 : 1.0);
}

std::optional<uint64_t> reduced_bits(Reduction reduction, DType dtype,
                                     const std::vector<uint64_t>& members) {
  std::optional<uint64_t> result = members.front();
  if (is_floating(dtype) && std::isnan(value_of(dtype, *result))) return std::nullopt;
  for (size_t i = 1; i < members.size(); ++i) {
    if (!is_floating(dtype)) {
      result = integer_step(reduction, dtype, *result, members[i]);
    } else if (!(result = floating_step(reduction, dtype, *result, members[i]))) {
      return std::nullopt;
    }
  }
  if (reduction != Reduction::kAverage) return result;
  return rounded(dtype, value_of(dtype, *result) / static_cast<double>(members.size()));
}

std::vector<uint64_t> bits_of(const StridedBuffer& buffer) {
  const StridedBuffer dense = contiguous(buffer);
  const size_t bytes = byte_size(buffer.dtype);
  std::vector<uint64_t> bits(static_cast<size_t>(buffer.elements()), 0);
  for (size_t i = 0; i < bits.size(); ++i) std::memcpy(&bits[i], dense.data + i * bytes, bytes);
  return bits;
}

StridedBuffer buffer_of_bits(DType dtype, const Shape& shape, const std::vector<uint64_t>& bits) {
  StridedBuffer buffer = make_buffer(dtype, shape, false);
  const size_t bytes = byte_size(dtype);
  for (size_t i = 0; i < bits.size(); ++i)
    std::memcpy(buffer.owned.get() + i * bytes, &bits[i], bytes);
  return buffer;
}

StridedBuffer random_buffer(DType dtype, const Shape& shape, uint64_t seed) {
  std::mt19937_64 draw(seed);
  std::vector<uint64_t> bits(static_cast<size_t>(make_buffer(dtype, shape, false).elements()));
  for (uint64_t& number : bits) {
    number = of_width(dtype, draw());
    if (is_bool(dtype)) number %= 2;
    // Else the sums of what is drawn are mostly the larger of two numbers.
    if (is_floating(dtype) && draw() % 2 == 0)
      number = rounded(dtype, static_cast<double>(draw() % 4001) / 100 - 20).value_or(0);
  }
  return buffer_of_bits(dtype, shape, bits);
}

std::vector<std::optional<uint64_t>> reduced(Reduction reduction,
                                             const std::vector<StridedBuffer>& members) {
  std::vector<std::vector<uint64_t>> bits;
  for (const StridedBuffer& member : members) bits.push_back(bits_of(member));
  std::vector<std::optional<uint64_t>> result;
  for (size_t i = 0; i < bits.front().size(); ++i) {
    std::vector<uint64_t> column;
    for (const std::vector<uint64_t>& member : bits) column.push_back(member[i]);
    result.push_back(reduced_bits(reduction, members.front().dtype, column));
  }
  return result;
}

bool has_bits(const StridedBuffer& buffer, const std::vector<std::optional<uint64_t>>& expected) {
  const std::vector<uint64_t> found = bits_of(buffer);
  return std::ranges::equal(found, expected, [&](uint64_t bits, std::optional<uint64_t> wanted) {
    return wanted ? bits == *wanted : std::isnan(value_of(buffer.dtype, bits));
  });
}

}  // namespace assay::test
