// What a placement means: the local shape, and the clean expressions that make the whole of the
// ranks' tensors.
#pragma once

#include <string>
#include <vector>

#include "assay/placement.h"
#include "shared_ir/clean_expr.h"
#include "shared_ir/mesh.h"

namespace assay {

// A tensor as it was declared: errors name it and its place.
struct PlacedTensor {
  std::string name;
  Shape shape;  // of the whole
  Placement placement;
  SourcePlace place;
};

// Whether the rank holds (a part of) the tensor; true for the one rank of an empty mesh, whatever
// the placement.
bool holds(const Placement& placement, const Mesh& mesh, Rank rank);

// Elements per dimension on this rank, if it holds the tensor. Throws UserError when the mesh has
// no such axis or an axis is named twice, a dimension does not exist, the sizes of packed blocks do
// not divide or do not add up to it, or a coordinate is outside of its axis.
Shape local_shape(const PlacedTensor& tensor, const Mesh& mesh, Rank rank);

// The whole over NAME@RANK, of those ranks that hold it together with `rank`. The placement must
// have passed local_shape.
CleanExpr whole_of(const PlacedTensor& tensor, const Mesh& mesh, Rank rank);

// The whole over NAME@RANK: one clean expression per set of ranks that together hold it; they are
// replicas of each other. Throws UserError as local_shape does.
std::vector<CleanExpr> relation(const PlacedTensor& tensor, const Mesh& mesh);

// Where the gradient of a tensor lies: as the tensor does, but a gradient of summands is the same
// for each of them.
Placement gradient_placement(const Placement& placement);

}  // namespace assay
