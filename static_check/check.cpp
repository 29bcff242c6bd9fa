#include "static_check/check.h"

#include <algorithm>
#include <chrono>

#include "shared_ir/lower/lower.h"
#include "static_check/approximations.h"
#include "static_check/assumptions.h"
#include "static_check/claimed.h"
#include "static_check/counts.h"
#include "static_check/cover/evaluate.h"
#include "static_check/diagnose/diagnose.h"
#include "static_check/domains/ignored_targets.h"
#include "static_check/domains/refusals.h"
#include "static_check/domains/trials/other_losses.h"
#include "static_check/domains/undefined_outputs.h"
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
        problem_{refinement, std::move(programs.sequential), std::move(programs.ranks), {}, {},
                 {}} {}

  StaticResult run() {
    attempt();
    count(problem_, proofs_, result_.report);
    write_certificate();
    // What is evaluated has no steps that could be followed: two evaluations have to agree.
    if (options_.verify || !result_.certificate.evaluated.empty())
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
    problem_.ranks = lift_ranks(problem_.lifting, refinement, problem_.rank_programs, inputs_);
  }

  void lift_and_prove() {
    lift();
    if (problem_.ranks.mismatch) {
      result_.report.verdict = Verdict::kRefuted;
      result_.report.failures.push_back(diagnose_mismatch(problem_, *problem_.ranks.mismatch));
      for (const std::string& name : problem_.refinement.outputs)
        result_.report.outputs.push_back({name, Verdict::kUnproved, {}, false});
    } else {
      prove();
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
    if (result_.report.verdict == Verdict::kProved || !options_.evaluate || asked_.exact ||
        !operands_.empty() || result_.report.accepted || !foreign_.empty())
      return {};
    const EvaluatedProof proof = evaluated_proof(problem_, broken_, unproved_, options_);
    if (proof.holds) {
      accept(problem_, proof, result_);
      unproved_.clear();
      broken_.clear();
    }
    return proof.why_not;
  }

  // True where a proof was found that proves nothing: then fewer lemmas are left to try.
  bool finds_useless_proof(OfferedLemmas& offered, const LemmaBudget& budget) {
    const LemmaTable lemmas = offered.table();
    EqualitySearch search(lemmas, budget);
    while (result_.report.verdict == Verdict::kUnproved) {
      auto found = search.next(problem_, relations_);
      result_.report.searches = search.stopped();
      if (!found) return false;
      if (!offered.allow(found->proof)) return true;
      problem_.lifting.equate(found->sequential, found->distributed, found->proof.factor);
      proofs_.push_back(std::move(found->proof));
      problem_.ranks =
          lift_ranks(problem_.lifting, problem_.refinement, problem_.rank_programs, inputs_);
      forget_relations();
      prove();
    }
    return false;
  }

  void forget_relations() {
    result_.report.accepted = false;
    result_.report.outputs.clear();
    result_.report.tensors.clear();
    result_.report.failures.clear();
    result_.certificate.relations.clear();
    result_.distributed_over_sequential.clear();
    relations_.clear();
    unproved_.clear();
    broken_.clear();
    foreign_.clear();
  }

  void prove() {
    const CoverIndex outputs(problem_.lifting, rank_candidates(problem_, true));
    check_outputs(outputs);
    check_expectations();
    if (options_.relations || failed() || !operands_.empty()) relate_inner_tensors(outputs);
    result_.report.verdict = failed() ? verdict_of(result_.report.failures) : Verdict::kProved;
    result_.report.accepted =
        failed() && foreign_.empty() && accepts_failing(problem_.refinement, unproved_, broken_);
  }

  bool failed() const { return !unproved_.empty() || !broken_.empty() || !foreign_.empty(); }

  // How every tensor corresponds, and what explains that an output does not.
  void relate_inner_tensors(const CoverIndex& outputs) {
    const CoverIndex all(problem_.lifting, rank_candidates(problem_, false));
    infer_relations(all);
    invert_relations();
    check_approximated_operands();
    auto failures = diagnose(problem_, relations_, unproved_, {all, outputs});
    for (const BrokenExpectation& broken : broken_) {
      // An output without any relation is explained by the operators on its cone.
      if (!failures.empty() && lacks_relation(*broken.expectation)) continue;
      failures.push_back(diagnose_expectation(problem_, relations_, broken, {all, outputs}));
    }
    for (const ForeignOperand& foreign : foreign_)
      failures.push_back(
          diagnose_foreign_operand(asked_, foreign, operands_[foreign.approximation]));
    result_.report.failures = std::move(failures);
  }

  // What approximated operators read has to correspond, as outputs have to.
  void check_approximated_operands() {
    const Graph& graph = problem_.refinement.sequential;
    for (const ApproximatedOperands& operands : operands_) {
      for (const std::string& name : operands.sequential) {
        const TensorId id = graph.find(name);
        if (!has_relation(relations_, id) &&
            std::find(unproved_.begin(), unproved_.end(), id) == unproved_.end())
          unproved_.push_back(id);
      }
    }
    auto rearranged = rearranged_operands(problem_, operands_, foreign_);
    result_.certificate.approximations.clear();
    for (size_t i = 0; i < operands_.size(); ++i) {
      const Approximation& accepted = asked_.approximations[i];
      result_.certificate.approximations.push_back(
          {accepted.tensor, accepted.replicas, std::move(rearranged[i])});
    }
  }

  bool lacks_relation(const Expectation& expectation) const {
    if (expectation.sequential.kind != CleanExpr::Kind::kTensor) return false;
    return !has_relation(relations_,
                         problem_.refinement.sequential.find(expectation.sequential.name));
  }

  void check_outputs(const CoverIndex& index) {
    const Graph& graph = problem_.refinement.sequential;
    for (const std::string& name : problem_.refinement.outputs) {
      const TensorId id = graph.find(name);
      const Value* value = problem_.sequential_value(id);
      const auto replicas =
          value != nullptr ? index.cover(target_of(graph, problem_.sequential_program, id, *value))
                           : std::vector<CleanExpr>();
      if (replicas.empty()) unproved_.push_back(id);
      result_.report.outputs.push_back(claimed(result_, name, replicas, true));
    }
  }

  void check_expectations() {
    for (const Expectation& expectation : problem_.refinement.expect) {
      const auto wanted = sequential_value_of(problem_, expectation.sequential);
      if (!wanted) {
        broken_.push_back({&expectation, &expectation.replicas.at(0), {}, {}});
        continue;
      }
      bool holds = true;
      for (const CleanExpr& replica : expectation.replicas) {
        auto found = rank_value_of(problem_, replica);
        if (found && !type_difference(problem_, expectation.sequential, replica) &&
            equivalent(problem_.lifting, *found, *wanted))
          continue;
        if (holds) broken_.push_back({&expectation, &replica, wanted, std::move(found)});
        holds = false;
      }
      note_expectation(expectation, holds);
    }
  }

  // An output that the user placed is proved by what was expected of it, not by any relation.
  void note_expectation(const Expectation& expectation, bool holds) {
    if (expectation.sequential.kind != CleanExpr::Kind::kTensor) return;
    for (TensorReport& output : result_.report.outputs) {
      if (output.name != expectation.sequential.name) continue;
      output.verdict = Verdict::kUnproved;
      if (!holds) continue;
      std::erase_if(result_.certificate.relations,
                    [&](const auto& r) { return r.output && r.tensor == output.name; });
      output = claimed(result_, output.name, expectation.replicas, true);
      std::erase(unproved_, problem_.refinement.sequential.find(output.name));
    }
  }

  void infer_relations(const CoverIndex& index) {
    const Graph& graph = problem_.refinement.sequential;
    const auto leave_out_undefined = without_undefined(problem_);
    for (size_t i = 0; i < graph.tensors.size(); ++i) {
      const auto id = static_cast<TensorId>(i);
      const Value* value = problem_.sequential_value(id);
      if (value == nullptr) continue;
      auto replicas = index.cover(target_of(graph, problem_.sequential_program, id, *value));
      leave_out_undefined(graph.tensors[i].name, replicas);
      result_.report.tensors.push_back(claimed(result_, graph.tensors[i].name, replicas, false));
      relations_.emplace(id, std::move(replicas));
    }
  }

  void invert_relations() {
    const CoverIndex index(problem_.lifting, sequential_candidates(problem_));
    for (size_t r = 0; r < problem_.refinement.ranks.size(); ++r) {
      const Graph& graph = problem_.refinement.ranks[r];
      auto& inverted = result_.distributed_over_sequential.emplace_back();
      for (size_t i = 0; i < graph.tensors.size(); ++i) {
        const auto id = static_cast<TensorId>(i);
        const Value* value = problem_.rank_value(static_cast<Rank>(r), id);
        if (value == nullptr) continue;
        auto replicas = index.cover(target_of(graph, problem_.rank_programs[r], id, *value));
        if (!replicas.empty()) inverted.emplace(graph.tensors[i].name, std::move(replicas.front()));
      }
    }
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
  InputValues inputs_;
  std::vector<LemmaProof> proofs_;
  RelationMap relations_;
  std::vector<TensorId> unproved_;
  std::vector<BrokenExpectation> broken_;
  std::vector<ForeignOperand> foreign_;
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

StaticResult check_as_read(const Case& refinement, LoweredCase programs,
                           const OperatorTable& operators, const StaticOptions& options) {
  if (refinement.approximations.empty()) {
    StaticResult result = Check(refinement, refinement, {}, std::move(programs), options).run();
    if (!result.within_not_replayed) return result;
    StaticOptions otherwise = options;
    otherwise.evaluate_within = false;
    return Check(refinement, refinement, {}, lower(refinement, operators), otherwise).run();
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
