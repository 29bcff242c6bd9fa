#include "static_check/checker/identity/cases/position.h"

namespace assay::checker::identity {
void Position::take_side(int side, bool closed) {
  (side > 0 ? low_ : high_) = Rational(0);
  closed_ = closed;
}

std::optional<int> Position::end(const Rational& at) const {
  if (!closed_ || !at.is_zero()) return std::nullopt;
  if (low_ && low_->is_zero()) return 1;
  if (high_ && high_->is_zero()) return -1;
  return std::nullopt;
}

std::optional<int> Position::known(const Rational& at) const {
  if (point_) return sign_of(*point_ - at);
  if (end(at)) return std::nullopt;
  if (low_ && !(at - *low_).is_positive()) return 1;
  if (high_ && !(*high_ - at).is_positive()) return -1;
  return std::nullopt;
}

void Position::decide(const Rational& at, int sign) {
  if (sign == 0) {
    point_ = at;
    return;
  }
  if (at.is_zero()) closed_ = false;
  (sign > 0 ? low_ : high_) = at;
}

}  // namespace assay::checker::identity
