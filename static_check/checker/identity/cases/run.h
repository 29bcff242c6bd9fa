// Both programs, evaluated once.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "static_check/checker/identity/evaluation.h"
#include "static_check/checker/joint.h"

namespace assay::checker::identity {

class Run {
 public:
  // The joint, `notes` and `scope` must outlive this. Throws what evaluation throws.
  Run(uint64_t seed, const Joint& joint, std::set<std::string>& notes, const Scope& scope,
      Reading reading);

  Evaluation::Tensor sequential(const CleanExpr& expr) { return evaluate(expr, true); }
  Evaluation::Tensor ranks(const CleanExpr& expr) { return evaluate(expr, false); }
  // Whether what was evaluated of the sequential program is a number for all inputs.
  bool is_total() const { return sequential_.is_total(); }
  const Algebra& algebra() const { return algebra_; }

 private:
  void run();
  Evaluation::Tensor evaluate(const CleanExpr& expr, bool of_sequential);

  const Joint& joint_;
  Algebra algebra_;
  Evaluation sequential_, distributed_;
  std::vector<Evaluation::Tensor> sequential_values_;
  std::vector<std::vector<Evaluation::Tensor>> values_;
};

// Of all operators together that are evaluated. Throws Rejection where that is too much to
// evaluate.
PlainInt count_elements(const Joint& joint, const Scope& scope);

}  // namespace assay::checker::identity
