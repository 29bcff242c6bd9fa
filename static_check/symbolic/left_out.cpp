// What the second compilation has no use for: graphs with symbols are fx-JSON (case/load.cpp), and
// the search for a proof does without z3, which speaks ordinary integers, and the first compilation
// has run the programs on numbers. Nothing trusted is here.
#include "shared_ir/import/hlo/hlo.h"
#include "shared_ir/import/pt2/pt2.h"
#include "shared_ir/import/unbacked/unbacked.h"
#include "static_check/certify/certify.h"
#include "static_check/checker/facts/facts.h"
#include "static_check/checker/identity/identity.h"
#include "static_check/domains/lost_writes.h"
#include "static_check/domains/trials/contradicted_domains.h"
#include "static_check/domains/trials/indices_outside.h"
#include "static_check/domains/trials/met_infinities.h"
#include "static_check/domains/trials/other_losses.h"
#include "static_check/domains/trials/refuting_trials.h"
#include "static_check/domains/trials/wrapped_integers.h"
#include "static_check/evaluated_claims/evaluated_claims.h"
#include "static_check/identity/cuts/likely_equations.h"
#include "static_check/identity/identity_test.h"
#include "static_check/lift/positive_sums.h"
#include "static_check/smt/solver.h"

namespace assay {

HloModule HloModule::read(const std::filesystem::path&) {
  throw InternalError("a case with symbols has no HLO");
}
Graph HloModule::graph(Rank, Int, Groups&) const {
  throw InternalError("a case with symbols has no HLO");
}
Graph import_pt2(const std::filesystem::path&) {
  throw InternalError("a case with symbols has no archive");
}

bool UnbackedGraph::is_needed() const { return false; }
Graph padded(UnbackedGraph) {
  throw InternalError("a case with symbols has no sizes that depend on values");
}

bool every_sum_is_positive(const Universe&, const Instance&, const std::vector<Sign>&) {
  return false;
}

Answer Solver::decide(const PartitionQuery&) { return Answer::kUnknown; }
std::vector<std::string> Solver::notes() const { return {}; }
std::vector<std::string> Solver::unanswered() const { return {}; }

void refuse_lost_writes(const Problem&) {}
void refuse_other_losses(const Problem&, const Certificate&, const RankLoss&) {}
void refuse_indices_outside(const Problem&) {}
void refuse_met_infinities(const Problem&, const Certificate&) {}
void refuse_wrapped_integers(const Problem&) {}
std::optional<FailureReport> refuse_contradicted_domains(const Problem&, const Certificate&,
                                                         const DomainAssumptions&) {
  return std::nullopt;
}
bool refuted_by_trials(const Problem&, const std::vector<OpenClaim>&) { return false; }

// An identity that was tested at some sizes says nothing of others.
struct IdentityTest::Evaluations {};
IdentityTest::IdentityTest(const Problem& problem) : problem_(problem), left_for_taking_(0) {}
IdentityTest::~IdentityTest() = default;
void IdentityTest::announce(const CleanExpr&, const std::vector<CleanExpr>&) {}
bool IdentityTest::holds_everywhere(const CleanExpr&, const std::vector<CleanExpr>&) {
  return false;
}
bool IdentityTest::holds_by_indices(const CleanExpr&, const std::vector<CleanExpr>&) {
  return false;
}
bool IdentityTest::holds_by_cases(const CleanExpr&, const std::vector<CleanExpr>&) { return false; }
bool IdentityTest::take(const CleanExpr&, const std::vector<CleanExpr>&,
                        Certificate::Evaluated::Use, bool) {
  return false;
}
void IdentityTest::forget_taken() {}
std::optional<Certificate::EvaluatedClaim> ClaimSearch::next(Problem&, const RelationMap&,
                                                             const DistributedOverSequential&) {
  return std::nullopt;
}
void give_values(const Problem&, const Certificate::EvaluatedClaim&, GivenValues&) {}
void IdentityTest::try_harder() {}
std::set<std::string> IdentityTest::readings() const { return {}; }
namespace identity {
LikelyEquations likely_equations(const Problem&) { return {}; }
}  // namespace identity
std::vector<std::vector<CleanExpr>> likely_relations(const Problem&, const std::string&) {
  return {};
}
namespace checker {
bool Facts::every_sum_is_positive(const Instance&) const { return false; }

struct IdentityCheck::Evaluations {};
IdentityCheck::IdentityCheck(const Joint& joint) : joint_(joint) {
  static_cast<void>(joint_);  // clang warns where nothing reads it
}
IdentityCheck::~IdentityCheck() = default;
void IdentityCheck::take(const std::string& what, std::span<const Certificate::Evaluated>) {
  throw Rejection{what + ": nothing is evaluated here"};
}
void IdentityCheck::check_from_cuts(const std::string& what, const Certificate::EvaluatedClaim&) {
  throw Rejection{what + ": nothing is evaluated here"};
}
void IdentityCheck::check(const std::string& what, const CleanExpr&, const CleanExpr&) {
  throw Rejection{what + ": nothing is evaluated here"};
}
}  // namespace checker

const Certification& certify_once(const Lemma&) {
  throw InternalError("the first compilation says which lemmas are certified");
}

}  // namespace assay
