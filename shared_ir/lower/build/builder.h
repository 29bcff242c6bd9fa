// Appends core operators to a program. Every function checks that its operands fit
// (OperandsDoNotFit, operands_fit.h) and leaves out what does nothing: identity movement, movement
// of constants, scaling by 1. Throws SizeOverflow (sizes.h).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "shared_ir/core.h"
#include "shared_ir/lower/build/bounds/constant_magnitudes.h"
#include "shared_ir/lower/build/bounds/integer_bounds.h"
#include "shared_ir/lower/build/bounds/reached_infinities.h"
#include "shared_ir/lower/build/integers/bit_form.h"
#include "shared_ir/lower/build/integers/common_operators.h"
#include "shared_ir/lower/build/integers/integer_sum.h"
#include "shared_ir/lower/build/sizes.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {

class Builder {
 public:
  explicit Builder(size_t expected_ops) { program_.ops.reserve(expected_ops); }

  // The captured node that the next operators come from.
  void set_origin(NodeId node) {
    origin_ = node;
    first_ = program_.ops.size();
  }

  const CoreProgram& program() const { return program_; }
  const CoreOp& op(CoreId id) const { return program_.ops[id]; }
  // ConstantMagnitudes::of.
  std::optional<double> largest_constant(CoreId id) { return magnitudes_.of(program_, id); }
  // Whether integers are below 0 whatever the inputs are.
  bool are_negative(CoreId id) { return bounds_.are_negative(program_, id); }
  // ReachedInfinities::at.
  bool may_be_infinite(CoreId id) { return infinities_.at(program_, id); }
  const Shape& shape(CoreId id) const { return op(id).shape; }
  DType dtype(CoreId id) const { return op(id).dtype; }
  Int rank(CoreId id) const { return static_cast<Int>(shape(id).size()); }
  bool is_finite_constant(CoreId id) const {
    return op(id).prim == Prim::kConst && op(id).fn.empty();
  }

  // Sources.
  CoreId input(TensorId tensor, DType dtype, const Shape& shape);
  CoreId constant(const Rational& value, DType dtype, const Shape& shape);
  // Any double: infinities and nan by name, a value beyond 64-bit rationals as an opaque scalar.
  // Notes a rounding.
  CoreId constant(double value, DType dtype, const Shape& shape);
  // A finite number that is equal to itself alone: no arithmetic is done with it.
  CoreId opaque_number(double value, DType dtype, const Shape& shape);
  CoreId iota(Int size, DType dtype);
  CoreId uninit(DType dtype, const Shape& shape);
  CoreId random(const std::string& fn, DType dtype, const Shape& shape);
  // One draw for each element of x.
  CoreId random_like(const std::string& fn, CoreId x, DType dtype);

  // Movement.
  CoreId permute(CoreId x, const std::vector<Int>& dims);
  CoreId reshape(CoreId x, const Shape& shape);
  CoreId expand(CoreId x, const Shape& shape);
  // `count` elements of dimension `dim` from `start` on, every `step`-th.
  CoreId slice(CoreId x, Int dim, Int start, Int step, Int count);
  CoreId cat(const std::vector<CoreId>& pieces, Int dim);

  // Element by element. Integers add and multiply modulo 2^bits; what reads them as numbers gets
  // them wrapped around where bounds do not show that they stay in their range.
  // Elements of a tensor: what is too large or too small for its dtype becomes what PyTorch makes
  // of it (0, infinity, the next subnormal number).
  CoreId stored_constant(double value, DType dtype, const Shape& shape);
  CoreId linear(const std::vector<CoreId>& operands, const std::vector<Rational>& coefs);
  CoreId scale(CoreId x, const Rational& coef) { return linear({x}, {coef}); }
  CoreId mul(CoreId a, CoreId b);
  // A function of integers whose values hang on how many bits they have gets their dtype as part of
  // its name.
  CoreId map(const std::string& fn, const std::vector<CoreId>& operands, DType dtype,
             uint32_t linear_in);
  // Of flags: the logical and.
  CoreId keep(CoreId mask, CoreId x);
  CoreId cast(CoreId x, DType dtype);

