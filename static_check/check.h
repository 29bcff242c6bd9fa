// The static layer's one entry: does the distributed program refine the sequential one?
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "shared_ir/case/case.h"
#include "shared_ir/operator_table/operator_table.h"
#include "shared_ir/proof/proof.h"
#include "shared_ir/report/report.h"
#include "shared_ir/report/verdict.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

struct StaticOptions {
  std::chrono::milliseconds timeout{60'000};
  bool relations = true;  // infer relations of inner tensors too (the dynamic layer needs them)
  // The user's lemmas that are known to be certified: no other of the user's is used. nullopt: each
  // is certified when a proof uses it.
  std::optional<std::set<std::string>> certified_lemmas = std::nullopt;
  bool evaluate = true;  // an identity that nothing derives may be tested by evaluation
  // By evaluation of both programs as wholes, where equations between tensors within them may be
  // shown first; without the latter nothing is evaluated back to what is derived either.
  bool evaluate_whole = true, evaluate_within = true;
  // What drawn numbers tell apart is not evaluated. Without it the same is proved, later.
  bool refute_first = true;
  bool verify = true;  // replay the certificate through the independent checker
};

struct StaticResult {
  StaticReport report;  // verdict, outputs, tensors, failures, assumptions, counts
  Certificate certificate;
  // Proved, or tried, with the assumption that no target of a loss is ignored
  // (Case::no_target_ignored).
  bool no_target_ignored = false;
  std::string rejected;  // why the checker rejects what was found: our bug; empty where it does not
  Int replayed = 0;      // claims of the certificate that the checker derived anew
  // The checker did not show what evaluation showed: anything, or where equations within the
  // programs were taken.
  bool not_replayed = false, within_not_replayed = false;
  // Each distributed tensor over sequential ones (leaves at rank 0), where a clean expression of
  // views exists: per rank, tensor name -> expression. Reshards reference values for operator-wise
  // replay.
  std::vector<std::map<std::string, CleanExpr>> distributed_over_sequential;
};

// Lifts both sides, covers the sequential tensors, checks outputs and expectations. Does not throw
// for anything that can be said with a verdict; throws UserError for bad input and InternalError
// for our bugs, of which a certificate that the checker rejects is one.
StaticResult static_check(const Case& refinement, const OperatorTable& operators,
                          const StaticOptions& options = {});

}  // namespace assay
