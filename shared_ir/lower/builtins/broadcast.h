// Operands of element-wise operators made alike, as PyTorch does: broadcast to one shape, promoted
// to one dtype.
#pragma once

#include <vector>

#include "shared_ir/lower/builtins/call.h"

namespace assay::lowering {

// The shape that all broadcast to (aligned at the last dimension, size 1 repeats). Fails when they
// do not fit.
Shape broadcast_shape(const Call& call, const std::vector<Shape>& shapes);

// x with leading dimensions added and size 1 repeated. The caller knows that it fits.
CoreId broadcast_to(Builder& builder, CoreId x, const Shape& shape);

struct AlikeOperands {
  std::vector<CoreId> ids;
  DType dtype;
};

// The number in argument i as a constant; integers exactly, whatever their size.
CoreId constant_of_number(Call& call, size_t i, DType dtype, const Shape& shape);

// Arguments first, first + 1, ... (tensors or numbers, at least one tensor) in one shape and dtype.
// `floating`: integers and flags become float32, as for exp.
AlikeOperands alike_operands(Call& call, size_t first, bool floating = false);

// The dtype of that alone.
DType promoted_dtype(Call& call, size_t first);

}  // namespace assay::lowering
