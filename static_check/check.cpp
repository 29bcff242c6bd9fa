#include "static_check/check.h"

#include <algorithm>
#include <chrono>

#include "shared_ir/lower/lower.h"
#include "static_check/approximations.h"
#include "static_check/assumptions.h"
#include "static_check/counts.h"
#include "static_check/cover/evaluate.h"
#include "static_check/diagnose/diagnose.h"
#include "static_check/domains/ignored_targets.h"
#include "static_check/domains/refusals.h"
#include "static_check/domains/trials/other_losses.h"
#include "static_check/evaluated_claims/evaluated_claims.h"
#include "static_check/goals.h"
#include "static_check/lemmas/offered_lemmas.h"
#include "static_check/problem/candidates.h"
#include "static_check/problem/problem.h"
#include "static_check/proof_by_evaluation.h"
#include "static_check/replay_result.h"
#include "static_check/residual/search.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

class Check {
 public:
  // Checks `refinement`, which was lowered to `programs`. It is `asked` itself; where that has
  // approximations, the same without them or, with their `operands`, given them.
  Check(const Case& asked, const Case& refinement, std::vector<ApproximatedOperands> operands,
        LoweredCase programs, const StaticOptions& options)
      : options_(options),
        asked_(asked),
        operands_(std::move(operands)),
        problem_{refinement, std::move(programs.sequential), std::move(programs.ranks), {}, {}, {}},
        goals_(problem_, asked_, operands_, options.relations, result_) {}

  StaticResult run() {
    attempt();
    count(problem_, proofs_, result_.report);
    write_certificate();
    // What is evaluated has no steps that could be followed: two evaluations have to agree.
    if (options_.verify || !result_.certificate.evaluated.empty() ||
        !result_.certificate.evaluated_claims.empty())
      replay_result(asked_, problem_, result_);
    return std::move(result_);
  }

  // Looks for a proof. Its verdict.
  Verdict attempt() {
    const auto start = Clock::now();
    problem_.lifting.set_deadline(start + options_.timeout);
    problem_.lifting.set_random_agrees(problem_.refinement.random_agrees);
    result_.report.assumptions = assumptions_of(problem_, asked_);
    for (size_t i = 0; i < operands_.size(); ++i)
      result_.report.approximations.push_back(report_of(asked_, asked_.approximations[i]));
    try {
      lift_and_prove();
    } catch (const TimedOut&) {
      if (result_.report.accepted) return result_.report.verdict;  // that needs no longer search
      result_.report.verdict = Verdict::kTimeout;
      result_.report.failures = {diagnose_timeout(options_.timeout)};
    }
    result_.report.ms.check =
        std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    return result_.report.verdict;
  }

  // Without an attempt: of a proof of the same programs that takes no target to be ignored.
  void refuse_other_losses(const Certificate& proof, const RankLoss& ignoring) {
    lift();
    if (!problem_.ranks.mismatch) assay::refuse_other_losses(problem_, proof, ignoring);
  }

  // Whether the ranks compute what the user accepts as an approximation, after an attempt that ran
  // to its end.
  bool holds(const Approximation& approximation) {
    const Value* value =
        problem_.sequential_value(problem_.refinement.sequential.find(approximation.tensor));
    return value != nullptr &&
           std::ranges::all_of(approximation.replicas, [&](const CleanExpr& replica) {
             const auto found = rank_value_of(problem_, replica);
             return found && equivalent(problem_.lifting, *found, *value);
           });
  }

 private:
  void lift() {
    const Case& refinement = problem_.refinement;
    inputs_ = invert_input_relation(problem_.lifting, refinement);
    problem_.sequential = lift_sequential(problem_.lifting, refinement.sequential,
                                          problem_.sequential_program, inputs_);
    lift_ranks();
  }

  void lift_ranks() {
    problem_.ranks = assay::lift_ranks(problem_.lifting, problem_.refinement,
                                       problem_.rank_programs, inputs_, given_);
  }

