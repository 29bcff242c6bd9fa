// What the checker derives about the atoms of a certificate, once it has seen that they are
// well-formed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared_ir/proof/proof.h"
#include "static_check/checker/facts/index_values.h"
#include "static_check/checker/facts/regions.h"

namespace assay::checker {

// Functions of the programs (kMap, kBlock) -> operands in which they are linear.
using LinearIn = std::map<std::string, uint32_t>;

// The function of an instance that stands for kKeep(mask, x) where the mask is no guard; linear in
// x.
inline constexpr const char* kKeepFunction = "keep";

// Every element of its result is one of its operand's: of integers that became floating numbers it
// is that integer.
bool selects(const std::string& fn);

class Facts {
 public:
  // Throws Rejection unless every atom is one well-defined array: addresses in range, operands
  // before outputs, row-major outputs, labels hidden by one instance each, inputs and linearity as
  // the programs have them.
  Facts(const Universe& universe, const Graph& sequential, const LinearIn& linear);

  const Universe& universe() const { return universe_; }
  const Atom& atom(AtomId id) const { return universe_.atoms[static_cast<size_t>(id)]; }
  // The instance that defines the atom; null for sources.
  const Instance* definition(AtomId id) const;
  bool valid(AtomId id) const {
    return id >= 0 && static_cast<size_t>(id) < universe_.atoms.size();
  }

  // A sum over this label runs on the way from the atom to its leaves, through products, sums and
  // linear functions only.
  bool hides(AtomId id, LabelId label) const;
  // Exactly one such sum: restricting the label to a box has one meaning, and disjoint boxes add
  // up.
  bool may_box(AtomId id, LabelId label) const;
  // The atom is a maximum (or minimum) over this label.
  bool may_bound(AtomId id, LabelId label) const;

  // Every element is an integer; every element is 0 or 1. Relies on dtypes that the operators'
  // claims confirm.
  bool integral(AtomId id) const { return facts_[static_cast<size_t>(id)].integral; }
  bool boolean(AtomId id) const;

  // Made of memory that nothing has written, which may hold anything: NaN, too.
  bool unwritten(AtomId id) const { return facts_[static_cast<size_t>(id)].unwritten; }

  // Every element, and every part of a sum that the atom hides, is a real number greater than 0.
  // Inputs are taken to be finite.
  bool positive(AtomId id) const { return facts_[static_cast<size_t>(id)].positive; }

  // One id for the atoms whose element at an index depends on that index alone: iotas, and one-hots
  // of the same ids.
  AtomId canonical(AtomId id) const { return facts_[static_cast<size_t>(id)].canonical; }
  // The canonical one-hot atom of an index atom, the canonical iota, the constant 1; kNone when
  // there is none.
  AtomId one_hot_of(AtomId ids) const;
  AtomId iota() const { return iota_; }
  // Instances (kSum, kMax, kMin) that reduce this atom.
  const std::vector<const Instance*>& reductions_of(AtomId operand) const;

  // An atom times a number.
  struct Multiple {
    AtomId atom = kNone;
    Rational factor = 1;
  };
  // `left` was shown to be factor * right, index by index (lemmas.h). Throws Rejection for a second
  // equality of `left`.
  void learn(AtomId left, AtomId right, const Rational& factor);
  bool has_learned() const { return !equal_.empty(); }
  // What the atom was shown to be; null when there is nothing.
  const Multiple* equal_to(AtomId id) const;

  // What indices of the sequential program say, as far as its claims have been followed. Atoms are
  // canonical.
  const IndexValues& indices() const { return indices_; }
  IndexValues& indices() { return indices_; }
  // What an integer element of a canonical atom may be: 0 or 1, or an integer that indices leave.
  std::vector<Interval> integer_values(const Region& region, AtomId id, const Affine& index) const;

  // The map that a kMap instance is, when it is a materialised integer map (fn
  // "affine[lo,hi:a,b]..."); else null.
  const std::vector<PiecewiseAffine::Piece>* pieces_of(const Instance& instance) const;

  // The restriction has a meaning on the atom (its guard's `where` apart). Throws Rejection.
  void check_restriction(AtomId id, const Restriction& restriction) const;

 private:
  struct Fact {
    std::vector<LabelId> hidden;   // sorted
    std::vector<LabelId> boxable;  // sorted, a subset of hidden
    bool integral = false;
    bool unwritten = false;  // see unwritten()
    bool below = false;      // every element is a real number or minus infinity
    bool finite = false;     // every element is a real number
    bool positive = false;   // see positive()
    // Every element is a real number of at least 0, and so is every part of a sum that it hides.
    bool nonnegative = false;
    bool above = false;           // every element is a real number or infinity
    bool whole_positive = false;  // greater than 0, where parts of sums may be 0
    AtomId canonical = 0;
  };

  void derive(AtomId id, const Graph& sequential);
  void derive_instance(AtomId id);
  void derive_sign(AtomId id);                            // after the other facts (signs.cpp)
  bool every_sum_is_positive(const Instance& sum) const;  // positive_sums.cpp
  friend class SumOfExponentials;
  void unite_hidden(Fact& fact, AtomId operand) const;

  const Universe& universe_;
  const LinearIn& linear_;
  std::vector<Fact> facts_;
  std::map<AtomId, AtomId> one_hots_;
  std::map<AtomId, Multiple> equal_;
  std::map<AtomId, std::vector<const Instance*>> reductions_;
  std::map<const Instance*, std::vector<PiecewiseAffine::Piece>> pieces_;
  AtomId iota_ = kNone;
  IndexValues indices_;
};

// Sorted, adjacent, covering all integers, with moderate coefficients.
bool well_formed(const std::vector<PiecewiseAffine::Piece>& pieces);

}  // namespace assay::checker
