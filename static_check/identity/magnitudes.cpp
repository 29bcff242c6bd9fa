#include "static_check/identity/magnitudes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "shared_ir/cast.h"

namespace assay::identity {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

// Bounds of the absolute values, rounded up by less than they are held apart from the range.
class Magnitudes {
 public:
  explicit Magnitudes(const CoreProgram& program) : program_(program) {
    for (const CoreOp& op : program.ops) {
      double magnitude = is_integer(op.dtype) ? of(op) : kUnknown;
      if (is_bool(op.dtype)) magnitude = 1;
      if (magnitude > limit(op.dtype)) magnitude = kUnknown;
      magnitudes_.push_back(magnitude);
    }
  }

  bool known(size_t op) const { return std::isfinite(magnitudes_[op]); }

 private:
  // Unsigned ones have no negatives.
  static double limit(DType dtype) {
    if (!is_integer(dtype)) return 1;
    const auto [least, greatest] = integer_range(dtype);
    return least == 0 ? -1 : static_cast<double>(greatest) / 2;
  }

  double operand(const CoreOp& op, size_t i) const {
    return magnitudes_[static_cast<size_t>(op.operands[i])];
  }

  double greatest_operand(const CoreOp& op) const {
    double greatest = 0;
    for (size_t i = 0; i < op.operands.size(); ++i) greatest = std::max(greatest, operand(op, i));
    return greatest;
  }

  double of(const CoreOp& op) const {
    switch (op.prim) {
      case Prim::kConst:
        return op.fn.empty() ? std::abs(op.constant.to_double()) : kUnknown;
      case Prim::kIota:
        return static_cast<double>(element_count(op.shape));
      case Prim::kOneHot:
        return 1;
      case Prim::kPermute:
      case Prim::kReshape:
      case Prim::kExpand:
      case Prim::kSlice:
      case Prim::kCat:
      case Prim::kReduceMax:
      case Prim::kReduceMin:
        return greatest_operand(op);
      case Prim::kKeep:
        return operand(op, 1);
      case Prim::kCast:
        return operand(op, 0);
      case Prim::kMul:
        return operand(op, 0) * operand(op, 1);
      case Prim::kLinear: {
        double sum = 0;
        for (size_t i = 0; i < op.operands.size(); ++i)
          sum += std::abs(op.coefs[i].to_double()) * operand(op, i);
        return sum;
      }
      case Prim::kReduceSum: {
        const auto results = static_cast<double>(std::max<int64_t>(element_count(op.shape), 1));
        const CoreOp& summed = program_.ops[static_cast<size_t>(op.operands[0])];
        return operand(op, 0) * static_cast<double>(element_count(summed.shape)) / results;
      }
      default:
        return kUnknown;  // of a collective, too: it holds what other ranks have
    }
  }

  const CoreProgram& program_;
  std::vector<double> magnitudes_;
};

}  // namespace

std::vector<bool> stay_in_range(const CoreProgram& program) {
  const Magnitudes magnitudes(program);
  std::vector<bool> result(program.ops.size());
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = is_integer(program.ops[i].dtype) && magnitudes.known(i);
  for (const CoreId id : program.unwrapped) result[static_cast<size_t>(id)] = true;
  return result;
}

}  // namespace assay::identity
