#include "shared_ir/symbolic/size_expression.h"

#include <algorithm>
#include <array>
#include <utility>

#include "shared_ir/base/lexer.h"
#include "shared_ir/symbolic/comparison.h"

namespace assay {
namespace {

using SizeKind = SymbolExpr::Kind;

constexpr int kMaxSizeDepth = 100;  // bounds the recursion on hostile input
constexpr PlainInt kMaxSizePower = 8;

constexpr std::array<std::pair<std::string_view, SizeKind>, 4> kSizeFunctions = {{
    {"FloorDiv", SizeKind::kFloorDivide},
    {"CleanDiv", SizeKind::kFloorDivide},
    {"Mod", SizeKind::kRemainder},
    {"PythonMod", SizeKind::kRemainder},
}};

constexpr Language kSizes{.name = {}, .says_found = true};

class SizeParser {
 public:
  SizeParser(std::string_view text, const SourcePlace& place) : lexer_(kSizes, text, place) {}

  SymbolExpr size() {
    SymbolExpr result = sum(0);
    lexer_.expect_end("expected an operator");
    return result;
  }

  std::vector<SizeComparison> comparisons() {
    std::vector<SizeComparison> result;
    SymbolExpr left = sum(0);
    do {
      const std::string_view sign = comparison();
      SymbolExpr right = sum(0);
      const bool swapped = sign[0] == '>';
      result.push_back({kind_of(sign), swapped ? right : left, swapped ? std::move(left) : right});
      left = std::move(right);
    } while (!lexer_.at_end());
    return result;
  }

 private:
  std::string_view comparison() {
    for (const std::string_view sign : {"==", "!=", "<=", ">=", "<", ">"})
      if (lexer_.accept(sign)) return sign;
    lexer_.fail("expected a comparison");
  }
  static SizeComparison::Kind kind_of(std::string_view sign) {
    if (sign == "==") return SizeComparison::Kind::kEqual;
    if (sign == "!=") return SizeComparison::Kind::kNotEqual;
    return sign.size() == 2 ? SizeComparison::Kind::kLessEqual : SizeComparison::Kind::kLess;
  }

  static SymbolExpr make(SizeKind kind, SymbolExpr left, SymbolExpr right) {
    SymbolExpr result;
    result.kind = kind;
    result.operands.push_back(std::move(left));
    result.operands.push_back(std::move(right));
    return result;
  }
  static SymbolExpr literal(PlainInt value) {
    SymbolExpr result;
    result.number = value;
    return result;
  }

  SymbolExpr sum(int depth) {
    if (depth > kMaxSizeDepth) lexer_.fail("the expression is nested too deeply");
    SymbolExpr result = product(depth);
    for (;;) {
      const bool plus = lexer_.accept("+");
      if (!plus && !lexer_.accept("-")) return result;
      result = make(plus ? SizeKind::kAdd : SizeKind::kSubtract, std::move(result), product(depth));
    }
  }

  SymbolExpr product(int depth) {
    SymbolExpr result = factor(depth);
    for (;;) {
      SizeKind kind = SizeKind::kMultiply;
      if (lexer_.accept("//") || lexer_.accept("/")) {
        kind = SizeKind::kFloorDivide;
      } else if (lexer_.accept("%")) {
        kind = SizeKind::kRemainder;
      } else if (!lexer_.accept("*")) {
        return result;
      }
      result = make(kind, std::move(result), factor(depth));
    }
  }

  SymbolExpr factor(int depth) {
    if (depth > kMaxSizeDepth) lexer_.fail("the expression is nested too deeply");
    if (lexer_.accept("-")) return make(SizeKind::kSubtract, literal(0), factor(depth + 1));
    const SymbolExpr base = atom(depth);
    if (!lexer_.accept("**")) return base;
    const auto power = lexer_.integer(1, kMaxSizePower);
    if (!power) lexer_.fail("expected a power from 1 to " + std::to_string(kMaxSizePower));
    SymbolExpr result = base;
    for (PlainInt i = 1; i < *power; ++i)
      result = make(SizeKind::kMultiply, std::move(result), base);
    return result;
  }

