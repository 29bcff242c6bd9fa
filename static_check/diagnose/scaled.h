// Relations up to a factor: what the ranks hold is right but for its scale.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "static_check/cover/cover.h"
#include "static_check/problem/problem.h"

namespace assay {

struct ScaledRelation {
  Rational factor;                  // the expressions hold this many times the tensor
  std::vector<CleanExpr> replicas;  // never empty
  // Made of what an operand is made of alone: any scaling has such a relation to what it scales.
  bool to_operand = false;
};

// A factor as a person writes it: a fraction of small numbers, or else six digits.
std::string factor_in_words(const Rational& factor);

// nullopt when no clean expression holds a multiple of the tensor. For tensors without a relation.
// What says something about the tensor itself comes before a relation to an operand.
std::optional<ScaledRelation> scaled_relation(const Problem& problem, TensorId target,
                                              const CoverIndex& index,
                                              const RelationMap& relations);

}  // namespace assay
