// What a lifted problem shows: relations of its outputs and inner tensors, the case's expectations,
// and what explains that they do not hold.
#pragma once

#include <vector>

#include "static_check/approximations.h"
#include "static_check/check.h"
#include "static_check/diagnose/diagnose.h"
#include "static_check/problem/problem.h"

namespace assay {

class Goals {
 public:
  // Of `problem`, which is `asked` or, where that has approximations, the same without them or,
  // with their `operands`, given them. Writes into `result`. All must outlive this.
  // `all_relations`: those of inner tensors where everything holds, too.
  Goals(Problem& problem, const Case& asked, const std::vector<ApproximatedOperands>& operands,
        bool all_relations, StaticResult& result)
      : problem_(problem),
        asked_(asked),
        operands_(operands),
        all_relations_(all_relations),
        result_(result) {}

  // Relations, verdict and failures, once the programs are lifted. Throws TimedOut.
  void prove();
  // The same once more, where the ranks are lifted anew.
  void prove_again() {
    forget();
    prove();
  }
  // All hold, by other means.
  void hold() {
    unproved_.clear();
    broken_.clear();
  }

  // By sequential tensor; of inner ones as far as they were asked for.
  const RelationMap& relations() const { return relations_; }
  const std::vector<TensorId>& unproved() const { return unproved_; }
  const std::vector<BrokenExpectation>& broken() const { return broken_; }
  // Operands of approximated operators that do not correspond.
  const std::vector<ForeignOperand>& foreign() const { return foreign_; }

 private:
  void forget();
  bool failed() const { return !unproved_.empty() || !broken_.empty() || !foreign_.empty(); }
  void relate_inner_tensors(const CoverIndex& outputs);
  void check_approximated_operands();
  bool lacks_relation(const Expectation& expectation) const;
  void check_outputs(const CoverIndex& index);
  void check_expectations();
  void note_expectation(const Expectation& expectation, bool holds);
  void infer_relations(const CoverIndex& index);
  void invert_relations();

  Problem& problem_;
  const Case& asked_;
  const std::vector<ApproximatedOperands>& operands_;
  const bool all_relations_;
  StaticResult& result_;
  RelationMap relations_;
  std::vector<TensorId> unproved_;
  std::vector<BrokenExpectation> broken_;
  std::vector<ForeignOperand> foreign_;
};

}  // namespace assay
