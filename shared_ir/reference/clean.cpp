#include <algorithm>

#include "shared_ir/reference/index.h"
#include "shared_ir/reference/reference.h"

namespace assay {
namespace {

using namespace reference;

class CleanEvaluator {
 public:
  explicit CleanEvaluator(const std::function<ReferenceTensor(const std::string&, Rank)>& leaf)
      : leaf_(leaf) {}

  ReferenceTensor evaluate(const CleanExpr& expr) {
    if (expr.kind == CleanExpr::Kind::kTensor) return leaf_(expr.name, expr.rank);
    std::vector<ReferenceTensor> operands;
    for (const CleanExpr& operand : expr.operands) operands.push_back(evaluate(operand));
    ReferenceTensor out;
    out.shape = shape_of(expr, operands);
    out.values.assign(count_of(out.shape), 0.0);
    fill(expr, operands, out);
    return out;
  }

 private:
  // Checks that the operands fit by the rules of infer_shape, on stand-ins of the operands' shapes.
  static Shape shape_of(const CleanExpr& expr, const std::vector<ReferenceTensor>& operands) {
    CleanExpr flat = expr;
    for (size_t i = 0; i < flat.operands.size(); ++i) {
      flat.operands[i] = CleanExpr{};
      flat.operands[i].name = std::to_string(i);
    }
    return infer_shape(
        flat, [&](const std::string& name, Rank) { return operands[std::stoul(name)].shape; }, {});
  }

  // Writes x into `out`, shifted along `dim`.
  static void place(const ReferenceTensor& x, ReferenceTensor& out, int64_t dim, int64_t start) {
    std::vector<int64_t> strides = strides_of(out.shape);
    size_t i = 0;
    for_each_coordinate(x.shape, [&](const auto& at) {
      out.values[address(at, strides) + start * strides[dim]] = x.values[i++];
    });
  }

  static void fill(const CleanExpr& expr, const std::vector<ReferenceTensor>& operands,
                   ReferenceTensor& out) {
    const ReferenceTensor& x = operands[0];
    switch (expr.kind) {
      case CleanExpr::Kind::kTensor:
        break;
      case CleanExpr::Kind::kConcat: {
        int64_t start = 0;
        for (const ReferenceTensor& piece : operands) {
          place(piece, out, expr.dim, start);
          start += piece.shape[expr.dim];
        }
        break;
      }
      case CleanExpr::Kind::kSlice: {
        std::vector<int64_t> strides = strides_of(x.shape);
        size_t i = 0;
        for_each_coordinate(out.shape, [&](const auto& at) {
          out.values[i++] = x.values[address(at, strides) + expr.start * strides[expr.dim]];
        });
        break;
      }
      case CleanExpr::Kind::kSum:
        for (const ReferenceTensor& operand : operands)
          for (size_t i = 0; i < out.values.size(); ++i) out.values[i] += operand.values[i];
        break;
      case CleanExpr::Kind::kPermute: {
        std::vector<int64_t> own = strides_of(x.shape), strides;
        for (int64_t dim : expr.dims) strides.push_back(own[dim]);
        size_t i = 0;
        for_each_coordinate(
            out.shape, [&](const auto& at) { out.values[i++] = x.values[address(at, strides)]; });
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
          out.values[i] = x.values[i] * static_cast<double>(expr.numerator) /
                          static_cast<double>(expr.denominator);
        break;
    }
  }

  const std::function<ReferenceTensor(const std::string&, Rank)>& leaf_;
};

}  // namespace

ReferenceTensor evaluate(const CleanExpr& expr,
                         const std::function<ReferenceTensor(const std::string&, Rank)>& leaf) {
  return CleanEvaluator(leaf).evaluate(expr);
}

}  // namespace assay
