// A rank's tensor held against the sequential one as a piece of it: whether its summands are the
// same rows and columns of everything, as often.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "static_check/diagnose/nearest.h"
#include "static_check/problem/problem.h"

namespace assay {

// Closeness (Nearest) of a multiple of the target.
inline constexpr int kScaled = 100;

// Closeness (Nearest) of what says less than it seems to, unless the tensor is akin to the target:
// a piece with something else in place of a summand, one that lacks a summand, other elements of
// the same thing, another operand.
inline constexpr int kReplaced = 64, kLacking = 60, kOtherElements = 45, kOtherOperand = 50;

// A value of one tile.
struct TermsOfShape {
  std::vector<Term> terms;
  Shape shape;
};

// The first sequential tensor that is all of the atom, or a multiple of it; empty when none is.
std::string name_of(const Problem& problem, AtomId atom);

// Terms of a value of one tile with its names unfolded once, so that their parts can be compared.
std::vector<Term> spread(const Lifting& lifting, const Value& value);

// How the piece differs; without a difference when it is a right piece; nullopt when it is made of
// other things.
std::optional<Nearest> compare_piece(const Problem& problem, const TermsOfShape& whole,
                                     const TermsOfShape& piece);

// Whether a rank's tensor is a box of the sequential one, or put together of some; true as well
// where that cannot be said.
bool is_piece(const Problem& problem, const Value& whole, const Value& piece);

// The same for two results of one operator on the same tensors: which rows and columns of its
// operands come together. nullopt where that does not tell them apart.
std::optional<Nearest> compare_operands(const Problem& problem, const Term& whole,
                                        const Shape& whole_shape, const Term& piece,
                                        const Shape& piece_shape);

}  // namespace assay
