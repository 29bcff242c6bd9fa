// How a tile of a candidate tensor lies in a target view, and how boxes are put together to a clean
// expression.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "shared_ir/clean_expr.h"
#include "shared_ir/proof/proof.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/lift/lifting.h"

namespace assay {

// A candidate's place in the target's axes, and the clean expression that yields exactly that box.
struct Piece {
  Shape start;
  Shape size;
  std::vector<Restriction> restrictions;  // boxes: which part of the target's sum it is
  CleanExpr expr;
  Rank rank = 0;
};

// Clean expressions with their trivial forms left out (a full slice, an identity permute or
// reshape, one operand).
CleanExpr make_slice(CleanExpr expr, Int dim, Int start, Int end, Int size);
CleanExpr make_concat(std::vector<CleanExpr> operands, Int dim);
// The size of a tensor's dimension.
using TensorSize = std::function<Int(const CleanExpr& tensor, Int dim)>;
// concat(sum(slice(x), slice(y)), ...; dim) as sum(x, y), where the slices follow each other along
// dim; other expressions as they are.
CleanExpr sum_of_wholes(CleanExpr expr, const TensorSize& size_of);
// With slices of one tensor that follow each other in a concatenation as one.
CleanExpr neighbours_joined(CleanExpr expr, const TensorSize& size_of);
CleanExpr make_sum(std::vector<CleanExpr> operands);
CleanExpr make_reshape(CleanExpr expr, const Shape& from, const Shape& to);
CleanExpr make_permute(CleanExpr expr, const std::vector<Int>& dims);

// Axes of the target in which pieces are boxes: its dimensions, or finer digits when a candidate
// needs them.
struct Axes {
  Shape sizes;
  bool operator==(const Axes&) const = default;
};

// Places a candidate tile (layout over tile_size, at tile_start of a tensor of candidate_shape) in
// the target's own dimensions: it is a slice of the target, or the target is a slice of it. nullopt
// when neither holds.
std::optional<Piece> place_in_dims(const Layout& target, const Shape& target_shape,
                                   const Layout& candidate, const Shape& tile_start,
                                   const Shape& tile_size, const CleanExpr& leaf,
                                   const Shape& candidate_shape);

// The same through digits: reshape and permute are allowed. `axes` receives the refined digits of
// the target.
std::optional<Piece> place_in_digits(const Layout& target, const Shape& target_shape,
                                     const Layout& candidate, const Shape& tile_start,
                                     const Shape& tile_size, const CleanExpr& leaf,
                                     const Shape& candidate_shape, Axes& axes);

// All clean expressions that cover the box of `sizes` exactly: replicas. Tiles are concatenated;
// parts are summed when they partition the sum. Empty when the pieces do not cover it. whole: the
// target's own restrictions (none for a whole).
std::vector<CleanExpr> cover_boxes(Lifting& lifting, const Shape& sizes,
                                   const std::vector<Piece>& pieces, const Term& target);

}  // namespace assay