  void lift_and_prove() {
    lift();
    if (problem_.ranks.mismatch) {
      result_.report.verdict = Verdict::kRefuted;
      result_.report.failures.push_back(diagnose_mismatch(problem_, *problem_.ranks.mismatch));
      for (const std::string& name : problem_.refinement.outputs)
        result_.report.outputs.push_back({name, Verdict::kUnproved, {}, false});
    } else {
      goals_.prove();
      if (result_.report.verdict != Verdict::kProved) prove_otherwise();
      note_domains();
      if (result_.report.accepted) note_accepted(*problem_.refinement.accept, result_.report);
    }
  }

  void note_domains() {
    const bool proved = result_.report.verdict == Verdict::kProved;
    AssumedDomains assumed = assumed_of_domains(problem_, proved ? &result_.certificate : nullptr);
    for (std::string& note : assumed.notes) result_.report.assumptions.push_back(std::move(note));
    if (assumed.contrary) withdraw_claims(result_, std::move(*assumed.contrary));
  }

  // A short derivation is looked for first; a long one where no evaluation spares the search.
  void prove_otherwise() {
    OfferedLemmas offered(problem_.refinement.lemma_files, options_.certified_lemmas);
    prove_by_lemmas(offered, {.limits = {.terms = 1'000}});
    const std::string gave_up = prove_by_evaluation();
    prove_by_evaluated_claims();
    prove_by_lemmas(offered, {});
    result_.report.lemmas = offered.certifications();
    if (result_.report.verdict == Verdict::kProved) return;
    if (!gave_up.empty())
      result_.report.searches.push_back("evaluation of both programs was given up: " + gave_up);
    for (std::string& note : offered.notes_of_unused())
      result_.report.searches.push_back(std::move(note));
  }

  // Where lemmas show that the ranks compute a sequential value in another form, the ranks are
  // lifted again with that known.
  void prove_by_lemmas(OfferedLemmas& offered, const LemmaBudget& budget) {
    for (bool again = true; again && result_.report.verdict == Verdict::kUnproved;)
      again = finds_useless_proof(offered, budget);
  }

  // Both programs are compared by evaluation. Why that was given up, else nothing.
  std::string prove_by_evaluation() {
    if (!may_evaluate() || !options_.evaluate_whole) return {};
    const EvaluatedProof proof =
        evaluated_proof(problem_, goals_.broken(), goals_.unproved(), options_);
    if (proof.holds) {
      accept(problem_, proof, result_);
      goals_.hold();
    }
    return proof.why_not;
  }

  // Where evaluation shows what a tensor of the ranks is, the ranks are lifted again with that
  // known.
  void prove_by_evaluated_claims() {
    if (!may_evaluate() || !options_.evaluate_within) return;
    ClaimSearch search;
    while (result_.report.verdict == Verdict::kUnproved) {
      auto found = search.next(problem_, goals_.relations(), result_.distributed_over_sequential);
      if (!found) break;
      give_values(problem_, *found, given_);
      result_.certificate.evaluated_claims.push_back(std::move(*found));
      prove_again();
    }
    if (!result_.certificate.evaluated_claims.empty())
      trust_evaluation(result_.report, search.used_cases(), search.readings());
  }

  bool may_evaluate() const {
    return result_.report.verdict != Verdict::kProved && options_.evaluate && !asked_.exact &&
           operands_.empty() && !result_.report.accepted && goals_.foreign().empty();
  }

  // True where a proof was found that proves nothing: then fewer lemmas are left to try.
  bool finds_useless_proof(OfferedLemmas& offered, const LemmaBudget& budget) {
    const LemmaTable lemmas = offered.table();
    EqualitySearch search(lemmas, budget);
    while (result_.report.verdict == Verdict::kUnproved) {
      auto found = search.next(problem_, goals_.relations());
      result_.report.searches = search.stopped();
      if (!found) return false;
      if (!offered.allow(found->proof)) return true;
      problem_.lifting.equate(found->sequential, found->distributed, found->proof.factor);
      proofs_.push_back(std::move(found->proof));
      prove_again();
    }
    return false;
  }

  void prove_again() {
    lift_ranks();
    goals_.prove_again();
  }

  void write_certificate() {
    Certificate& certificate = result_.certificate;
    certificate.assumptions = result_.report.assumptions;
    certificate.sequential = std::move(problem_.sequential.values);
    for (LiftedProgram& rank : problem_.ranks.ranks)
      certificate.ranks.push_back(std::move(rank.values));
    certificate.universe = problem_.lifting.take();
    certificate.lemmas = proofs_;
  }

  const StaticOptions& options_;
  const Case& asked_;
  const std::vector<ApproximatedOperands> operands_;
  Problem problem_;
  StaticResult result_;
  Goals goals_;
  InputValues inputs_;
  GivenValues given_;
  std::vector<LemmaProof> proofs_;
};

// The verdict without the approximations that the case accepts. Throws UserError when one of them
// is not needed.
Verdict without_approximations(const Case& refinement, const OperatorTable& operators,
                               StaticOptions options) {
  options.relations = false;
  Check exact(refinement, refinement, {}, lower(refinement, operators), options);
  const Verdict verdict = exact.attempt();
  if (verdict == Verdict::kProved)
    refuse_needless(refinement.approximations.front(), "the case is proved without it");
  if (verdict == Verdict::kRefuted || verdict == Verdict::kTimeout) return verdict;
  for (const Approximation& accepted : refinement.approximations)
    if (exact.holds(accepted)) refuse_needless(accepted, "its relation holds");
  return verdict;
}

// Where the checker does not show what the first way of evaluation did.
StaticResult check_otherwise(const Case& refinement, const OperatorTable& operators,
                             const StaticOptions& options, StaticResult first) {
  const auto check = [&](bool whole, bool within) {
    StaticOptions otherwise = options;
    otherwise.evaluate_whole = whole;
    otherwise.evaluate_within = within;
    return Check(refinement, refinement, {}, lower(refinement, operators), otherwise).run();
  };
  if (first.within_not_replayed) first = check(true, false);
  if (!first.not_replayed) return first;
  StaticResult back_to_derived = check(false, true);
  return back_to_derived.report.verdict == Verdict::kProved ? std::move(back_to_derived)
                                                            : std::move(first);
}

StaticResult check_as_read(const Case& refinement, LoweredCase programs,
                           const OperatorTable& operators, const StaticOptions& options) {
  if (refinement.approximations.empty()) {
    StaticResult result = Check(refinement, refinement, {}, std::move(programs), options).run();
    return result.not_replayed ? check_otherwise(refinement, operators, options, std::move(result))
                               : result;
  }
  const Verdict without = without_approximations(refinement, operators, options);
  GivenApproximations given = given_approximations(refinement);
  programs = lower(given.refinement, operators);
  StaticResult result =
      Check(refinement, given.refinement, std::move(given.operands), std::move(programs), options)
          .run();
  result.report.without_approximations = without;
  return result;
}

}  // namespace

StaticResult static_check(const Case& refinement, const OperatorTable& operators,
                          const StaticOptions& options) {
  LoweredCase programs = lower(refinement, operators);
  const TargetReadings readings = readings_of_targets(refinement, programs, operators);
  if (readings.exact || !readings.none_ignored) {
    StaticResult result = check_as_read(refinement, std::move(programs), operators, options);
    result.no_target_ignored = refinement.no_target_ignored;
    const bool is_open = result.report.verdict == Verdict::kUnproved;
    if (is_open && readings.other_count) throw UserError(*readings.other_count);
    if (!is_open || !readings.none_ignored) return result;
  }
  Case none_ignored = refinement;
  none_ignored.no_target_ignored = true;
  StaticResult result =
      check_as_read(none_ignored, lower(none_ignored, operators), operators, options);
  if (result.report.verdict == Verdict::kProved && readings.ignoring)
    Check(refinement, refinement, {}, lower(refinement, operators), options)
        .refuse_other_losses(result.certificate, *readings.ignoring);
  result.no_target_ignored = true;
  return result;
}

}  // namespace assay
