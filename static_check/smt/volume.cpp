#include "static_check/smt/volume.h"

namespace assay {

namespace {

// Digits of one label are independent when one begins at a multiple of where the other ends.
bool independent(const Restriction& a, const Restriction& b) {
  if (a.label != b.label) return true;
  const Restriction& low = a.stride < b.stride ? a : b;
  const Restriction& high = a.stride < b.stride ? b : a;
  return high.stride % (low.stride * low.radix) == 0;
}

}  // namespace

std::optional<Rational> volume(const Boxes& boxes) {
  Rational result = 1;
  for (size_t i = 0; i < boxes.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (!independent(boxes[i], boxes[k])) return std::nullopt;
    }
    int64_t taken = 0;
    for (const Interval& interval : boxes[i].intervals) taken += interval.hi - interval.lo;
    result = result * Rational(taken, boxes[i].radix);
  }
  return result;
}

}  // namespace assay
