// What nothing derives, by evaluation of both programs.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "shared_ir/proof/proof.h"
#include "static_check/check.h"
#include "static_check/diagnose/diagnose.h"
#include "static_check/problem/problem.h"

namespace assay {

struct EvaluatedProof {
  bool holds = false;
  std::string why_not;  // nothing was decided; empty where the programs were told apart
  std::vector<Certificate::Evaluated> equations;
  std::map<TensorId, std::vector<CleanExpr>> outputs;  // sequential, with their relations
  std::set<std::string> readings;  // what constants of the programs were taken for
  bool by_cases = false;           // some of it holds by cases alone
};

// Whether the `broken` expectations of the case hold, and outputs that are `unproved` and of which
// none of them speaks are one of their likely relations: all of them, or it is no proof. Throws
// TimedOut.
EvaluatedProof evaluated_proof(const Problem& problem, const std::vector<BrokenExpectation>& broken,
                               const std::vector<TensorId>& unproved, const StaticOptions& options);

// What a report says of proofs by evaluation.
void trust_evaluation(StaticReport& report, bool by_cases, const std::set<std::string>& readings);

// Writes such a proof, which holds, into report and certificate.
void accept(const Problem& problem, const EvaluatedProof& proof, StaticResult& result);

}  // namespace assay
