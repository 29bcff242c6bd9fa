#include "shared_ir/lower/build/sizes.h"

#include <numeric>

#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {

Int plus(Int a, Int b) {
  Int sum = 0;
  if (add_overflow(a, b, &sum)) throw SizeOverflow{};
  return sum;
}

Int times(Int a, Int b) {
  Int product = 0;
  if (mul_overflow(a, b, &product)) throw SizeOverflow{};
  return product;
}

Int element_count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), Int{1}, times);
}

Int total_of(const std::vector<Int>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), Int{0}, plus);
}

}  // namespace assay::lowering
