#include "shared_ir/lower/build/integers/common_operators.h"

#include <fmt/format.h>

namespace assay::lowering {
namespace {

// As text; nullopt of one that depends on sizes.
std::optional<std::string> text(const Rational& value) {
  const auto [p, q, e] = value.parts();
  if (!is_number(p) || !is_number(q)) return std::nullopt;
  return to_string(value);
}

}  // namespace

CoreId CommonOperators::first(const CoreProgram& program, CoreId id) {
  while (first_.size() <= static_cast<size_t>(id)) {
    const auto next = static_cast<CoreId>(first_.size());
    const CoreOp& op = program.ops[static_cast<size_t>(next)];
    const auto of = is_floating(op.dtype) ? std::nullopt : key(program, op);
    first_.push_back(of ? known_.try_emplace(*of, next).first->second : next);
  }
  return first_[static_cast<size_t>(id)];
}

// Operands that are no constants have the operator's shape, and are the same one's.
std::optional<std::string> CommonOperators::key(const CoreProgram& program,
                                                const CoreOp& op) const {
  if (op.prim != Prim::kMap && op.prim != Prim::kLinear && op.prim != Prim::kMul &&
      op.prim != Prim::kKeep && op.prim != Prim::kCast)
    return std::nullopt;
  std::string result =
      fmt::format("{} {} {}", static_cast<int>(op.prim), static_cast<int>(op.dtype), op.fn);
  bool constant = true;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const CoreOp& operand = program.ops[static_cast<size_t>(op.operands[i])];
    if (operand.prim == Prim::kConst) {
      const auto value = text(operand.constant);
      if (!value) return std::nullopt;
      result += fmt::format(" {}'{}'", *value, operand.fn);
    } else {
      constant = false;
      result += fmt::format(" #{}", first_[static_cast<size_t>(op.operands[i])]);
    }
    if (op.prim != Prim::kLinear) continue;
    const auto coefficient = text(op.coefs[i]);
    if (!coefficient) return std::nullopt;
    result += "*" + *coefficient;
  }
  if (constant) return std::nullopt;
  return result;
}

}  // namespace assay::lowering
