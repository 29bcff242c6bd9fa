#include "static_check/proof_by_evaluation.h"

#include <algorithm>

#include "static_check/claimed.h"
#include "static_check/domains/trials/refuting_trials.h"
#include "static_check/identity/cuts/likely_equations.h"
#include "static_check/identity/identity_test.h"
#include "static_check/problem/candidates.h"

namespace assay {
namespace {

constexpr char kTrusted[] =
    "identity test: both programs agree at random places of finite fields, twice; programs that "
    "differ do so with a probability below 2^-60";
constexpr char kTrustedCases[] =
    "identity test by cases: both programs agree in random cases, in which all comparisons, "
    "extrema "
    "and indices are decided; programs that differ do so with a probability below 2^-60";

// Equations within the programs that are tried, and that are taken.
constexpr int kMostTried = 16, kMostTaken = 8;

class Prover {
 public:
  explicit Prover(const Problem& problem) : problem_(problem), test_(problem) {}

  EvaluatedProof prove(const std::set<const Expectation*>& broken,
                       const std::vector<TensorId>& unproved, const StaticOptions& options) {
    const std::vector<OpenClaim> claims = claims_of(broken, unproved);
    if (std::ranges::any_of(claims, &std::vector<std::vector<CleanExpr>>::empty,
                            &OpenClaim::relations))
      return {};  // no evaluation shows what nothing is said of
    // Numbers cost less than any evaluation.
    if (options.refute_first && refuted_by_trials(problem_, claims)) return {};
    announce(claims);
    proof_.holds = expectations_hold(broken) && outputs_hold(unproved);
    if (!proof_.holds && options.evaluate_within) prove_within(broken, unproved);
    if (!proof_.holds) {
      test_.try_harder();
      proof_ = {};
      proof_.holds = expectations_hold(broken) && outputs_hold(unproved);
    }
    proof_.why_not = test_.why_not();
    proof_.readings = test_.readings();
    proof_.by_cases = test_.used_cases();
    return std::move(proof_);
  }

 private:
  // With what holds between tensors within the programs.
  void prove_within(const std::set<const Expectation*>& broken,
                    const std::vector<TensorId>& unproved) {
    const identity::LikelyEquations likely = identity::likely_equations(problem_);
    const auto proves = [&](const std::vector<identity::LikelyEquation>& more, bool any_numbers,
                            bool alike) {
      if (!take(more, any_numbers, alike)) return false;
      proof_ = {};
      proof_.equations = taken_;
      proof_.holds = expectations_hold(broken) && outputs_hold(unproved);
      return proof_.holds;
    };
    if (proves(likely.computed_otherwise, true, false) || proves(likely.last_alike, true, true))
      return;
    taken_.clear();
    test_.forget_taken();
    proves(likely.computed_otherwise, false, false);
  }

  // Whether some are taken, as any numbers where they can be. Those that are computed alike need no
  // cases to be shown.
  bool take(const std::vector<identity::LikelyEquation>& likely, bool any_numbers, bool alike) {
    using Use = Certificate::Evaluated::Use;
    int tried = 0, found = 0;
    for (const auto& [sequential, replicas] : likely) {
      if (++tried > kMostTried || found == kMostTaken) break;
      const bool any = any_numbers && is_floating(type_of(sequential));
      const Use use = any ? Use::kTakenAsAnyNumbers : Use::kTaken;
      if (has_other_type(sequential, replicas) || !test_.take(sequential, replicas, use, alike))
        continue;
      ++found;
      for (const CleanExpr& replica : replicas) taken_.push_back({sequential, replica, use});
    }
    return found > 0;
  }

  DType type_of(const CleanExpr& leaf) const {
    const Graph& graph = problem_.refinement.sequential;
    return graph.tensors[static_cast<size_t>(graph.find(leaf.name))].dtype;
  }

  bool has_other_type(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas) const {
    return std::ranges::any_of(replicas, [&](const CleanExpr& replica) {
      return type_difference(problem_, sequential, replica).has_value();
    });
  }

