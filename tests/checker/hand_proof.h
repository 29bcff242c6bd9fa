// What a certificate is written with by hand, operator by operator.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/claims/replay.h"

namespace assay::test {

/// A claim of one tile: the sum of the terms.
Value claim(Shape shape, std::vector<Term> terms);

/// coef 1, row-major with these strides per dimension, no restriction.
Term view(AtomId atom, const Shape& shape, const std::vector<int64_t>& strides, int64_t offset = 0);

/// The same, restricted to label in [lo, hi) of `size`.
Term part(Term term, LabelId label, int64_t size, Interval in);

/// The same where element `where` of the integer atom lies in the interval.
Term guarded(Term term, AtomId ids, Layout where, Interval in);

/// One program, its graph and its claims, grown together.
class HandProgram {
 public:
  HandProgram(Graph& graph, CoreProgram& program, std::vector<Value>& claims)
      : graph_(graph), program_(program), claims_(claims) {}

  CoreId input(const std::string& name, DType dtype, Value value);
  CoreId op(Prim prim, std::vector<CoreId> operands, Value value, std::vector<int64_t> ints = {});
  CoreId op(CoreOp op, Value value);
  CoreId all_reduce(CoreId operand, std::vector<Rank> ranks, Value value);
  void output(const std::string& name, CoreId op);

 private:
  TensorId tensor(const std::string& name, DType dtype, const Shape& shape, CoreId op);

  Graph& graph_;
  CoreProgram& program_;
  std::vector<Value>& claims_;
};

}  // namespace assay::test
