// Relations up to a factor: what the ranks hold is right but for its scale.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "static_check/cover/cover.h"
#include "static_check/problem.h"

namespace assay {

struct ScaledRelation {
  Rational factor;                  // the expressions hold this many times the tensor
  std::vector<CleanExpr> replicas;  // never empty
};

// A factor as a person writes it: a fraction of small numbers, or else six digits.
std::string factor_in_words(const Rational& factor);

// nullopt when no clean expression holds a multiple of the tensor. For tensors without a relation.
std::optional<ScaledRelation> scaled_relation(const Problem& problem, TensorId target,
                                              const CoverIndex& index);

}  // namespace assay