  SymbolExpr atom(int depth) {
    if (lexer_.accept("(")) {
      SymbolExpr result = sum(depth + 1);
      lexer_.expect(")");
      return result;
    }
    if (const auto number = lexer_.integer()) return literal(*number);
    if (lexer_.starts_with_digit()) lexer_.fail("expected a number of 64 bits");
    const std::string_view name = lexer_.word();
    if (name.empty()) lexer_.fail("expected a symbol or a number");
    const auto function = std::find_if(kSizeFunctions.begin(), kSizeFunctions.end(),
                                       [&](const auto& one) { return one.first == name; });
    if (function != kSizeFunctions.end() && lexer_.accept("(")) {
      SymbolExpr left = sum(depth + 1);
      lexer_.expect(",");
      SymbolExpr right = sum(depth + 1);
      lexer_.expect(")");
      return make(function->second, std::move(left), std::move(right));
    }
    SymbolExpr result;
    result.kind = SizeKind::kSymbol;
    result.name = name;
    return result;
  }

  Lexer lexer_;
};

}  // namespace

bool is_symbol_name(std::string_view text) {
  return !text.empty() && !is_digit(text[0]) &&
         text.find_first_not_of(kInWords) == std::string_view::npos;
}

SymbolExpr parse_size(std::string_view text, const SourcePlace& place) {
  return SizeParser(text, place).size();
}

Constraint parse_constraint(std::string_view text, const SourcePlace& place) {
  return {std::string(text), place, SizeParser(text, place).comparisons()};
}

Int evaluate(const SymbolExpr& expr, const SymbolValues& values, const SourcePlace& place) {
  if (expr.kind == SizeKind::kNumber) return expr.number;
  if (expr.kind == SizeKind::kSymbol) {
    const auto found = values.find(expr.name);
    if (found == values.end()) {
      throw UserError(place, "symbol '" + expr.name + "' is not defined",
                      "say in [symbols] of case.toml which values it has: " + expr.name + " = [\"" +
                          expr.name + " >= 2\"]");
    }
    return found->second;
  }
  const Int a = evaluate(expr.operands[0], values, place);
  const Int b = evaluate(expr.operands[1], values, place);
  Int result = 0;
  bool overflow = false;
  switch (expr.kind) {
    case SizeKind::kNumber:
    case SizeKind::kSymbol:
      break;
    case SizeKind::kAdd:
      overflow = add_overflow(a, b, &result);
      break;
    case SizeKind::kSubtract:
      overflow = mul_overflow(b, -1, &result) || add_overflow(a, result, &result);
      break;
    case SizeKind::kMultiply:
      overflow = mul_overflow(a, b, &result);
      break;
    case SizeKind::kFloorDivide:
    case SizeKind::kRemainder:
      if (b == 0) throw UserError(place, "division by zero in a size");
      if (mul_overflow(a, -1, &result)) overflow = true;  // the smallest number by -1
      if (overflow) break;
      result = floor_divide(a, b);
      if (expr.kind == SizeKind::kRemainder) result = a - result * b;
      break;
  }
  if (overflow) throw UserError(place, "a size does not fit 64 bits");
  return result;
}

bool holds(const Constraint& constraint, const SymbolValues& values) {
  return std::all_of(constraint.comparisons.begin(), constraint.comparisons.end(),
                     [&](const SizeComparison& comparison) {
                       const Int a = evaluate(comparison.left, values, constraint.place);
                       const Int b = evaluate(comparison.right, values, constraint.place);
                       return compare(comparison.kind, a, b);
                     });
}

Int evaluate_size(std::string_view text, const SymbolValues& values, const SourcePlace& place) {
  return evaluate(parse_size(text, place), values, place);
}

}  // namespace assay
