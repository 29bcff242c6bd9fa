// Where the elements of a tensor lie: offset and strides, and what follows from them.
#pragma once

#include <optional>
#include <vector>

#include "shared_ir/memory/moved_views.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::memory {

// Element [i, j, ...] lies at offset + i * strides[0] + j * strides[1] + ...
struct Strided {
  Int offset = 0;
  Shape sizes;
  std::vector<Int> strides;
};

// Row-major, from offset 0 on.
Strided row_major(const Shape& sizes);

// Whether the elements lie row-major, without gaps; strides of dimensions of size 1 do not matter.
bool is_row_major(const Strided& layout);

// Where the elements of the view lie; nullopt where a reshape needs a copy.
std::optional<Strided> moved(Strided layout, const Movements& movements);

// The movements that give `layout` of a row-major tensor of shape `base`; nullopt where slices and
// reshapes do not, or an element lies outside.
std::optional<Movements> movements_to(const Strided& layout, const Shape& base);

// Whether two elements may lie at one place.
bool may_overlap_itself(const Strided& layout);

// Whether element by element the same places.
bool are_same(const Strided& a, const Strided& b);

// Whether no place is an element of both, as far as this can tell.
bool are_apart(const Strided& a, const Strided& b);

}  // namespace assay::memory
