// The algebra of layouts (proof.h): how a view of an atom changes under movement. Coalescing and
// its conditions follow CuTe's layout algebra (cutlass, media/docs/cpp/cute/02_layout_algebra.md).
// Every function returns canonical layouts.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "shared_ir/proof/proof.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

// Drops modes of size 1 and joins neighbours (a, t*s)(t, s) into (a*t, s). Outer to inner.
void coalesce(Modes& modes);

// Row-major view of a whole atom of that shape.
Layout row_major(const Shape& shape);

// All strides 0: every element of a tensor of that shape is the atom's element `offset`.
Layout broadcast(const Shape& shape, Int offset = 0);

// Product of the mode sizes: the extent of a dimension (1 when there are none).
Int extent(const Modes& modes);

// Address of coordinate x of one dimension, without the layout's offset.
Int address(const Modes& modes, Int x);

// Smallest and largest address of any element (strides are never negative).
Int last_address(const Layout& layout);

// Whether different elements have different addresses, and whether no element of one layout has the
// address of an element of the other. Decided digit by digit: false may also mean that the digits
// do not nest.
bool is_injective(const Layout& layout);
bool disjoint(const Layout& a, const Layout& b);

// Whether every address of `some` is one of `all`. Decided digit by digit: false may also mean that
// the digits do not nest.
bool covers(const Layout& all, const Layout& some);

// What a sum over `dims` leaves of a shape and of a view that does not vary along them.
bool contains(std::span<const Int> dims, size_t dim);
Shape drop_dims(const Shape& shape, std::span<const Int> dims);
Layout drop_dims(const Layout& layout, std::span<const Int> dims);
// Whether elements along `dims` have different addresses.
bool varies(const Layout& layout, std::span<const Int> dims);

// Positions strictly inside (start, start + count) where the range must be cut so that every piece
// is a layout of its own. step: distance of neighbours, in the dimension's coordinates; count:
// elements taken.
std::vector<Int> slice_cuts(const Modes& modes, Int start, Int count);

// Coordinates start .. start + count - 1 of dimension `dim`, in place; precondition:
// slice_cuts(...) is empty.
void slice(Layout& layout, Int dim, Int start, Int count);

// Every step-th coordinate of `dim`, count of them, from coordinate 0; nullopt when no layout
// expresses it.
std::optional<Layout> stride_by(const Layout& layout, Int dim, Int step, Int count);

Layout permute(const Layout& layout, std::span<const Int> dims);

// Row-major regrouping of the digits; nullopt when a new dimension would cut a digit unevenly.
std::optional<Layout> reshape(const Layout& layout, const Shape& shape);

// Dimension `dim` (extent 1) repeated `size` times, in place.
void expand(Layout& layout, Int dim, Int size);

// One layout whose dimension `dim` is `first` followed by `second`, if there is one. The other
// dimensions must agree.
std::optional<Layout> join(const Layout& first, Int first_size, const Layout& second,
                           Int second_size, Int dim);

// Splits the digits of one dimension, seen through several layouts at once, into digits that all of
// them share: result[i] is operand i's modes with the same sizes for every i. nullopt when the
// radices do not nest.
std::optional<std::vector<Modes>> common_digits(std::span<const Modes* const> operands);

}  // namespace assay
