// Numbers beyond a double's range, as quotients of exponentials have them in between: where a
// program computes exp(x - m), its claim says exp(x) / exp(m).
#pragma once

#include <cmath>

namespace assay::test {

/// mantissa * e^scale. As a double where one is asked for.
class ScaledNumber {
 public:
  ScaledNumber(double value = 0) : mantissa_(value) {}
  ScaledNumber(double mantissa, double scale) : mantissa_(mantissa), scale_(scale) {}

  operator double() const {
    return scale_ == 0 || mantissa_ == 0 ? mantissa_ : mantissa_ * std::exp(scale_);
  }

  ScaledNumber times(const ScaledNumber& other) const {
    return {mantissa_ * other.mantissa_, scale_ + other.scale_};
  }
  ScaledNumber plus(const ScaledNumber& other) const {
    if (scale_ < other.scale_) return other.plus(*this);
    if (other.mantissa_ == 0) return *this;
    if (mantissa_ == 0) return other;
    return {mantissa_ + other.mantissa_ * std::exp(other.scale_ - scale_), scale_};
  }
  ScaledNumber reciprocal() const { return {1 / mantissa_, -scale_}; }
  double log() const { return std::log(mantissa_) + scale_; }

  static ScaledNumber exp(double x) {
    constexpr double kWithinRange = 500;
    return std::isfinite(x) && std::abs(x) > kWithinRange ? ScaledNumber(1, x)
                                                          : ScaledNumber(std::exp(x));
  }

 private:
  double mantissa_;
  double scale_ = 0;
};

}  // namespace assay::test
