// How a view is made of the value it is a view of: movements that core programs have, one after the
// other. They are replayed on a value that a write has changed, and undone to put what was written
// through a view back where it belongs.
#pragma once

#include <optional>
#include <vector>

#include "shared_ir/lower/build/builder.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::memory {

struct Movement {
  Prim prim;              // kPermute, kReshape, kExpand or kSlice
  std::vector<Int> ints;  // as CoreOp::ints
  Shape from, to;
  bool operator==(const Movement&) const = default;
};
using Movements = std::vector<Movement>;  // the one next to the base first

// Whether an element of the base comes several times.
bool repeats(const Movements& movements);

// The movements from core operator `from` to `to` of one program; nullopt where anything else
// happens on the way, or the way does not lead there.
std::optional<Movements> movements_between(const lowering::Builder& builder, CoreId from,
                                           CoreId to);

// The core operator that `value` is a view of by movements alone; `value` itself where it is none.
CoreId moved_from(const lowering::Builder& builder, CoreId value);

// The view of `base`.
CoreId replay(lowering::Builder& builder, CoreId base, const Movements& movements);

// `base` with `written` in place of the view's elements; nullopt where an element of the base would
// be written more than once, or the view is cut into too many pieces.
std::optional<CoreId> undo(lowering::Builder& builder, CoreId base, const Movements& movements,
                           CoreId written);

}  // namespace assay::memory
