// The sequential program and all ranks' programs together, with their claims.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "shared_ir/case/approximation.h"
#include "shared_ir/case/case.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/operators.h"

namespace assay::checker {

// kNone as a rank means the sequential program.
struct OpRef {
  Rank rank = kNone;
  CoreId op = kNone;
  auto operator<=>(const OpRef&) const = default;
};

// Which operator an atom without a definition belongs to. An unknown may be claimed by one operator
// only: two would be claimed equal.
using Owners = std::map<AtomId, OpRef>;

// Samples that a random operator was found to draw: one for each element of the region.
struct Drawn {
  std::string fn;
  Int number;              // of earlier draws for these elements
  Factor element;          // that is drawn for
  std::vector<Int> sizes;  // of the region
};

// Where an operator's tensor lies in a sequential one that evaluation says it is.
struct EvaluatedPlace {
  CoreId sequential = kNone;
  size_t dim = 0;
  Int offset = 0;
};

class IdentityCheck;

struct Joint {
  const Case& refinement;
  const CoreProgram& sequential;
  const std::vector<CoreProgram>& ranks;
  const Certificate& certificate;
  const Facts& facts;
  Owners owners;
  std::map<Rank, std::vector<Drawn>> drawn;  // so far, by program
  Int claims = 0;
  Int probes = 0;
  std::shared_ptr<IdentityCheck> identities = nullptr;  // of equations that are evaluated
  std::map<OpRef, EvaluatedPlace> evaluated_claims = {};

  const Graph& graph(Rank rank) const {
    return rank == kNone ? refinement.sequential : refinement.ranks[static_cast<size_t>(rank)];
  }
  const CoreProgram& program(Rank rank) const {
    return rank == kNone ? sequential : ranks[static_cast<size_t>(rank)];
  }
  const std::vector<Value>& values(Rank rank) const {
    return rank == kNone ? certificate.sequential : certificate.ranks[static_cast<size_t>(rank)];
  }
  const Value& value(Rank rank, const std::string& tensor) const;
  Step step(const OpRef& ref) {
    return {facts, program(ref.rank), values(ref.rank), ref.op, probes};
  }

  // Leaves of a clean expression over the ranks' tensors (or, with sequential_leaves, the
  // sequential ones).
  LeafShape shapes(bool sequential_leaves = false) const;
  LeafElement elements(bool sequential_leaves = false) const;
};

// "rank 1, add at model.py:12 (tensor y)": where a claim stands.
std::string describe(const Joint& joint, const OpRef& ref);

// The operator's claim is an array that nobody else owns: element c is element row_major(c) of an
// unknown atom. True, and the atom is owned, or false.
bool claims_unknown(Joint& joint, const OpRef& ref);

// Inputs: the sequential ones are their own atoms; the distributed ones are what the case's input
// relations determine. Throws Rejection.
void check_inputs(Joint& joint);

// Random operators, where the case assumes that the programs draw alike (random_draws.cpp). Throws
// Rejection.
void check_random(Joint& joint, const OpRef& ref);

// What a one-hot of the sequential program says about the integers that are its index. The claims
// of what comes before it must have been checked: they rest on what earlier indices say alone.
void assume_indices(Joint& joint, const OpRef& one_hot, IndexValues& values);

// Indices: the ranks' lie in their tables wherever the sequential program's lie in theirs. Throws
// Rejection.
void check_indices(Joint& joint);

// Collectives: there is an order in which all of them meet, with equal kinds, members and shapes,
// and each member's claim follows from all members' operands. Throws Rejection.
void check_collectives(Joint& joint);

// Which operators make claims that do not follow from what their operands claim, but are evaluated
// (relations/evaluated_claims.cpp). Throws Rejection for a claim of another form.
void find_evaluated_claims(Joint& joint);

// Whether the operator makes one: then what it claims is what the sequential tensor claims, which
// must have been checked. Throws Rejection where it claims something else.
bool makes_evaluated_claim(Joint& joint, const OpRef& ref);

// All of them by evaluation, where the claims of what is cut have been checked. Throws Rejection,
// and Undecided where an evaluation does not show what is claimed.
void check_evaluated_claims(Joint& joint);

// Both expressions, over sequential tensors and over the ranks', have one shape and are equal at
// every element. `what` names the equation. Throws Rejection.
void check_equal(Joint& joint, const std::string& what, const CleanExpr& sequential,
                 const CleanExpr& replica);

// The same where the claims are to say so, and no evaluation.
void check_derived(Joint& joint, const std::string& what, const CleanExpr& sequential,
                   const CleanExpr& replica);

// Both expressions have one shape, which is given back, and types that may be equal. Throws
// Rejection.
Shape check_comparable(const Joint& joint, const std::string& what, const CleanExpr& sequential,
                       const CleanExpr& replica);

// The certificate assumes the approximations that the user accepts, and no other. Throws Rejection.
void check_approximations(const Certificate& certificate,
                          const std::vector<Approximation>& accepted);

// What approximated operators read corresponds: the sequential operands have relations, and the
// ranks' are rearranged from them. Throws Rejection.
void check_approximated_operands(Joint& joint, const std::vector<ApproximatedOperands>& operands);

// All relations of the certificate. Throws Rejection.
void check_relations(Joint& joint);

// Every output has a relation, and every expectation holds. Throws Rejection.
void check_goals(Joint& joint);

}  // namespace assay::checker
