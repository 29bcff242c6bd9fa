#include "shared_ir/lower/build/sizes.h"

#include <numeric>

namespace assay::lowering {

int64_t plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (add_overflow(a, b, &sum)) throw SizeOverflow{};
  return sum;
}

int64_t times(int64_t a, int64_t b) {
  int64_t product = 0;
  if (mul_overflow(a, b, &product)) throw SizeOverflow{};
  return product;
}

int64_t quotient_down(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return quotient * b > a ? quotient - 1 : quotient;
}

int64_t element_count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, times);
}

int64_t total_of(const std::vector<int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{0}, plus);
}

}  // namespace assay::lowering
