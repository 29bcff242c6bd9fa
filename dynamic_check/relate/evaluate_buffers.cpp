#include "dynamic_check/relate/evaluate_buffers.h"

#include <vector>

namespace assay {

StridedBuffer evaluate_buffers(const CleanExpr& expr, const LeafBuffers& leaves) {
  if (expr.kind == CleanExpr::Kind::kTensor) return *leaves.at({expr.name, expr.rank});
  std::vector<StridedBuffer> operands;
  for (const CleanExpr& operand : expr.operands)
    operands.push_back(evaluate_buffers(operand, leaves));
  return evaluate_step(expr, operands);
}

StridedBuffer evaluate_step(const CleanExpr& expr, std::span<const StridedBuffer> operands) {
  const StridedBuffer& first = operands.front();
  switch (expr.kind) {
    case CleanExpr::Kind::kTensor:
      break;
    case CleanExpr::Kind::kConcat:
      return concat(operands, expr.dim);
    case CleanExpr::Kind::kSlice:
      return narrow(first, expr.dim, expr.start, expr.end - expr.start);
    case CleanExpr::Kind::kSum:
      return sum(operands);
    case CleanExpr::Kind::kPermute:
      return permute(first, expr.dims);
    case CleanExpr::Kind::kReshape:
      return reshape(first, expr.dims);
    case CleanExpr::Kind::kPad:
      return pad(first, expr.dim, expr.start, expr.end);
    case CleanExpr::Kind::kScale:
      return scale(first, static_cast<double>(expr.numerator),
                   static_cast<double>(expr.denominator));
  }
  throw InternalError("unknown kind of clean expression");
}

}  // namespace assay
