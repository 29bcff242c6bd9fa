#include "shared_ir/clean_expr.h"

#include <algorithm>

#include "shared_ir/rational.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {
namespace {

using Kind = CleanExpr::Kind;

void print(const CleanExpr& expr, Leaves leaves, std::string* out) {
  if (expr.kind == Kind::kTensor) {
    *out += expr.name;
    if (leaves == Leaves::kDistributed) *out += "@" + std::to_string(expr.rank);
    return;
  }
  const auto number = [](const char* key, Int value) { return key + decimal(value); };
  std::string name, attributes;
  switch (expr.kind) {
    case Kind::kTensor:
      break;
    case Kind::kConcat:
      name = "concat";
      attributes = number("; dim=", expr.dim);
      break;
    case Kind::kSlice:
      name = "slice";
      attributes =
          number("; dim=", expr.dim) + number(", start=", expr.start) + number(", end=", expr.end);
      break;
    case Kind::kSum:
      name = "sum";
      break;
    case Kind::kPermute:
      name = "permute";
      attributes = "; dims=" + to_string(expr.dims);
      break;
    case Kind::kReshape:
      name = "reshape";
      attributes = "; shape=" + to_string(expr.dims);
      break;
    case Kind::kPad:
      name = "pad";
      attributes = number("; dim=", expr.dim) + number(", before=", expr.start) +
                   number(", after=", expr.end);
      break;
    case Kind::kScale:
      name = "scale";
      attributes = "; by=" + to_string(Rational(expr.numerator, expr.denominator));
      break;
  }
  *out += name + "(";
  for (size_t i = 0; i < expr.operands.size(); ++i) {
    if (i) *out += ", ";
    print(expr.operands[i], leaves, out);
  }
  *out += attributes + ")";
}

}  // namespace

std::string to_string(const CleanExpr& expr, Leaves leaves) {
  std::string text;
  print(expr, leaves, &text);
  return text;
}

void for_each_leaf(const CleanExpr& expr, const std::function<void(const CleanExpr&)>& visit) {
  if (expr.kind == CleanExpr::Kind::kTensor) visit(expr);
  for (const CleanExpr& operand : expr.operands) for_each_leaf(operand, visit);
}

bool has_kind(const CleanExpr& expr, CleanExpr::Kind kind) {
  return expr.kind == kind || std::ranges::any_of(expr.operands, [&](const CleanExpr& operand) {
           return has_kind(operand, kind);
         });
}

}  // namespace assay
