#include "tests/identities/methods.h"

#include <algorithm>

#include "static_check/checker/checker.h"
#include "static_check/identity/identity_test.h"
#include "static_check/problem/problem.h"
#include "tests/support/lifted_problem.h"

namespace assay::test {
namespace {

constexpr std::chrono::milliseconds kPatience{20'000};

// The checker is told that all expectations were evaluated.
bool checker_accepts(const Case& refinement, Problem& problem) {
  Certificate certificate;
  certificate.sequential = problem.sequential.values;
  for (const LiftedProgram& rank : problem.ranks.ranks) certificate.ranks.push_back(rank.values);
  certificate.universe = problem.lifting.take();
  const Graph& graph = refinement.sequential;
  for (const Expectation& expectation : refinement.expect) {
    CleanExpr leaf = expectation.sequential;
    leaf.name = graph.tensors[static_cast<size_t>(graph.find(leaf.name))].name;
    certificate.relations.push_back({leaf.name, expectation.replicas, true});
    for (const CleanExpr& replica : expectation.replicas) {
      certificate.evaluated.push_back({expectation.sequential, replica});
      certificate.evaluated.push_back({leaf, replica});
    }
  }
  return check_certificate(refinement, problem.sequential_program, problem.rank_programs,
                           certificate)
      .accepted;
}

bool all_hold(const Case& refinement, const auto& holds) {
  return std::ranges::all_of(refinement.expect, [&](const Expectation& expectation) {
    return holds(expectation.sequential, expectation.replicas);
  });
}

}  // namespace

MethodVerdicts verdict_together(const Case& refinement, const OperatorTable& operators) {
  MethodVerdicts verdicts;
  StaticOptions options;
  options.timeout = kPatience;
  StaticResult result;
  try {
    result = static_check(refinement, operators, options);
  } catch (const UserError& error) {  // refused
    verdicts.reason = error.what();
    return verdicts;
  }
  verdicts.together = result.report.verdict == Verdict::kProved;
  verdicts.rejected = result.rejected;
  for (const FailureReport& failure : result.report.failures)
    verdicts.reason += failure.kind + " " + failure.op + " " + failure.reason + "; ";
  for (const std::string& search : result.report.searches) verdicts.reason += search + "; ";
  return verdicts;
}

namespace {

void judge_each(const Case& refinement, const OperatorTable& operators, MethodVerdicts& verdicts) {
  StaticOptions derivations;
  derivations.timeout = kPatience;
  derivations.evaluate = false;
  const StaticResult derived = static_check(refinement, operators, derivations);
  verdicts.derivations = derived.report.verdict == Verdict::kProved;
  if (verdicts.rejected.empty()) verdicts.rejected = derived.rejected;
  if (derived.report.verdict == Verdict::kRefuted) return;
  Problem problem = lifted_problem(refinement, operators, kPatience);
  IdentityTest everywhere(problem), by_cases(problem);
  try {
    verdicts.everywhere = all_hold(refinement, [&](const auto& sequential, const auto& replicas) {
      return everywhere.holds_everywhere(sequential, replicas);
    });
    verdicts.by_cases = all_hold(refinement, [&](const auto& sequential, const auto& replicas) {
      return by_cases.holds_by_cases(sequential, replicas);
    });
  } catch (const TimedOut&) {
  }
  verdicts.checker = checker_accepts(refinement, problem);
}

}  // namespace

MethodVerdicts verdicts_of_each(const Case& refinement, const OperatorTable& operators) {
  MethodVerdicts verdicts = verdict_together(refinement, operators);
  try {
    judge_each(refinement, operators, verdicts);
  } catch (const UserError& error) {  // refused
    verdicts.reason = error.what();
  }
  return verdicts;
}

}  // namespace assay::test
