// Where the pieces of tensors lie in a flat buffer: the buffer's local shape, and the clean
// expressions that take each tensor out of it again.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gtest_plugin/relations/placement_relation.h"

namespace assay {

// A one-dimensional tensor of the ranks: what a rank holds of each member, by the member's own
// placement, flattened one after the other and padded at the end to a multiple of the ranks that
// split it; then placed as a whole.
struct FlatBuffer {
  std::string name;
  std::vector<PlacedTensor> members;
  Placement placement;
  SourcePlace place;
};

// Elements on this rank. Throws UserError when a placement does not fit (local_shape of a placed
// tensor) or the buffer and a member are placed on the same axis.
Shape local_shape(const FlatBuffer& buffer, const Mesh& mesh, Rank rank);

// One member over BUFFER@RANK: one clean expression per set of ranks that together hold it. Throws
// UserError as local_shape does.
std::vector<CleanExpr> relation(const FlatBuffer& buffer, size_t member, const Mesh& mesh);

}  // namespace assay
