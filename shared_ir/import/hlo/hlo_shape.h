// Shapes of HLO: "f32[2,3]{1,0}", tuples "(f32[2], s32[])".
#pragma once

#include <string>
#include <vector>

#include "shared_ir/graph.h"
#include "shared_ir/import/hlo/hlo_text.h"

namespace assay::hlo {

struct TypedShape {
  bool is_tuple = false;
  DType dtype = DType::kFloat32;
  Shape sizes;
  std::vector<int64_t> minor_to_major;  // the layout; row-major where the text gives none
  std::string tiling;  // "T(8,128)": how the layout cuts memory into tiles; empty where it does not
  std::vector<TypedShape> elements;  // of a tuple

  bool is_row_major() const;
  // Whether the elements lie in memory as those of `other`, of as many elements: the layouts' tiles
  // are the same, and the shapes but for leading sizes of 1. Of shapes without tiles: true.
  bool tiled_like(const TypedShape& other) const;
  // Layouts are no part of a type.
  bool same_type(const TypedShape& other) const;
};

// Throws UserError for element types that DType lacks, dynamic sizes, more than 2^60 elements, and
// layouts that do not name each dimension once.
TypedShape read_shape(Cursor& cursor);

// "f32[2,3]", "(f32[2], s32[])"; without layouts.
std::string to_string(const TypedShape& shape);

}  // namespace assay::hlo
