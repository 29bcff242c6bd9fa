// The operators that equations ask for: what their tensors are computed of, up to what is cut.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "static_check/identity/constants/host_constants.h"
#include "static_check/identity/cuts/cuts.h"

namespace assay::identity {

struct Cone {
  std::vector<bool> sequential;
  std::vector<std::vector<bool>> ranks;
  // Collectives that are run: all members of one, or none. The others in the cone are cut.
  std::set<std::pair<Rank, CoreId>> called;
  int64_t elements = 0;  // of all operators in it

  bool holds(Rank rank, CoreId id) const {  // kNone: of the specification
    const std::vector<bool>& of = rank == kNone ? sequential : ranks[static_cast<size_t>(rank)];
    return of[static_cast<size_t>(id)];
  }
  bool calls(Rank rank, CoreId id) const { return called.contains({rank, id}); }
};

Cone cone_of(const Problem& problem, const Cuts& cuts, const std::vector<Equation>& equations);

// What of the programs is evaluated, and as what. nullptr: nothing is cut, all of them, no constant
// is another's.
struct Scope {
  const Cuts* cuts = nullptr;
  const Cone* cone = nullptr;
  // Equations are between tensors within the programs, which are to be numbers for all inputs.
  bool within = false;
  // But for functions that are none for some arguments, such as a logarithm: the report lists that
  // they are taken to be defined.
  bool where_defined = false;
  const std::map<double, HostConstant>* host_constants = nullptr;
};

}  // namespace assay::identity
