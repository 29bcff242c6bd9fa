// Tensors of the ranks that are shown to be tensors of the specification, or parts of them, and are
// taken for these where more is evaluated: what has been shown element by element is then no longer
// to be decided within a sum of many.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "shared_ir/clean_expr.h"
#include "static_check/identity/constants/host_constants.h"
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
  // The tensor of the specification, and so those that are taken for it, may hold any numbers of
  // the signs that are known: what holds for all of them holds for what it computes.
  void free(const Problem& problem, const CleanExpr& sequential);
  bool any() const { return !parts_.empty(); }
  // nullptr: the operator's value is what it computes.
  const Part* find(Rank rank, CoreId id) const;
  // Of what is free.
  std::optional<Sign> free_sign(CoreId of_specification) const;

 private:
  std::map<std::pair<Rank, CoreId>, Part> parts_;
  std::map<CoreId, Sign> free_;
};

// The operators that equations ask for.
struct Cone {
  std::vector<bool> sequential;
  std::vector<std::vector<bool>> ranks;
  int64_t elements = 0;  // of them together

  bool holds(Rank rank, CoreId id) const {  // kNone: of the specification
    const std::vector<bool>& of = rank == kNone ? sequential : ranks[static_cast<size_t>(rank)];
    return of[static_cast<size_t>(id)];
  }
};

using Equation = std::pair<CleanExpr, std::vector<CleanExpr>>;  // sequential, replicas
Cone cone_of(const Problem& problem, const Cuts& cuts, const std::vector<Equation>& equations);

// What of the programs is evaluated, and as what. nullptr: nothing is cut, all of them, no constant
// is another's.
struct Scope {
  const Cuts* cuts = nullptr;
  const Cone* cone = nullptr;
  // Equations are between tensors within the programs, which are to be numbers for all inputs.
  bool within = false;
  const std::map<double, HostConstant>* host_constants = nullptr;
};

}  // namespace assay::identity
