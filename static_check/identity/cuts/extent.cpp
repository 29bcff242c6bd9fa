#include "static_check/identity/cuts/extent.h"

#include <algorithm>
#include <string_view>

#include "shared_ir/reference/element_functions.h"
#include "static_check/identity/cuts/total_functions.h"

namespace assay::identity {
namespace {

constexpr std::string_view kOfOrders[] = {"eq", "ne", "lt", "le", "gt", "ge"};

// Of a function of elements whose operands are no more than minus infinity or numbers.
Extent of_map(const std::string& fn, Extent operands) {
  const auto function = reference::parse_function_name(fn);
  if (operands >= Extent::kNumber)
    return is_total(fn) || is_defined_for_positive(fn) ? operands : Extent::kUnknown;
  if (function.name == "exp" || std::ranges::count(kOfOrders, function.name) > 0)
    return Extent::kNumber;
  if (function.name == "clamp" && function.text(0) != "none") return Extent::kNumber;
  if (function.name == "maximum" || function.name == "minimum") return operands;
  return Extent::kUnknown;
}

Extent extent_of(const CoreOp& op, const std::vector<Extent>& known) {
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
      return of_map(op.fn, operands);
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
  std::vector<Extent> known;
  for (const CoreOp& op : program.ops) known.push_back(extent_of(op, known));
  return known;
}

}  // namespace assay::identity
