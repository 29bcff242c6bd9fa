#include "static_check/replay_result.h"

#include <algorithm>

#include "shared_ir/base/error.h"
#include "static_check/checker/checker.h"
#include "static_check/lemmas/offered_lemmas.h"

namespace assay {

void withdraw_claims(StaticResult& result, FailureReport failure) {
  StaticReport& report = result.report;
  report.verdict = Verdict::kUnproved;
  for (TensorReport& output : report.outputs) {
    TensorReport open;
    open.name = output.name;
    output = std::move(open);
  }
  report.tensors.clear();
  report.failures.insert(report.failures.begin(), std::move(failure));
  result.certificate.relations.clear();
  result.certificate.evaluated.clear();
  result.certificate.evaluated_claims.clear();
}

namespace {

FailureReport not_replayed(const StaticReport& report, const std::string& reason) {
  FailureReport failure;
  failure.kind = "not_replayed";
  failure.node = report.outputs.empty() ? "" : report.outputs.front().name;
  failure.reason = "the proof could not be replayed: " + reason;
  return failure;
}

}  // namespace

void replay_result(const Case& asked, const Problem& problem, StaticResult& result) {
  const Verdict verdict = result.report.verdict;
  if (verdict != Verdict::kProved && verdict != Verdict::kUnproved) return;
  const CheckResult checked = check_certificate(
      asked, problem.sequential_program, problem.rank_programs, result.certificate,
      verdict == Verdict::kProved ? Replayed::kProof : Replayed::kClaims,
      result.certificate.lemmas.empty()
          ? LemmaTable{}
          : lemmas_with_certified(asked.lemma_files, certified_lemmas(result.report)));
  if (checked.undecided) {
    result.not_replayed = true;
    result.within_not_replayed =
        !result.certificate.evaluated_claims.empty() ||
        std::ranges::any_of(result.certificate.evaluated,
                            [](const Certificate::Evaluated& equation) {
                              return equation.use != Certificate::Evaluated::Use::kClaim;
                            });
    return withdraw_claims(result, not_replayed(result.report, checked.reason));
  }
  if (!checked.accepted) {
    result.rejected = checked.reason;
    result.distributed_over_sequential.clear();
    withdraw_claims(
        result, not_replayed(result.report,
                             checked.reason + "; a bug of Assay, please report it with the case"));
    return;
  }
  result.replayed = checked.claims;
}

}  // namespace assay
