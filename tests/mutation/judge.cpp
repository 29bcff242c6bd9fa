#include "tests/mutation/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dynamic_check/witness/find_witness.h"
#include "static_check/domains/partial_functions.h"

namespace assay::test {
namespace {

WitnessOptions runs(std::vector<uint64_t> seeds, bool finite_only, const Proof& proof) {
  WitnessOptions options;
  options.ranks_defined = finite_only && proof.assumes_domains;
  options.seeds = std::move(seeds);
  options.reduce = false;
  options.finite_only = finite_only;
  return options;
}

std::string in_words(const Witness& witness) {
  if (!witness.failure.empty()) return witness.failure;
  return fmt::format("{} differs from {} by {:.3g}, seed {}", witness.tensor, witness.expression,
                     witness.error, witness.seed);
}

std::string reason_of(const StaticReport& report) {
  if (report.failures.empty()) return "";
  const FailureReport& first = report.failures.front();
  return first.kind + " at " + first.node + (first.reason.empty() ? "" : ": " + first.reason);
}

}  // namespace

Judge::Judge(Case executed, std::optional<Case> whole, bool finite_only)
    : executed_(std::move(executed)), whole_(std::move(whole)), finite_only_(finite_only) {}

// nullopt when the mutant is no valid case. `claims` gets the inferred relations.
std::optional<Proof> Judge::prove(const Case& mutant, std::vector<Relation>* claims) const {
  try {
    validate(mutant);
    const StaticResult result = static_check(mutant, operators_);
    if (!result.rejected.empty())
      throw InternalError("the checker rejects the certificate: " + result.rejected);
    Proof proof{result.report.verdict, reason_of(result.report), false, ""};
    proof.assumes_domains = std::ranges::any_of(result.report.assumptions, is_domain_of_ranks);
    if (claims) {
      for (const Certificate::Covered& covered : result.certificate.relations)
        claims->push_back({covered.tensor, covered.replicas, {}});
    }
    return proof;
  } catch (const UserError&) {
    return std::nullopt;
  } catch (const InternalError& error) {
    return Proof{Verdict::kError, "", false, error.what()};
  }
}

Judgement Judge::judge(const Mutation& mutation) const {
  Judgement judgement;
  Case mutant = executed_;
  mutation.apply(mutant);
  std::vector<Relation> claims;
  const std::optional<Proof> proof = prove(mutant, &claims);
  if (!proof) {
    judgement.invalid = "shapes, dtypes or groups do not fit";
    return judgement;
  }
  judgement.proof = *proof;

  const WitnessSearch run = find_witness(mutant, {}, runs({1, 2, 3}, finite_only_, *proof));
  if (!run.witness && !run.why_not.empty()) {
    judgement.invalid = run.why_not;
    return judgement;
  }
  if (run.witness) judgement.difference = in_words(*run.witness);

  const bool ran_to_the_end = !run.witness || run.witness->failure.empty();
  if (ran_to_the_end && !claims.empty()) {
    mutant.expect.clear();
    const WitnessSearch claimed = find_witness(mutant, claims, runs({4}, finite_only_, *proof));
    // A rank that stops on other ids than the inputs before says nothing about a relation.
    if (claimed.witness && claimed.witness->failure.empty())
      judgement.false_claim = in_words(*claimed.witness);
  }
  if (whole_) {
    Case whole = *whole_;
    mutation.apply(whole);
    judgement.whole = prove(whole, nullptr);
  }
  return judgement;
}

}  // namespace assay::test
