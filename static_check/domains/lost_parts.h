// Whether terms are made of the same parts as others.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "static_check/lift/lifting.h"

namespace assay {

// Parts of terms that others lack, of watched atoms.
class LostParts {
 public:
  LostParts(const Lifting& lifting, std::function<bool(AtomId)> watched)
      : lifting_(lifting), watched_(std::move(watched)) {}

  // Whether the atom is made of a watched one. Flags are not: NaN does not spread through them.
  bool is_made_of_watched(AtomId id);
  bool is_made_of_watched(std::span<const Term> terms);

  // Whether one of the result's terms is, or reads in one step, each term that is made of a watched
  // atom, as it is: then nothing is lost. Most results are so.
  bool are_read(std::span<const Term> operand, std::span<const Term> result);

  enum class Places {
    kSame,  // element by element
    kAny,   // of the tensors as wholes
  };
  // The watched atoms that `operand` is made of and `result` is not.
  void compare(std::span<const Term> operand, std::span<const Term> result, Places places,
               const std::function<void(AtomId)>& lost);

 private:
  // The terms, of coefficient 1, that the term is computed from in one step.
  std::vector<Term> parts_of(const Term& term, Places places) const;
  // Whether `made`, terms of coefficient 1, hold the part at its places. `labels`: sums that the
  // part hides.
  bool hold(std::span<const Term> made, const Term& part, const std::vector<LabelId>& labels);
  // The same at any places.
  bool are_made_of(std::span<const Term> made, AtomId id);
  // The same as is_made_of_watched, through flags too.
  bool reads_watched(AtomId id);
  // Marks atoms up to `id`.
  bool mark(std::vector<bool>& marks, AtomId id, bool through_flags) const;

  const Lifting& lifting_;
  std::function<bool(AtomId)> watched_;
  std::vector<bool> made_of_watched_, reads_watched_;  // of the first atoms, as far as asked for
};

}  // namespace assay