  std::vector<OpenClaim> claims_of(const std::set<const Expectation*>& broken,
                                   const std::vector<TensorId>& unproved) const {
    std::vector<OpenClaim> claims;
    std::set<TensorId> expected;
    for (const Expectation& expectation : problem_.refinement.expect) {
      if (!broken.contains(&expectation)) continue;
      claims.push_back({expectation.sequential, {expectation.replicas}});
      if (expectation.sequential.kind == CleanExpr::Kind::kTensor)
        expected.insert(problem_.refinement.sequential.find(expectation.sequential.name));
    }
    for (const TensorId id : unproved)
      if (!expected.contains(id))
        claims.push_back({leaf_of(id), likely_relations(problem_, leaf_of(id).name)});
    return claims;
  }

  void announce(const std::vector<OpenClaim>& claims) {
    for (const OpenClaim& claim : claims)
      for (const auto& replicas : claim.relations) test_.announce(claim.sequential, replicas);
  }

  // By the name that the output has in the graph.
  CleanExpr leaf_of(TensorId id) const {
    CleanExpr leaf;
    leaf.name = problem_.refinement.sequential.tensors[static_cast<size_t>(id)].name;
    return leaf;
  }

  bool holds(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas) {
    if (replicas.empty() || has_other_type(sequential, replicas)) return false;
    if (!test_.holds(sequential, replicas)) return false;
    for (const CleanExpr& replica : replicas) proof_.equations.push_back({sequential, replica});
    return true;
  }

  bool expectations_hold(const std::set<const Expectation*>& broken) {
    const Graph& graph = problem_.refinement.sequential;
    for (const Expectation& expectation : problem_.refinement.expect) {
      if (!broken.contains(&expectation)) continue;
      if (!holds(expectation.sequential, expectation.replicas)) return false;
      if (expectation.sequential.kind != CleanExpr::Kind::kTensor) continue;
      const TensorId id = graph.find(expectation.sequential.name);
      proof_.outputs[id] = expectation.replicas;
      // The output may have another name there.
      CleanExpr leaf = expectation.sequential;
      leaf.name = graph.tensors[static_cast<size_t>(id)].name;
      if (leaf.name == expectation.sequential.name) continue;
      for (const CleanExpr& replica : expectation.replicas)
        proof_.equations.push_back({leaf, replica});
    }
    return true;
  }

  bool outputs_hold(const std::vector<TensorId>& unproved) {
    for (const TensorId id : unproved) {
      if (proof_.outputs.contains(id)) continue;
      const CleanExpr leaf = leaf_of(id);
      const auto likely = likely_relations(problem_, leaf.name);
      const auto found =
          std::ranges::find_if(likely, [&](const auto& replicas) { return holds(leaf, replicas); });
      if (found == likely.end()) return false;
      proof_.outputs[id] = *found;
    }
    return true;
  }

  const Problem& problem_;
  IdentityTest test_;
  std::vector<Certificate::Evaluated> taken_;
  EvaluatedProof proof_;
};

}  // namespace

EvaluatedProof evaluated_proof(const Problem& problem, const std::vector<BrokenExpectation>& broken,
                               const std::vector<TensorId>& unproved,
                               const StaticOptions& options) {
  std::set<const Expectation*> expectations;
  for (const BrokenExpectation& one : broken) expectations.insert(one.expectation);
  return Prover(problem).prove(expectations, unproved, options);
}

void trust_evaluation(StaticReport& report, bool by_cases, const std::set<std::string>& readings) {
  report.trusted.push_back(by_cases ? kTrustedCases : kTrusted);
  for (const std::string& reading : readings) report.assumptions.push_back("constants: " + reading);
}

void accept(const Problem& problem, const EvaluatedProof& proof, StaticResult& result) {
  StaticReport& report = result.report;
  result.certificate.evaluated = proof.equations;
  for (TensorReport& output : report.outputs) {
    const auto found = proof.outputs.find(problem.refinement.sequential.find(output.name));
    if (found == proof.outputs.end()) continue;
    std::erase_if(result.certificate.relations,
                  [&](const auto& r) { return r.output && r.tensor == output.name; });
    output = claimed(result, output.name, found->second, true);
    output.by_evaluation = true;
  }
  report.verdict = Verdict::kProved;
  report.failures.clear();
  report.searches.clear();
  trust_evaluation(report, proof.by_cases, proof.readings);
}

}  // namespace assay
