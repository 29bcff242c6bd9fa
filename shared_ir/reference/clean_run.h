// Clean expressions over whatever stands for numbers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "shared_ir/clean_expr.h"
#include "shared_ir/reference/movement.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::reference {

// The value of a clean expression over an algebra:
//
//   Number zero(), add(a, b), scaled(a, Int numerator, Int denominator);
//
// `leaf(name, rank)` gives the value of a tensor. Throws UserError when shapes do not fit.
template <class Algebra>
class CleanRun {
 public:
  using Tensor = TensorOf<typename Algebra::Number>;
  using Leaf = std::function<Tensor(const std::string&, Rank)>;

  CleanRun(Algebra& algebra, const Leaf& leaf) : algebra_(algebra), leaf_(leaf) {}

  Tensor evaluate(const CleanExpr& expr) {
    if (expr.kind == CleanExpr::Kind::kTensor) return leaf_(expr.name, expr.rank);
    std::vector<Tensor> operands;
    for (const CleanExpr& operand : expr.operands) operands.push_back(evaluate(operand));
    Tensor out;
    out.shape = shape_of(expr, operands);
    out.values.assign(count_of(out.shape), algebra_.zero());
    fill(expr, operands, out);
    return out;
  }

 private:
  // Checks that the operands fit by the rules of infer_shape, on stand-ins of the operands' shapes.
  static Shape shape_of(const CleanExpr& expr, const std::vector<Tensor>& operands) {
    CleanExpr flat = expr;
    for (size_t i = 0; i < flat.operands.size(); ++i) {
      flat.operands[i] = CleanExpr{};
      flat.operands[i].name = std::to_string(i);
    }
    return infer_shape(
        flat, [&](const std::string& name, Rank) { return operands[std::stoul(name)].shape; }, {});
  }

  void fill(const CleanExpr& expr, const std::vector<Tensor>& operands, Tensor& out) {
    const Tensor& x = operands[0];
    switch (expr.kind) {
      case CleanExpr::Kind::kTensor:
        break;
      case CleanExpr::Kind::kConcat: {
        Int start = 0;
        for (const Tensor& piece : operands) {
          place(piece, out, expr.dim, start);
          start += piece.shape[expr.dim];
        }
        break;
      }
      case CleanExpr::Kind::kSlice: {
        const std::vector<Int> strides = strides_of(x.shape);
        read_strided(x, strides, expr.start * strides[expr.dim], out);
        break;
      }
      case CleanExpr::Kind::kSum:
        for (const Tensor& operand : operands)
          for (size_t i = 0; i < out.values.size(); ++i)
            out.values[i] = algebra_.add(out.values[i], operand.values[i]);
        break;
      case CleanExpr::Kind::kPermute: {
        std::vector<Int> own = strides_of(x.shape), strides;
        for (Int dim : expr.dims) strides.push_back(own[dim]);
        read_strided(x, strides, 0, out);
        break;
      }
      case CleanExpr::Kind::kReshape:
        out.values = x.values;
        break;
      case CleanExpr::Kind::kPad:
        place(x, out, expr.dim, expr.start);
        break;
      case CleanExpr::Kind::kScale:
        for (size_t i = 0; i < out.values.size(); ++i)
          out.values[i] = algebra_.scaled(x.values[i], expr.numerator, expr.denominator);
        break;
    }
  }

  Algebra& algebra_;
  const Leaf& leaf_;
};

}  // namespace assay::reference
