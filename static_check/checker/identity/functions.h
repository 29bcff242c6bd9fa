// kMap and kBlock by name.
#pragma once

#include <span>

#include "shared_ir/reference/element_functions.h"
#include "static_check/checker/identity/algebra.h"

namespace assay::checker::identity {

// One use of a function: its whole name with attributes and types, and the type of its result.
struct Use {
  const std::string& text;
  reference::FunctionName fn;
  Type type;
};

// The function of the elements at one place.
Number map(Algebra& algebra, const Use& use, std::span<const Number> of);

using NumberBlock = reference::TensorOf<Number>;

// Fills `out`, whose shape is set.
void block(Algebra& algebra, const Use& use, std::span<const NumberBlock> of, NumberBlock& out);

// A function of all operands as wholes, of which nothing is known.
void unknown_block(Algebra& algebra, const Use& use, std::span<const NumberBlock> of,
                   NumberBlock& out);

}  // namespace assay::checker::identity
