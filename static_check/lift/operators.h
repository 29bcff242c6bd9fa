// Core operators on lifted values. Every function takes and returns values on tile grids; throws
// NotLifted when no layout expresses the result.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "shared_ir/core.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/value.h"
#include "static_check/lift/lifting.h"

namespace assay {

// --- parallel_labels.cpp ---
// Parallel labels of a tile of that size seen through several layouts; throws NotLifted when their
// radices do not nest.
void add_parallel_labels(Request& request, std::span<const Layout* const> layouts,
                         const Shape& size);

// --- names.cpp: one atom for a sum ---
// The tile as a plain view (coefficient 1, no restriction): a name for its sum where it is not one
// already.
Term materialize(Lifting& lifting, const Tile& tile, const Shape& size, DType dtype);
// A piecewise affine tile as terms; other tiles stay as they are.
void as_terms(Lifting& lifting, Tile& tile, const Shape& size, DType dtype);
void as_terms(Lifting& lifting, Value& value, DType dtype);
// Names among the terms replaced by their sums, the newest first, as far as the sums stay short.
std::vector<Term> unfold_names(const Lifting& lifting, std::vector<Term> terms);
// Names sums whose terms are all whole, tile by tile; partial sums stay lists of terms.
void name_sums(Lifting& lifting, Value& value, DType dtype);

// --- reshapes.cpp ---
// The value with no cuts along `dim`: pieces of different atoms become one concatenation atom.
Value join_dim(Lifting& lifting, const Value& value, Int dim, DType dtype);
// Reshape that names what no tile grid expresses.
Value reshape_any(Lifting& lifting, const Value& value, const Shape& shape, DType dtype);

// --- multiply.cpp ---
// The view's factors, of which none is a product itself, as far as there are few of them.
std::vector<Term> factors_of(const Lifting& lifting, const Term& view);
Value multiply(Lifting& lifting, const Value& a, const Value& b, DType dtype);
// Of views of a tile of that size; 1 where there are none.
Value product_of(Lifting& lifting, std::span<const Term> factors, const Shape& size, DType dtype);
// Tiles of which a coefficient, times the factor, leaves 64 bits become names, which keep it.
void name_long_coefficients(Lifting& lifting, Value& value, const Rational& factor, DType dtype);

// --- exponentials.cpp ---
// Functions that have a normal form together: exp, log, reciprocal, sigmoid.
bool is_exponential(const std::string& fn);
Value apply_exponential(Lifting& lifting, const std::string& fn, const Value& value, DType dtype);

// --- quotients.cpp ---
// Terms that differ in quotients of positive views alone become one: x / s - x b / (s (a + b)).
void join_quotients(Lifting& lifting, Value& value, DType dtype);
// Takes out pairs of a positive view and its reciprocal.
void cancel_reciprocals(const Lifting& lifting, std::vector<Term>& factors,
                        const std::function<bool(const Term&)>& may_cancel);
// A reciprocal or an exponential: what sums are rescaled by.
bool is_scale(const Lifting& lifting, AtomId id);

// --- regroup.cpp: the same value in groups that are known; nullopt where there are none ---
// The sum over dims of a product with a sum.
std::optional<Term> exchanged_sum(Lifting& lifting, const Term& term, const Shape& size,
                                  std::span<const Int> dims, DType dtype);
// A product with a name: whether it may be one of sums, and the sum.
bool distributes(const Lifting& lifting, const Term& a, const Term& b, DType dtype);
std::optional<Term> distributed_product(Lifting& lifting, const Term& a, const Term& b,
                                        const Shape& size, DType dtype);

// Elements of one atom at equal distances, added one by one, as the sum over them.
void join_known_sums(Lifting& lifting, Value& value, DType dtype);
// The extremum of such elements, views of a tile of that size.
std::optional<Term> known_extremum(Lifting& lifting, Instance::Kind kind,
                                   const std::vector<Term>& views, Shape size, DType dtype);

// --- infinities.cpp: real arithmetic ends at infinite and NaN constants; each throws NotLifted ---
void refuse_infinite_product(const Lifting& lifting, const Value& a, const Value& b);
// NaN, or infinities of both signs.
void refuse_infinite_sum(const Lifting& lifting, std::span<const Value> values);
// Of a function of one operand.
void refuse_infinite_argument(const Lifting& lifting, const Value& value);

// --- unwritten.cpp: what is made of memory that nothing has written cancels nothing, not even as 0
// times it; each throws NotLifted ---
void refuse_zero_times_unwritten(const Lifting& lifting, const Value& value);
void refuse_zero_times_unwritten(const Lifting& lifting, const Value& a, const Value& b);
// The same atom with both signs.
void refuse_unwritten_difference(const Lifting& lifting, std::span<const Value> values);
// A sum that is about to get a name, under which the check above does not see it.
void refuse_unwritten_sum(const Lifting& lifting, const std::vector<Term>& terms);
// Of sums that both have such memory: written out, it would stand there with both signs.
void refuse_unwritten_product(const Lifting& lifting, const Value& a, const Value& b);

// --- masks.cpp ---
// Drops guards that the term implies (a one-hot, or a sum over its classes); false when the term is
// zero.
bool absorb_guards(const Lifting& lifting, Term& term);
// Drops guards that hold for all integers that the sequential program's indices leave.
void drop_guards_of_indices(const Lifting& lifting, std::vector<Term>& terms);
// Of guards that do not vary along dims, which are dropped.
void drop_dims(std::vector<Restriction>& restrictions, std::span<const Int> dims);
// The view of a one-hot: of which element of the integers, and which classes are met. nullopt where
// it does not tell them apart.
struct OneHotView {
  Layout ids;
  Interval classes;
};
std::optional<OneHotView> split_one_hot(const Layout& layout, Int ids_size);
// mask ? value : 0.
Value keep(Lifting& lifting, const Value& mask, const Value& value, DType dtype);

// --- classes.cpp ---
// The sum over all classes of a one-hot beside factors that do not vary along them: these factors,
// where the integer is one of the classes. nullopt for other sums. dims sorted.
std::optional<std::vector<Term>> sum_over_classes(Lifting& lifting, const Term& term,
                                                  const Shape& size, std::span<const Int> dims,
                                                  DType dtype);

// The same where one class is summed: terms of names beside its one-hot that are no part of a sum.
std::optional<std::vector<Term>> sum_of_one_class(Lifting& lifting, const Term& term,
                                                  const Shape& size, std::span<const Int> dims,
                                                  DType dtype);
// The sum as a part of one that is known; nullopt where there is none.
std::optional<std::vector<Term>> part_of_known_sum(Lifting& lifting, const Term& term,
                                                   const Shape& size, std::span<const Int> dims,
                                                   DType dtype);

// --- sums_and_extrema.cpp; dims sorted ---
// The sum of one term over dims of its tile.
std::vector<Term> sum_term(Lifting& lifting, Term term, const Shape& size,
                           std::span<const Int> dims, DType dtype);
Value reduce_sum(Lifting& lifting, Value value, std::span<const Int> dims, DType dtype);
// kind: kMax or kMin.
Value reduce_extremum(Lifting& lifting, Instance::Kind kind, const Value& value,
                      std::span<const Int> dims, DType dtype);
// Element-wise maximum (minimum) over ranks of parts of one maximum (minimum): they unite. nullopt
// for other values.
std::optional<Value> extremum(Lifting& lifting, Instance::Kind kind, std::vector<Value> values,
                              DType dtype);

// --- blocks.cpp ---
Value apply_block(Lifting& lifting, const std::string& fn, uint32_t linear, const BlockSpec& spec,
                  std::vector<Value> operands, const Shape& shape, DType dtype);
// Element by element: a block without whole labels.
Value apply_map(Lifting& lifting, const std::string& fn, uint32_t linear,
                std::vector<Value> operands, const Shape& shape, DType dtype);
// A function of whole values that nobody declared.
Value apply_opaque(Lifting& lifting, const std::string& fn, std::vector<Value> operands,
                   const Shape& shape, DType dtype);

// --- piecewise_affine.cpp: piecewise affine maps of one index tensor ---
// The tile as a piecewise affine map; nullopt when it is not one.
std::optional<PiecewiseAffine> as_affine(const Lifting& lifting, const Tile& tile,
                                         const Shape& size);
// kLinear, kMul, kMap and kCast whose result is integer or boolean; nullopt when some tile is not
// piecewise affine. source: the dtype of the first operand.
std::optional<Value> apply_integer(const Lifting& lifting, const CoreOp& op, DType source,
                                   std::vector<Value> operands);
// 0/1 and piecewise constant integers as numbers: guards times the scalar 1.
Value integer_to_float(Lifting& lifting, const Value& value);

// --- one_hot.cpp ---
// `beside`: what an index may be that is none of the classes.
Value one_hot(Lifting& lifting, const Value& ids, Int classes, const std::vector<Int>& beside);

}  // namespace assay
