#include "shared_ir/memory/moved_operands.h"

namespace assay::memory {

using lowering::Builder;
using lowering::Context;

std::vector<std::optional<MovedOperand>> moved_operands(const Context& context,
                                                        const OperatorDeclaration& declaration,
                                                        const lowering::Recorded& recorded,
                                                        const std::vector<CoreId>& values) {
  // On inputs in place of the operands: a movement of a constant is a constant, which does not
  // tell.
  const std::vector<TensorId> operands = operands_of(*context.site.node);
  Builder builder(operands.size());
  std::vector<CoreId> inputs(values.size(), kNone);
  for (const TensorId operand : operands)
    inputs[operand] = builder.input(operand, context.builder.dtype(values[operand]),
                                    context.builder.shape(values[operand]));
  Context alone{builder, context.groups, context.rank, context.site, nullptr, {}};
  std::vector<std::optional<MovedOperand>> result(recorded.returns.size());
  lowering::Results results;
  try {
    results = declared_results(alone, declaration, recorded, inputs);
  } catch (const lowering::Unsupported&) {
    return result;
  }
  for (size_t i = 0; i < result.size(); ++i) {
    if (results.returns[i] == kNone) continue;
    const CoreId from = moved_from(builder, results.returns[i]);
    const CoreOp& source = builder.op(from);
    if (source.prim == Prim::kInput)
      result[i] = {source.tensor, *movements_between(builder, from, results.returns[i])};
  }
  return result;
}

}  // namespace assay::memory
