// Both programs of a case on numbers of the identity test.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "shared_ir/clean_expr.h"
#include "shared_ir/reference/tensor.h"
#include "static_check/identity/functions.h"
#include "static_check/problem/problem.h"

namespace assay::identity {

using Tensor = reference::TensorOf<Number>;

// One evaluation. What the inputs of both sides are of each other, their lifted values say.
class Evaluation {
 public:
  // Runs the programs. Throws NotRepresented where a number has no residue, and TimedOut.
  Evaluation(const Problem& problem, uint64_t seed);

  // Whether both are the same at every element, which is a number.
  bool equal(const CleanExpr& sequential, const CleanExpr& replica);
  // What constants of the programs were taken for.
  const std::set<std::string>& readings() const { return functions_.readings(); }

 private:
  friend class Side;

  void run();
  Tensor input(const Value& value, DType dtype);
  Number element(const Term& term, const std::vector<int64_t>& at, DType dtype);

  const Problem& problem_;
  Algebra algebra_;
  Functions functions_{algebra_};
  std::vector<std::vector<Tensor>> sequential_, ranks_;  // by program, by operator
};

}  // namespace assay::identity
