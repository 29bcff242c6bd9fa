// Relations up to a factor: what the ranks hold is right but for its scale. And all that reports
// say of multiples.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_ir/report/report.h"
#include "static_check/cover/cover.h"
#include "static_check/diagnose/nearest.h"
#include "static_check/problem/problem.h"

namespace assay {

struct ScaledRelation {
  Rational factor;                  // the expressions hold this many times the tensor
  std::vector<CleanExpr> replicas;  // never empty
  // Made of what an operand is made of alone: any scaling has such a relation to what it scales.
  bool to_operand = false;
};

// nullopt when no clean expression holds a multiple of the tensor. For tensors without a relation.
// What says something about the tensor itself comes before a relation to an operand.
std::optional<ScaledRelation> scaled_relation(const Problem& problem, TensorId target,
                                              const CoverIndex& index,
                                              const RelationMap& relations);

// A factor as a person writes it: a fraction of small numbers, or else six digits.
std::string factor_in_words(const Rational& factor);

// What is that many times the target: "holds 2x the value".
Nearest multiple_of_target(const Rational& factor);

// Reason and hint of a failure where the ranks hold a multiple of the tensor; `alone`: there is one
// rank.
void say_multiple(FailureReport& report, const ScaledRelation& relation, bool alone);

// The same where they hold a multiple of an operand.
void say_multiple_of_operand(FailureReport& report, const Rational& factor,
                             const std::string& operand);

// Whether a reason says that something is a multiple, in words of the above.
bool says_multiple(const std::string& reason);

}  // namespace assay
