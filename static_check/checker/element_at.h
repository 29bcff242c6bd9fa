// What a claim, or a clean expression over claims, says about the elements of one region.
#pragma once

#include <functional>
#include <optional>

#include "shared_ir/clean_expr.h"
#include "static_check/checker/arithmetic/sums.h"

namespace assay::checker {

// A piecewise affine function of one integer element; atom kNone: a constant, in pieces[0].b.
struct IntegerMap {
  Factor of{kNone, {}};
  std::vector<PiecewiseAffine::Piece> pieces;
};

struct Element {
  Sum sum;  // when there is no integer map
  std::optional<IntegerMap> integer;
};

// An integer map as guarded terms; a sum as it is.
Sum as_sum(const Element& element);

// The element as a function of one integer element, where it is one; else nullopt.
std::optional<IntegerMap> as_integer(const Facts& facts, const Region& region,
                                     const Element& element);

// Throws Rejection unless the claim has this shape, its tiles tile it, and every address and
// restriction is in range.
void check_value(const Facts& facts, const Value& value, const Shape& shape);

// The claimed element at these coordinates of the tensor. The value must have passed check_value.
// Throws Split.
Element element_at(const Region& region, const Value& value, const std::vector<Affine>& coords);

// Row-major index of coordinates in a tensor, and back. The second throws Split.
Affine row_major(const Shape& shape, const std::vector<Affine>& coords);
std::vector<Affine> from_row_major(const Region& region, const Shape& shape, const Affine& index);

using LeafShape = std::function<Shape(const std::string& name, Rank rank)>;
using LeafElement = std::function<Sum(const CleanExpr& leaf, const Region& region,
                                      const std::vector<Affine>& coords)>;

// The element of a clean expression. Shapes must have been checked (infer_shape). Throws Split.
Sum evaluate(const CleanExpr& expr, const Region& region, const std::vector<Affine>& coords,
             const LeafShape& shape_of, const LeafElement& leaf);

}  // namespace assay::checker
