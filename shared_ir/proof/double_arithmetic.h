// The arithmetic of formulas (formula_run.h) in double precision: NaN is no value.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "shared_ir/rational.h"

namespace assay {

struct DoubleArithmetic {
  using Number = double;
  using Mask = bool;

  static constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

  static double constant(const Rational& value) { return value.to_double(); }
  static double keep(bool mask, double x) { return mask ? x : 0; }
  static double add(double x, double y) { return x + y; }
  static double multiply(double x, double y) { return x * y; }
  static double larger(double x, double y) {
    return std::isnan(x) || std::isnan(y) ? kUndefined : std::max(x, y);
  }
  static double inverse(double x) { return x != 0 ? 1 / x : kUndefined; }
  static double exp(double x) { return std::exp(x); }
  static double log(double x) { return x > 0 ? std::log(x) : kUndefined; }
  static double sqrt(double x) { return x >= 0 ? std::sqrt(x) : kUndefined; }
  static double sin(double x) { return std::sin(x); }
  static double cos(double x) { return std::cos(x); }
  static bool negation(bool a) { return !a; }
  static bool both(bool a, bool b) { return a && b; }
  static bool either(bool a, bool b) { return a || b; }
};

}  // namespace assay