  // Prim is kReduceSum, kReduceMax or kReduceMin; dims are sorted and unique.
  CoreId reduce(Prim prim, CoreId x, const std::vector<Int>& dims);
  // `beside`: what an index may be that is none of the classes.
  CoreId one_hot(CoreId ids, Int classes, DType dtype, std::optional<Int> beside = std::nullopt);
  CoreId block(const std::string& fn, BlockSpec spec, const std::vector<CoreId>& operands,
               DType dtype, const Shape& shape, uint32_t linear_in);
  CoreId collective(Collective what, CoreId x, const Shape& shape);
  // What comes next waits for the collective `x`, instead of what came behind it. Nothing for other
  // operators.
  void wait(CoreId x);
  // The same for one by its number: how many were made before it.
  void wait_for(size_t collective);
  size_t collective_count() const { return program_.collectives.size(); }
  CoreId opaque(const std::string& fn, const std::vector<CoreId>& operands, DType dtype,
                const Shape& shape);
  // The same of a function that nothing is known of: of other dtypes it is another one.
  CoreId undeclared(const std::string& fn, const std::vector<CoreId>& operands, DType dtype,
                    const Shape& shape);

  // Whether it is taken that no target of a loss is its ignore_index.
  void set_no_target_ignored(bool none) { no_target_ignored_ = none; }
  bool no_target_ignored() const { return no_target_ignored_; }

  // An assumption or approximation that the report lists; each text once.
  void note(const std::string& text);
  // That the current node, called so, names no place twice where it writes is an assumption. Places
  // go by these indices, of dimensions with so many rows.
  void assume_single_write(const std::string& name, std::vector<CoreId> indices, Shape rows);
  void note_opaque(const std::string& operator_name);
  // Of a question whether a floating number is one (nan_questions.cpp); kNone for another.
  CoreId asked_number(const std::string& fn, const std::vector<CoreId>& operands);
  CoreId normal_map(const std::string& fn, const std::vector<CoreId>& operands, DType dtype);
  // Of integers, as sums (integers/integer_functions.cpp).
  CoreId integer_map(const std::string& fn, const std::vector<CoreId>& operands);
  CoreId negated(CoreId id) const;
  // `x` is a power of integers of dtype `to`, as floating numbers: as integers; else kNone.
  // Whether the floating number is computed of integers of a type whose range `to` does not hold.
  bool holds_wider_integers(CoreId x, DType to) const;
  CoreId integer_power(CoreId x, DType to);
  // What a conversion to this type makes the same integer of.
  CoreId cut_off(CoreId x, DType to);
  // A constant of a floating dtype that is taken as it is, though the dtype does not hold it: an
  // integer, or a number that is too large or too small for it; one that is `stored` in a tensor,
  // any that is not taken as another number already.
  void note_rounded(const Rational& value, DType dtype, bool stored = false);

  // The rational that a constant of the program stands for; a rounding is noted. exact = false as
  // in rational.h.
  RationalFromDouble rational(double value);

  CoreProgram finish(std::vector<CoreId> value_of);

