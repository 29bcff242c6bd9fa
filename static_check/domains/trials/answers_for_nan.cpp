#include "static_check/domains/trials/answers_for_nan.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "shared_ir/reference/element_functions.h"

namespace assay {
namespace {

// Of NaN, and of an infinity.
constexpr std::string_view kAsk[] = {
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "isinf",
    "isnan",
    "and",
    "or",
    "xor",
    "not",
    "sign",
    "argmax",
    "argmin",
    "argsort",
    "sort",
    "median",
    "pow",
    "relu",
    "clamp",
    "cast",
    "cummax",
    "cummin",
    "prod",
    "elu_slope",
    "hardswish",
    "leaky_relu",
    "hardsigmoid",
    "cummax_places",
    "exp",
    "exp2",
    "expm1",
    "reciprocal",
    "sigmoid",
    "sigmoid_slope",
    "tanh",
    "erf",
    "erfc",
    "atan",
    "atan2",
    "softplus",
    "rsqrt",
    "safe_softmax",
    "maximum",
    "minimum",
    "masked_scatter",
    "cummin_places",
};

bool asks(const CoreProgram& program, const CoreOp& op) {
  if (op.prim == Prim::kCast) {
    const CoreOp& of = program.ops[static_cast<size_t>(op.operands[0])];
    return is_floating(of.dtype) && !is_floating(op.dtype);
  }
  if (op.prim != Prim::kMap && op.prim != Prim::kBlock) return false;
  const auto name = reference::parse_function_name(op.fn).name;
  return std::ranges::find(kAsk, name) != std::end(kAsk);
}

}  // namespace

bool may_be_asked(const std::vector<CoreProgram>& programs,
                  const std::vector<std::set<CoreId>>& undefined) {
  // What a rank receives may be any of what was sent.
  bool sent = false;
  for (bool again = true; again;) {
    again = false;
    for (size_t r = 0; r < programs.size(); ++r) {
      const CoreProgram& program = programs[r];
      std::vector<bool> made_of(program.ops.size());
      for (size_t id = 0; id < program.ops.size(); ++id) {
        const CoreOp& op = program.ops[id];
        const bool read = std::ranges::any_of(
            op.operands, [&](CoreId operand) { return made_of[static_cast<size_t>(operand)]; });
        if (read && asks(program, op)) return true;
        const bool meets = op.prim == Prim::kCollective;
        made_of[id] = read || (meets && sent) || undefined[r].contains(static_cast<CoreId>(id));
        if (meets && read && !sent) sent = again = true;
      }
    }
  }
  return false;
}

}  // namespace assay
