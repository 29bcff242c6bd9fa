// Certificates written by hand, operator by operator.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/replay.h"

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

/// y[4, 8] = x[4, 6] @ w[6, 8]; two ranks hold halves of the contracted dimension and all-reduce.
/// Atoms: x 0, w 1, the products 2, their sum 3 (label 0).
Replay row_parallel();

/// The same; two ranks hold halves of w's columns, y is their concat.
Replay column_parallel();

/// y[5, 3] = table[8, 3][ids[5]]; two ranks hold halves of the table, mask ids outside, all-reduce.
/// Atoms: ids 0, table 1, the constant 1 2, one-hot 3, products 4, their sum 5 (label 0).
Replay vocab_parallel();

/// y[4, 6] = softmax of x[4, 6] over dim 1; two ranks hold rows. Atoms: x 0, softmax 1.
Replay row_softmax();

}  // namespace assay::test
