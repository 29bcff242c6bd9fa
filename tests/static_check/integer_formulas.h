// Formulas of integers, as cases of one rank.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "tests/static_check/formula_case.h"
#include "tests/support/prove.h"

namespace assay::test {

/// Calls on integers of one type.
class Integers {
 public:
  Integers(Calls& calls, DType dtype) : calls_(calls), dtype_(dtype) {}

  TensorRef operator()(const std::string& op, TensorRef x, Argument other) {
    return calls_(op, {x, std::move(other)}, dtype_);
  }
  TensorRef quotient(TensorRef x, int by) { return (*this)("floor_divide.default", x, by); }
  TensorRef remainder(TensorRef x, int by) { return (*this)("remainder.Scalar", x, by); }
  TensorRef times(TensorRef x, int by) { return (*this)("mul.Tensor", x, by); }
  TensorRef minus(TensorRef x, Argument other) { return (*this)("sub.Tensor", x, other); }
  TensorRef plus(TensorRef x, Argument other) { return (*this)("add.Tensor", x, other); }
  TensorRef right(TensorRef x, int by) { return (*this)("__rshift__.Scalar", x, by); }
  TensorRef left(TensorRef x, int by) { return (*this)("__lshift__.Scalar", x, by); }
  TensorRef masked(TensorRef x, int mask) { return (*this)("bitwise_and.Scalar", x, mask); }
  TensorRef both(TensorRef x, TensorRef y) { return (*this)("bitwise_and.Tensor", x, y); }
  TensorRef either(TensorRef x, TensorRef y) { return (*this)("bitwise_or.Tensor", x, y); }
  TensorRef differing(TensorRef x, TensorRef y) { return (*this)("bitwise_xor.Tensor", x, y); }
  TensorRef alone(const std::string& op, TensorRef x) { return calls_(op, {x}, dtype_); }
  TensorRef inverted(TensorRef x) { return alone("bitwise_not.default", x); }
  TensorRef negative(TensorRef x) { return alone("neg.default", x); }
  TensorRef flag(const std::string& op, TensorRef x, int limit) {
    return calls_(op, {x, limit}, DType::kBool);
  }
  TensorRef both_flags(TensorRef x, TensorRef y) {
    return calls_("bitwise_and.Tensor", {x, y}, DType::kBool);
  }
  TensorRef where(TensorRef flag, TensorRef x, TensorRef y) {
    return calls_("where.self", {flag, x, y}, dtype_);
  }
  TensorRef of_flag(TensorRef flag) { return calls_("_to_copy.default", {flag, dtype_}, dtype_); }

 private:
  Calls& calls_;
  DType dtype_;
};

using IntegerFormula = std::function<TensorRef(Integers&, TensorRef)>;
using PairFormula = std::function<TensorRef(Integers&, TensorRef, TensorRef)>;

inline testing::AssertionResult agree_on_pairs(DType dtype, const PairFormula& a,
                                               const PairFormula& b) {
  const auto formula = [dtype](const PairFormula& of) {
    return [dtype, of](GraphBuilder& graph, TensorRef x, TensorRef y) {
      Calls calls(graph);
      Integers integers(calls, dtype);
      return of(integers, x, y);
    };
  };
  return proves(formulas(formula(a), formula(b), {"x", {4, 6}, dtype}, {"y", {4, 6}, dtype}));
}

inline testing::AssertionResult agree(DType dtype, const IntegerFormula& a,
                                      const IntegerFormula& b) {
  const auto formula = [dtype](const IntegerFormula& of) {
    return [dtype, of](GraphBuilder& graph, TensorRef x, TensorRef) {
      Calls calls(graph);
      Integers integers(calls, dtype);
      return of(integers, x);
    };
  };
  return proves(formulas(formula(a), formula(b), {"x", {4, 6}, dtype}));
}

}  // namespace assay::test
