// Between which integers the values of core operators lie. Sums and products of integers are exact
// modulo 2^bits: as long as they only add, multiply and move, programs that agree over all integers
// agree over those of a dtype. What reads a value as a number (a comparison, a conversion, an
// index) needs to know that it has not wrapped around.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "shared_ir/core.h"

namespace assay::lowering {

// Of a size that is not given, as the report of a proof for all sizes says (all_sizes.cpp).
inline constexpr double kLargestOpenSize = 0x1p58;

// What takes_sizes_as_small() assumes.
inline constexpr const char* kSmallSizesNote =
    "no dimension whose elements int32 counts has more than 2^24 of them";

class IntegerBounds {
 public:
  // Whether the integers or flags of operator `id`, computed without wrapping, lie in the range of
  // its dtype. True of floating operators.
  bool fits(const CoreProgram& program, CoreId id);

  // Whether they, or integers that they are computed of, leave the range for certain, as constants
  // do.
  bool wraps(const CoreProgram& program, CoreId id);

  // Whether these integers are represented exactly in the floating dtype.
  bool is_exact_in(const CoreProgram& program, CoreId id, DType dtype);

  // That they lie between these, as the function that made them says.
  void state(const CoreProgram& program, CoreId id, double low, double high);

  // Between which numbers these integers lie; nullopt where they may wrap, and of floating ones.
  std::optional<std::pair<double, double>> limits(const CoreProgram& program, CoreId id);

  // Between which numbers these integers lie, none of which is constant; nullopt where that is more
  // than FewValues has.
  std::optional<FewValues> few_values(const CoreProgram& program, CoreId id);

  // Whether all of these integers, which fit, are below 0.
  bool are_negative(const CoreProgram& program, CoreId id);

  // Whether something rests on sizes that are not the same at every instance to be at most 2^24,
  // as int32 counts their elements.
  bool takes_sizes_as_small() const { return takes_sizes_as_small_; }

  // Whether these integers are bounded by a size that is not the same at every instance.
  bool depends_on_open_sizes(const CoreProgram& program, CoreId id);

  // Whether they are the program's own constants, moved and computed with.
  bool is_constant(const CoreProgram& program, CoreId id);

 private:
  struct Bounds {
    double low = 0, high = 0;
    bool fits = true;
    bool wraps = false;
    bool constant = false;
    bool open = false;  // see depends_on_open_sizes
  };

  const Bounds& of(const CoreProgram& program, CoreId id);
  Bounds compute(const CoreProgram& program, const CoreOp& op);
  bool is_constant(const CoreOp& op) const;
  bool is_open(const CoreProgram& program, const CoreOp& op) const;
  Bounds sum(const CoreOp& op) const;
  Bounds clamped(const CoreOp& op) const;
  Bounds reduced(const CoreOp& op, const Shape& from);
  Bounds places(const CoreProgram& program, const CoreOp& op);
  double count(const Int& size, DType dtype);  // not less than the size
  double power_above(const Int& size, DType dtype);
  Bounds moved(const CoreOp& op) const;
  const Bounds& operand(const CoreOp& op, size_t i) const {
    return known_[static_cast<size_t>(op.operands[i])];
  }

  bool takes_sizes_as_small_ = false;
  std::vector<Bounds> known_;  // of the program's first operators
};

}  // namespace assay::lowering
