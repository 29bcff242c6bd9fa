// Where a number is on the real line, as far as it has been decided.
#pragma once

#include <optional>

#include "shared_ir/rational.h"

namespace assay::checker::identity {

inline int sign_of(const Rational& x) { return x.is_positive() ? 1 : x.is_negative() ? -1 : 0; }

// An interval, of which 0 as an end may be a part, or a point.
class Position {
 public:
  // Between 0 and infinity of that sign. Whether it may be 0 itself is undecided, if `closed`.
  void take_side(int side, bool closed);
  // The sign of its distance from there, where it is decided.
  std::optional<int> known(const Rational& at) const;
  // Decides it.
  void decide(const Rational& at, int sign);
  // Whether it is undecided for the end of the interval alone: the sign if it is not that end.
  std::optional<int> end(const Rational& at) const;

 private:
  std::optional<Rational> point_, low_, high_;
  bool closed_ = false;
};

}  // namespace assay::checker::identity
