// What accepting an approximation means. The operator that computes the sequential tensor, and
// those that compute the ranks' tensors in its relation, are taken out; what they computed becomes
// inputs of both programs, related as the user accepts. A proof about that case shows that
// everything else of the program is right, whatever the values of these inputs; no equation between
// different values is ever assumed.
#pragma once

#include <string>
#include <vector>

#include "shared_ir/case/case.h"

namespace assay {

// What the operators read that an approximation takes out. An approximation excuses one operator
// and not what comes before it: all of this still has to correspond.
struct ApproximatedOperands {
  std::vector<std::string> sequential;  // tensors that need a relation
  std::vector<CleanExpr> ranks;  // NAME@RANK, each to be rearranged from the sequential ones alone
};

struct GivenApproximations {
  Case refinement;                             // without approximations: they are input relations
  std::vector<ApproximatedOperands> operands;  // one an approximation of the case, in order
};

// The case must have passed validate(). Results of the operators taken out that are no accepted
// tensors themselves are left out of the operands: nothing is known of them.
GivenApproximations given_approximations(const Case& refinement);

// The approximations as relations, in which every tensor goes by its own name and not by an alias.
std::vector<Relation> approximations_as_relations(const Case& refinement);

// Whether each sequential tensor is computed from an approximated one, or is one: what it holds on
// the ranks is not what the sequential program computes. One entry a tensor of the sequential
// graph.
std::vector<bool> approximated_tensors(const Case& refinement);

// "bn = concat(bn@0, bn@1; dim=0) in place of what aten.native_batch_norm.default at model.py:7
// computes (each rank has its own batch)".
std::string to_string(const Case& refinement, const Approximation& approximation);

}  // namespace assay
