#include "static_check/symbolic/symbolic_replay.h"

#include "shared_ir/case/case.h"
#include "shared_ir/lower/lower.h"
#include "shared_ir/operator_table/operator_table.h"
#include "shared_ir/symbolic/replay.h"
#include "static_check/check.h"
#include "static_check/checker/checker.h"
#include "static_check/lemmas/offered_lemmas.h"

namespace assay {
namespace {

symbolic::ReplayedProof run(const symbolic::ReplayQuery& query) {
  symbolic::Replay replay;
  symbolic::ReplayedProof result;
  replay.record(true);
  Case refinement = load_case(query.case_path, query.instance);
  const OperatorTable operators = OperatorTable::with_files(refinement.operator_files);
  LoweredCase programs = lower(refinement, operators);
  replay.record(false);
  StaticOptions options;
  options.timeout = std::chrono::milliseconds(query.limit_ms);
  options.relations = false;
  options.verify = false;
  const std::set<std::string> certified(query.certified_lemmas.begin(),
                                        query.certified_lemmas.end());
  options.certified_lemmas = certified;
  const StaticResult proof = static_check(refinement, operators, options);
  if (proof.report.verdict != Verdict::kProved) {
    result.reason = "no proof was found over the symbols";
    if (!proof.report.failures.empty()) {
      const FailureReport& failure = proof.report.failures.front();
      result.reason += ": " + failure.op + " " + failure.source + ": " + failure.reason;
    }
    return result;
  }
  replay.record(true);
  if (proof.no_target_ignored && !refinement.no_target_ignored) {
    refinement.no_target_ignored = true;
    programs = lower(refinement, operators);
  }
  const CheckResult checked = check_certificate(
      refinement, programs.sequential, programs.ranks, proof.certificate, Replayed::kProof,
      proof.certificate.lemmas.empty() ? LemmaTable{}
                                       : lemmas_with_certified(refinement.lemma_files, certified));
  replay.record(false);
  result.assumptions = programs.sequential.notes;
  for (const CoreProgram& rank : programs.ranks)
    result.assumptions.insert(result.assumptions.end(), rank.notes.begin(), rank.notes.end());
  result.accepted = checked.accepted;
  result.reason = checked.reason;
  for (const symbolic::Condition& condition : replay.conditions())
    result.conditions.push_back({condition.text, condition.asked_by});
  for (const TensorReport& output : proof.report.outputs)
    result.relations[output.name] = output.relation;
  return result;
}

}  // namespace
}  // namespace assay

void assay_symbolic_replay_proof(const symbolic::ReplayQuery& query,
                                 symbolic::ReplayedProof& result) {
  try {
    result = assay::run(query);
  } catch (const symbolic::Overflow&) {
    result.reason = "a size over the symbols leaves 64 bits";
  } catch (const std::exception& error) {
    result.reason = error.what();
  }
}
