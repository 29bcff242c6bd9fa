#include "shared_ir/lower/build/bounds/reached_infinities.h"

#include <algorithm>

namespace assay::lowering {

bool ReachedInfinities::at(const CoreProgram& program, CoreId id) {
  while (known_.size() <= static_cast<size_t>(id))
    known_.push_back(compute(program.ops[known_.size()]));
  return known_[static_cast<size_t>(id)];
}

bool ReachedInfinities::compute(const CoreOp& op) const {
  if (!is_floating(op.dtype)) return false;
  const bool any = std::ranges::any_of(
      op.operands, [this](CoreId operand) { return known_[static_cast<size_t>(operand)]; });
  if (is_movement(op.prim)) return any;
  switch (op.prim) {
    case Prim::kConst:
      return op.fn == "inf" || op.fn == "-inf";
    case Prim::kCat:
    case Prim::kLinear:
    case Prim::kMul:
    case Prim::kKeep:
    case Prim::kCast:
    case Prim::kReduceSum:
    case Prim::kReduceMax:
    case Prim::kReduceMin:
    case Prim::kCollective:
      return any;
    default:
      return false;
  }
}

}  // namespace assay::lowering
