// Proof by evaluation: both programs on residues at random places. Programs that differ agree there
// with a probability below 2^-60 (Schwartz 1980; Zippel 1979; for exponentials Mirage, OSDI '25).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "shared_ir/clean_expr.h"
#include "shared_ir/proof/proof.h"
#include "static_check/identity/cuts/cone.h"
#include "static_check/problem/problem.h"

namespace assay {

// Of a problem whose programs are lifted and whose collectives meet. It must outlive this.
class IdentityTest {
 public:
  explicit IdentityTest(const Problem& problem);
  ~IdentityTest();
  IdentityTest(const IdentityTest&) = delete;
  IdentityTest& operator=(const IdentityTest&) = delete;

  // Whether all are equal to the specification's, for all inputs for which all functions of both
  // programs are defined and all indices lie in their tables. False as well where that is not
  // decided; then why_not() says why. Throws TimedOut.
  bool holds(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas) {
    return holds_everywhere(sequential, replicas) || holds_by_indices(sequential, replicas) ||
           holds_by_cases(sequential, replicas);
  }
  // By each of its methods alone.
  bool holds_everywhere(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas);
  // The same, for each value of an index.
  bool holds_by_indices(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas);
  bool holds_by_cases(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas);

  // What holds() will be asked, before it is asked anything: such equations share their cases, and
  // after take() nothing else can be asked.
  void announce(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas);

  // Whether an equation between tensors within the programs holds: then what is asked from here on
  // takes the ranks' tensors for the specification's, or both for any numbers. One that holds
  // without indices and cases is taken where they are computed `alike` alone. Throws TimedOut.
  bool take(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas,
            Certificate::Evaluated::Use use, bool alike);
  void forget_taken();
  // Whether an equation between tensors within the programs holds, of numbers for all inputs, where
  // the ranks' tensors are what they are cut to. Nothing is taken. `elements`: that may be
  // computed, of which it takes those of the cone and of the cases.
  bool holds_within(const identity::Cuts& cuts, const identity::Cone& cone,
                    const CleanExpr& sequential, const std::vector<CleanExpr>& replicas,
                    int64_t& elements);
  // Nothing is taken, and by cases more is tried: more decisions, every choice of indices and
  // flags.
  void try_harder();

  // Why nothing is decided; empty where it is.
  const std::string& why_not() const { return why_not_; }
  // What constants of the programs were taken for: "0.7071067811865476 is read as sqrt(1/2)".
  std::set<std::string> readings() const;
  // Whether something was found to hold by cases alone.
  bool used_cases() const { return used_cases_; }

 private:
  struct Evaluations;

  Evaluations& evaluations();
  template <class Test>
  bool decides(const Test& test);
  template <class Test>
  bool decides_unasked(const Test& test);

  const Problem& problem_;
  const std::map<double, identity::HostConstant> host_constants_;
  identity::Cuts cuts_;
  std::vector<identity::Equation> announced_;
  std::optional<identity::Cone> cone_;        // of these, where something is cut
  std::unique_ptr<Evaluations> evaluations_;  // made with the first question
  std::set<std::string> readings_;            // of evaluations before
  int64_t left_for_taking_;                   // elements in cases
  std::string why_not_;
  bool used_cases_ = false, hard_ = false;
};

// Expressions over outputs of the ranks that an output may be, where the case does not say: each
// rank's tensor of its name, or these put together along a dimension.
std::vector<std::vector<CleanExpr>> likely_relations(const Problem& problem,
                                                     const std::string& output);

}  // namespace assay
