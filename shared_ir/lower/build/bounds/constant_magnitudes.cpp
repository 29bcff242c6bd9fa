#include "shared_ir/lower/build/bounds/constant_magnitudes.h"

#include <algorithm>
#include <cmath>

#include "shared_ir/lower/build/bounds/integer_bounds.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

double count_of(const Shape& sizes) {
  double count = 1;
  for (const Int size : sizes)
    count *= is_number(size) ? static_cast<double>(size) : kLargestOpenSize;
  return count;
}

}  // namespace

std::optional<double> ConstantMagnitudes::of(const CoreProgram& program, CoreId id) {
  while (known_.size() <= static_cast<size_t>(id))
    known_.push_back(compute(program, program.ops[known_.size()]));
  return known_[static_cast<size_t>(id)];
}

std::optional<double> ConstantMagnitudes::compute(const CoreProgram& program,
                                                  const CoreOp& op) const {
  std::vector<double> of;
  for (const CoreId operand : op.operands) {
    const auto& one = known_[static_cast<size_t>(operand)];
    if (!one) return std::nullopt;
    of.push_back(*one);
  }
  const double largest = of.empty() ? 0 : *std::max_element(of.begin(), of.end());
  if (is_movement(op.prim)) return largest;
  switch (op.prim) {
    case Prim::kConst:
      return op.fn.empty() ? std::abs(op.constant.to_double()) : 0;
    case Prim::kIota:
      return count_of(op.shape);
    case Prim::kCat:
    case Prim::kKeep:
    case Prim::kCast:
    case Prim::kReduceMax:
    case Prim::kReduceMin:
      return largest;
    case Prim::kLinear: {
      double sum = 0;
      for (size_t i = 0; i < of.size(); ++i) sum += std::abs(op.coefs[i].to_double()) * of[i];
      return sum;
    }
    case Prim::kMul:
      return of[0] * of[1];
    case Prim::kReduceSum: {
      const Shape& from = program.ops[static_cast<size_t>(op.operands[0])].shape;
      Shape summed;
      for (const Int dim : op.ints) summed.push_back(from[static_cast<size_t>(dim)]);
      return count_of(summed) * largest;
    }
    case Prim::kOneHot:
      return 1;
    case Prim::kMap:  // rounded, or flags
      if (op.fn.starts_with("cast(")) return largest;
      return is_bool(op.dtype) ? std::optional(1.0) : std::nullopt;
    case Prim::kBlock:  // running sums
      return op.fn.starts_with("cumsum") ? std::optional(count_of(op.shape) * largest)
                                         : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace assay::lowering
