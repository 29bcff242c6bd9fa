// What execution and proof say of one mutant.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_ir/operator_table/operator_table.h"
#include "static_check/check.h"
#include "tests/mutation/mutation.h"

namespace assay::test {

struct Proof {
  Verdict verdict = Verdict::kUnproved;
  std::string reason;            // why it is not proved
  bool assumes_domains = false;  // what the ranks alone compute is taken to be defined
  std::string
      certificate_error;  // why the checker rejects the certificate; empty for an accepted one
};

struct Judgement {
  std::string
      invalid;  // why this is no program: shapes, or an operator that refuses to run; else empty
  std::string difference;  // how execution tells it from the original; empty: it does not
  Proof proof;
  std::string false_claim;  // a relation that the proof infers and that execution contradicts
  std::optional<Proof>
      whole;  // the same mutation of the case at its full sizes, where it is valid there
};

class Judge {
 public:
  /// `executed` is small enough to run; `whole` is the same case at its full sizes, if that is
  /// another.
  /// With `finite_only`, runs say nothing where the original gives NaN or infinities: there a proof
  /// claims nothing. Nor where the ranks alone give them and the proof lists that it takes what
  /// they compute to be defined.
  Judge(Case executed, std::optional<Case> whole, bool finite_only = false);

  /// Runs the mutant in float64, by PyTorch's kernels, on several random inputs that satisfy the
  /// input relation, ids at every bound of the program and beside it among them, and holds the
  /// outputs against the case's expectations. Proves it, replays the certificate, and runs every
  /// relation that the proof infers.
  Judgement judge(const Mutation& mutation) const;

  const Case& executed() const { return executed_; }

 private:
  std::optional<Proof> prove(const Case& mutant, std::vector<Relation>* claims) const;

  Case executed_;
  std::optional<Case> whole_;
  bool finite_only_;
  OperatorTable operators_ = OperatorTable::builtin();
};

}  // namespace assay::test
