// Clean expressions over whatever is a tensor.
#pragma once

#include <span>
#include <vector>

#include "shared_ir/base/error.h"
#include "shared_ir/clean_expr.h"

namespace assay {

// One step of an expression, not a leaf, on the values of its operands. What a tensor is, and where
// the shapes are known to fit:
//
//   type Tensor;
//   Tensor concat(std::span<const Tensor>, Int dim), sum(std::span<const Tensor>);
//   Tensor slice(x, Int dim, Int start, Int size), permute(x, std::vector<Int> dims);
//   Tensor reshape(x, Shape), pad(x, Int dim, Int before, Int after);
//   Tensor scale(x, Int numerator, Int denominator);
template <class Tensors>
typename Tensors::Tensor clean_step(const Tensors& tensors, const CleanExpr& expr,
                                    std::span<const typename Tensors::Tensor> operands) {
  const typename Tensors::Tensor& x = operands.front();
  switch (expr.kind) {
    case CleanExpr::Kind::kTensor:
      break;
    case CleanExpr::Kind::kConcat:
      return tensors.concat(operands, expr.dim);
    case CleanExpr::Kind::kSlice:
      return tensors.slice(x, expr.dim, expr.start, expr.end - expr.start);
    case CleanExpr::Kind::kSum:
      return tensors.sum(operands);
    case CleanExpr::Kind::kPermute:
      return tensors.permute(x, expr.dims);
    case CleanExpr::Kind::kReshape:
      return tensors.reshape(x, expr.dims);
    case CleanExpr::Kind::kPad:
      return tensors.pad(x, expr.dim, expr.start, expr.end);
    case CleanExpr::Kind::kScale:
      return tensors.scale(x, expr.numerator, expr.denominator);
  }
  throw InternalError("a clean expression of unknown kind");
}

// The value of an expression. `leaf(name, rank)` is the value of a tensor.
template <class Tensors, class Leaf>
typename Tensors::Tensor clean_value(const Tensors& tensors, const CleanExpr& expr,
                                     const Leaf& leaf) {
  if (expr.kind == CleanExpr::Kind::kTensor) return leaf(expr.name, expr.rank);
  std::vector<typename Tensors::Tensor> operands;
  for (const CleanExpr& operand : expr.operands)
    operands.push_back(clean_value(tensors, operand, leaf));
  return clean_step<Tensors>(tensors, expr, operands);
}

}  // namespace assay
