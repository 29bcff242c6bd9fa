// Equations of tensors within the programs, which have been shown: the ranks' tensors are taken for
// the sequential ones where other equations are evaluated.
#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include "static_check/checker/identity/constants/host_constants.h"
#include "static_check/checker/joint.h"

namespace assay::checker::identity {

class Cuts {
 public:
  // Where a rank's tensor lies in a sequential one.
  struct Place {
    CoreId sequential = kNone;
    size_t dim = 0;
    PlainInt offset = 0;
  };

  // One sequential tensor, and one of a rank or several ranks' along a dimension. Throws Rejection
  // for another form.
  void add(const Joint& joint, const Certificate::Evaluated& equation);
  bool empty() const { return places_.empty(); }
  const Place* find(const OpRef& ref) const;
  // Whether the sequential operator's result may be any numbers of the signs that are known.
  bool is_any(CoreId sequential) const { return any_.contains(sequential); }

 private:
  std::map<OpRef, Place> places_;
  std::set<CoreId> any_;
};

// Operators that are evaluated, by program: those that the equations need. Collectives are all
// among them, or none.
class Cone {
 public:
  Cone(const Joint& joint, const Cuts& cuts, std::span<const Certificate::Evaluated> equations);

  bool holds(const OpRef& ref) const;
  PlainInt elements() const { return elements_; }

 private:
  using Marks = std::vector<bool>;  // by operator

  Marks& of(Rank rank) { return rank == kNone ? sequential_ : ranks_[static_cast<size_t>(rank)]; }
  bool close(const Joint& joint, const Cuts& cuts, Rank rank);

  Marks sequential_;
  std::vector<Marks> ranks_;
  PlainInt elements_ = 0;
};

// What an evaluation is of; nullptr: nothing is cut, and everything is evaluated.
struct Scope {
  const Cuts* cuts = nullptr;
  const Cone* cone = nullptr;
  bool within = false;  // the equations' sequential tensors have to be numbers for all inputs
  // That may be asked for together.
  std::vector<Certificate::Evaluated> equations = {};
  const ComputedConstants* computed = nullptr;
};

}  // namespace assay::checker::identity