 private:
  CoreOp& append(Prim prim, DType dtype, Shape shape, std::vector<CoreId> operands);
  CoreId last() const { return static_cast<CoreId>(program_.ops.size()) - 1; }
  // The constant among the pieces of a concatenation that holds all elements of a slice; kNone if
  // none does.
  CoreId constant_piece(CoreId x, Int dim, Int start, Int step, Int count) const;
  // The integers as the dtype holds them (integers/integer_wrapping.cpp).
  CoreId wrapped(CoreId x);
  // The same; integers that serve as indices, of 32 bits or more, are assumed to stay in their
  // range.
  CoreId unwrapped(CoreId x);
  std::vector<CoreId> wrapped(std::vector<CoreId> operands, uint32_t linear_in);
  // The constant `x` with another shape or dtype.
  CoreId same_constant(CoreId x, DType dtype, Shape shape);
  // What a result is to be like.
  struct Like {
    DType dtype;
    Shape shape;
    bool taken_not_to_wrap;  // as what it is computed of is
  };
  // rounding.cpp
  struct RealSum {
    std::map<CoreId, Rational> terms;
    Rational constant;
  };
  bool add_real_parts(CoreId x, const Rational& times, RealSum& sum) const;
  CoreId built_real(const RealSum& sum, CoreId like);
  CoreId add_scaled(CoreId id, const Rational& times, RealSum sum, CoreId like);
  CoreId rounded_sum(const std::string& fn, CoreId x);
  CoreId rounding(const std::string& fn, const std::vector<CoreId>& operands, DType type);
  CoreId rounded_quotient(const std::string& fn, CoreId quotient);
  CoreId rounded_towards_zero(CoreId sign, CoreId size) const;
  // integers/sums.cpp
  bool add_parts(CoreId x, const Int& times, PlainInt bits, IntegerSum& sum);
  // x as a sum of what it is made of: modulo 2^bits, or as the integer that it is.
  IntegerSum sum_modulo(CoreId x, PlainInt bits);
  IntegerSum sum_of(CoreId x);
  CoreId built(const IntegerSum& sum, DType dtype, const Shape& shape);
  CoreId plain_linear(const std::vector<CoreId>& operands, const std::vector<Rational>& coefs);
  size_t count_terms(CoreId x) const;
  CoreId joined_sum(CoreId x);
  std::optional<std::pair<Int, Int>> range_of(const IntegerSum& sum);
  // By the types and functions that it was made by, not by sizes.
  std::pair<Int, Int> integer_range_of(CoreId id) const;
  // The operator, whose integers do so whatever its operands are; or besides what is known already.
  CoreId lies_in(CoreId id, const Int& low, const Int& high);
  CoreId lies_within(CoreId id, const Int& low, const Int& high);
  void find_few_values();
  std::optional<std::pair<CoreId, Int>> quotient_made(CoreId id) const;
  // integers/quotients.cpp
  bool drop_low_terms(IntegerSum& of, const Int& by);
  Int least_divisor(const IntegerSum& of, const Int& by);
  std::optional<IntegerSum> quotient_of(IntegerSum of, Int by, const Like& like);
  std::optional<IntegerSum> remainder_of(CoreId x, const Int& by);
  std::optional<IntegerSum> quotient_by_low_bits(const IntegerSum& of, const Int& by,
                                                 const Like& like);
  bool is_sum(CoreId x, const IntegerSum& sum);
  CoreId floor_function(CoreId x, const Int& by);
  Like like(CoreId x);
  CoreId quotient_of_multiple(CoreId x, const Int& by);
  CoreId quotient_down(CoreId x, const Int& by);
  CoreId rest_of(CoreId x, CoreId quotient, const Int& by);
  CoreId remainder(CoreId x, const Int& by);
  // integers/bits.cpp
  static bool is_power_of_two(const Int& number);
  std::optional<IntegerSum> kept_bits(CoreId x, const Int& mask);
  CoreId masked_bits(const std::string& fn, CoreId x, const Int& mask);
  CoreId shifted(bool left, CoreId x, const Int& by);
  BitForm bit_form(CoreId x);
  std::optional<CoreId> as_flag_mask(const IntegerSum& sum) const;
  bool are_disjoint(CoreId a, CoreId b);
  CoreId all_bits_of(const std::set<CoreId>& of);
  CoreId combined_bits(const std::string& fn, CoreId x, CoreId y);
  CoreId built_of_bits(const BitForm& form, DType type, const Shape& like);
  CoreId inverted_bits(CoreId x);
  // integers/comparisons.cpp
  CoreId compared_bit(const std::string& fn, const std::vector<CoreId>& operands);
  CoreId flag_of_bit(const IntegerSum& bit, CoreId like, bool set);
  CoreId bit_of_flag(CoreId flag) const;
  CoreId kept_constant(CoreId mask, CoreId x);
  // integers/constant_pieces.cpp
  struct ConstantPieces {
    size_t dim;  // along which they lie
    std::vector<CoreId> constants;
    std::vector<Int> sizes;  // along it
  };
  std::optional<ConstantPieces> constant_pieces(CoreId id) const;
  CoreId map_of_pieces(const std::string& fn, CoreId x, CoreId constants);
  CoreId map_piece_by_piece(const std::string& fn, CoreId x, const Int& by);
  // integers/integer_functions.cpp
  std::optional<Int> constant_integer(CoreId id) const;
  CoreId truncated(const std::string& fn, CoreId x, CoreId other, const Int& by);
  CoreId map_of_integer(const std::string& fn, CoreId x);

  CoreProgram program_;
  IntegerBounds bounds_;
  ConstantMagnitudes magnitudes_;
  ReachedInfinities infinities_;
  CommonOperators common_;
  // What remainders are called: rows of tables by them are known by what they are, and stay whole.
  std::set<CoreId> rows_;
  bool rows_stay_whole_ = true;
  std::set<CoreId> pieces_;  // concatenations of what map_of_pieces made
  std::map<CoreId, std::pair<Int, Int>> integer_ranges_;  // where they are not those of the dtype
  std::map<CoreId, BitForm> bit_forms_;                   // of what bitwise functions made
  NodeId origin_ = kNone;
  size_t first_ = 0;  // operator of the origin
  bool no_target_ignored_ = false;
  std::set<std::string> notes_;
  std::map<std::string, int32_t> random_calls_;
};

}  // namespace assay::lowering
