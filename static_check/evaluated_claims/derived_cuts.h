// Where derived relations cut the ranks' programs, so that evaluation goes back to there alone.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "shared_ir/clean_expr.h"
#include "shared_ir/proof/proof.h"
#include "static_check/identity/cuts/cone.h"
#include "static_check/identity/cuts/extent.h"
#include "static_check/problem/problem.h"

namespace assay {

// Each distributed tensor over sequential ones, by rank.
using DistributedOverSequential = std::vector<std::map<std::string, CleanExpr>>;

class DerivedCuts {
 public:
  // Of the ranks' tensors that are a sequential tensor, or a slice of one.
  DerivedCuts(const Problem& problem, const DistributedOverSequential& relations);

  // What else is derived: a tensor of the specification is one of a rank, or ranks' put together
  // along a dimension.
  void add(const CleanExpr& sequential, const CleanExpr& replica);

  // Those that the equation meets. What the specification has there, or what that is made of by
  // moving data, may be any numbers.
  struct Scoped {
    identity::Cuts cuts;
    identity::Cone cone;
    std::vector<Certificate::EvaluatedClaim::Cut> met;
    std::vector<CoreId> any;
  };
  Scoped of(const identity::Equation& equation) const;

 private:
  void add_cut(const CleanExpr& sequential, const CleanExpr& replica);

  struct Cut {
    identity::Cuts::Part part;
    Certificate::EvaluatedClaim::Cut relation;
  };

  const Problem& problem_;
  const std::vector<identity::Extent> extents_;  // by sequential operator
  std::map<std::pair<Rank, CoreId>, Cut> cuts_;
};

}  // namespace assay
