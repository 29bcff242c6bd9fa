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
  // A tensor of a rank, and the sequential one or the slice of one that it is.
  void add(const Joint& joint, const Certificate::EvaluatedClaim::Cut& cut);
  // The sequential operators' results may be any numbers of the signs that are known. Throws
  // Rejection for one that is not.
  void free(const Joint& joint, std::span<const CoreId> sequential);
  bool empty() const { return places_.empty(); }
  const Place* find(const OpRef& ref) const;
  // Whether the sequential operator's result may be any numbers of the signs that are known.
  bool is_any(CoreId sequential) const { return any_.contains(sequential); }

 private:
  std::map<OpRef, Place> places_;
  std::set<CoreId> any_;
};

// Operators that are evaluated, by program: those that the equations need. Of a collective that is
// not cut for all who need it, all members' operands are.
class Cone {
 public:
  Cone(const Joint& joint, const Cuts& cuts, std::span<const Certificate::Evaluated> equations);

  bool holds(const OpRef& ref) const;
  // Of a collective among them: it is run, and its result is not what it may be cut to.
  bool calls(const OpRef& ref) const { return called_.contains(ref); }
  PlainInt elements() const { return elements_; }

 private:
  using Marks = std::vector<bool>;  // by operator

  Marks& of(Rank rank) { return rank == kNone ? sequential_ : ranks_[static_cast<size_t>(rank)]; }
  // From the last operator to the first: what each is computed of. Whether it asks for operators
  // of other programs.
  bool close(const Joint& joint, const Cuts& cuts, Rank rank);
  void call_with_members(const Joint& joint, const OpRef& ref);

  Marks sequential_;
  std::vector<Marks> ranks_;
  std::set<OpRef> called_;
  PlainInt elements_ = 0;
};

// What an evaluation is of; nullptr: nothing is cut, and everything is evaluated.
struct Scope {
  const Cuts* cuts = nullptr;
  const Cone* cone = nullptr;
  bool within = false;  // the equations' sequential tensors have to be numbers for all inputs,
  bool where_defined = false;  // or where logarithms, quotients and powers are
  // That may be asked for together.
  std::vector<Certificate::Evaluated> equations = {};
  const ComputedConstants* computed = nullptr;
};

}  // namespace assay::checker::identity
