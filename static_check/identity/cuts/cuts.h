// Tensors of the ranks that are shown to be tensors of the specification, or parts of them, and are
// taken for these where more is evaluated: what has been shown element by element is then no longer
// to be decided within a sum of many.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "shared_ir/clean_expr.h"
#include "static_check/identity/number.h"
#include "static_check/problem/problem.h"

namespace assay::identity {

class Cuts {
 public:
  // Of a tensor of the specification: `start` and what follows of that dimension.
  struct Part {
    CoreId of = kNone;
    size_t dim = 0;
    int64_t start = 0;
  };

  // What holds: a tensor of the specification is a tensor of a rank, or such put together along a
  // dimension.
  void add(const Problem& problem, const CleanExpr& sequential, const CleanExpr& replica);
  // What holds of an operator of a rank.
  void add(Rank rank, CoreId id, const Part& part) { parts_.insert_or_assign({rank, id}, part); }
  // The tensor of the specification, and so those that are taken for it, may hold any numbers of
  // the signs that are known: what holds for all of them holds for what it computes.
  void free(const Problem& problem, const CleanExpr& sequential);
  void free(const Problem& problem, std::span<const CoreId> of_specification);
  bool any() const { return !parts_.empty(); }
  // nullptr: the operator's value is what it computes.
  const Part* find(Rank rank, CoreId id) const;
  // Of what is free.
  std::optional<Sign> free_sign(CoreId of_specification) const;

 private:
  std::map<std::pair<Rank, CoreId>, Part> parts_;
  std::map<CoreId, Sign> free_;
};

using Equation = std::pair<CleanExpr, std::vector<CleanExpr>>;  // sequential, replicas

// The operator that computes the tensor of a leaf; kNone: nothing does.
CoreId operator_of_leaf(const Problem& problem, const CleanExpr& leaf, bool of_specification);

}  // namespace assay::identity
