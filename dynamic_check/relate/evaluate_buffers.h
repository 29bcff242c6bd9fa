// Clean expressions on memory as it is. Needs no LibTorch.
#pragma once

#include <map>
#include <optional>
#include <span>

#include "dynamic_check/buffers/buffers.h"
#include "dynamic_check/relate/rank_tensor_name.h"
#include "shared_ir/clean_expr.h"

namespace assay {

// None where a rank's tensor was not recorded.
using LeafBuffers = std::map<RankTensorName, std::optional<StridedBuffer>>;

// The value of an expression whose leaves are all there, and whose shapes fit: infer_shape() finds
// one. It is a view of a leaf where it can be.
StridedBuffer evaluate_buffers(const CleanExpr& expr, const LeafBuffers& leaves);

// One step of it, on the values of its operands. Not of a leaf.
StridedBuffer evaluate_step(const CleanExpr& expr, std::span<const StridedBuffer> operands);

}  // namespace assay
