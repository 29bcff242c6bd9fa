#include "static_check/identity/cuts/extent.h"

#include <algorithm>
#include <string_view>

#include "shared_ir/reference/element_functions.h"
#include "static_check/identity/cuts/positive.h"
#include "static_check/identity/cuts/total_functions.h"

namespace assay::identity {
namespace {

constexpr std::string_view kOfOrders[] = {"eq", "ne", "lt", "le", "gt", "ge"};

// Of a function of elements whose operands are no more than minus infinity or numbers. `may_be_0`:
// as flags and counts are.
Extent of_map(const std::string& fn, Extent operands, bool may_be_0) {
  const auto function = reference::parse_function_name(fn);
  if (operands >= Extent::kNumber) {
    const bool defined = is_total(fn) || (is_defined_for_positive(fn) && !may_be_0);
    return defined ? operands : Extent::kUnknown;
  }
  if (function.name == "exp" || std::ranges::count(kOfOrders, function.name) > 0)
    return Extent::kNumber;
  if (function.name == "clamp" && function.text(0) != "none") return Extent::kNumber;
  if (function.name == "maximum" || function.name == "minimum") return operands;
  return Extent::kUnknown;
}

struct Known {
  std::vector<Extent> extents;
  std::vector<bool> of_integers;  // of nothing else: what a mask is made of
};

Extent extent_of(const CoreOp& op, const Known& all, const std::vector<bool>& positive) {
  const std::vector<Extent>& known = all.extents;
  Extent operands = Extent::kOfNumbers;
  for (const CoreId operand : op.operands)
    operands = std::min(operands, known[static_cast<size_t>(operand)]);
  switch (op.prim) {
    case Prim::kConst:
      return op.fn.empty()     ? Extent::kOfNumbers
             : op.fn == "-inf" ? Extent::kNumberOrMinusInfinity
                               : Extent::kUnknown;
    case Prim::kInput:
    case Prim::kIota:
    case Prim::kRandom:
      return Extent::kOfNumbers;
    case Prim::kOpaque:
      return op.operands.empty() ? Extent::kOfNumbers : Extent::kUnknown;
    case Prim::kUninit:
      return Extent::kUnknown;
    default:
      break;
  }
  if (operands == Extent::kUnknown) return operands;
  switch (op.prim) {
    case Prim::kMap:
      return of_map(op.fn, operands, std::ranges::any_of(op.operands, [&](CoreId operand) {
                      const auto at = static_cast<size_t>(operand);
                      return all.of_integers[at] && !positive[at];
                    }));
    case Prim::kBlock:
      return operands >= Extent::kNumber && is_total_of_blocks(op.fn) ? operands : Extent::kUnknown;
    case Prim::kReduceMax:
    case Prim::kReduceMin:
      return element_count(op.shape) > 0 ? operands : Extent::kUnknown;
    case Prim::kLinear:
      for (size_t i = 0; i < op.operands.size(); ++i)
        if (known[static_cast<size_t>(op.operands[i])] < Extent::kNumber &&
            !op.coefs[i].is_positive())
          return Extent::kUnknown;
      return operands;
    case Prim::kKeep:  // a value, or 0
    case Prim::kReduceSum:
    case Prim::kCat:
      return operands;
    default:
      return operands >= Extent::kNumber || is_movement(op.prim) ? operands : Extent::kUnknown;
  }
}

}  // namespace

std::vector<Extent> extents_of(const CoreProgram& program) {
  const std::vector<bool> positive = always_positive(program);
  Known known;
  for (const CoreOp& op : program.ops) {
    known.extents.push_back(extent_of(op, known, positive));
    known.of_integers.push_back(!is_floating(op.dtype) ||
                                (op.prim != Prim::kInput && op.prim != Prim::kRandom &&
                                 std::ranges::all_of(op.operands, [&](CoreId operand) {
                                   return known.of_integers[static_cast<size_t>(operand)];
                                 })));
  }
  return std::move(known.extents);
}

}  // namespace assay::identity
