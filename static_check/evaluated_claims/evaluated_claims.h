// Claims of the ranks' operators that nothing derives, by evaluation back to what is derived: then
// the derivation goes on from there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "shared_ir/proof/proof.h"
#include "static_check/evaluated_claims/derived_cuts.h"
#include "static_check/evaluated_claims/likely_claims.h"
#include "static_check/problem/problem.h"

namespace assay {

// One search of a check. Remembers the tensors that it has tried.
class ClaimSearch {
 public:
  // A tensor of the specification without a relation that evaluation shows to be the ranks', the
  // first in its order. `relations`, `distributed`: as derived by now. Throws TimedOut.
  std::optional<Certificate::EvaluatedClaim> next(Problem& problem, const RelationMap& relations,
                                                  const DistributedOverSequential& distributed);

  // Tensors that evaluation did not show to be the ranks'.
  int failed() const { return failed_; }
  // And the elements that were computed for them.
  int64_t in_vain() const { return in_vain_; }
  // Whether something was found to hold by cases alone, and what constants of the programs were
  // taken for.
  bool used_cases() const { return used_cases_; }
  const std::set<std::string>& readings() const { return readings_; }

 private:
  std::optional<std::vector<LikelyClaim>> likely_;  // once asked for: numbers stay what they are
  std::set<TensorId> tried_;
  int failed_ = 0;
  int64_t in_vain_ = 0;  // elements computed for these
  bool used_cases_ = false;
  std::set<std::string> readings_;
};

// What the claim's operators claim: the sequential tensor's value, or their parts of it.
void give_values(const Problem& problem, const Certificate::EvaluatedClaim& claim,
                 GivenValues& values);

}  // namespace assay
