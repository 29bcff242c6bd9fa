#include "shared_ir/symbolic/expression.h"
#include "shared_ir/symbolic/comparison.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

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

bool is_word_of_size(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class SizeParser {
 public:
  SizeParser(std::string_view text, const SourcePlace& place) : text_(text), place_(place) {}

  SymbolExpr size() {
    SymbolExpr result = sum(0);
    if (!at_end()) fail("expected an operator");
    return result;
  }

  Constraint constraint() {
    Constraint result{std::string(text_), place_, {}};
    SymbolExpr left = sum(0);
    do {
      const std::string_view sign = comparison();
      SymbolExpr right = sum(0);
      const bool swapped = sign[0] == '>';
      result.comparisons.push_back(
          {kind_of(sign), swapped ? right : left, swapped ? std::move(left) : right});
      left = std::move(right);
    } while (!at_end());
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    SourcePlace place = place_;
    place.line = std::max(place.line, PlainInt{1});
    place.column = std::max(place.column, PlainInt{1}) + static_cast<PlainInt>(at_);
    const std::string found =
        at_ < text_.size() ? "'" + std::string(1, text_[at_]) + "'" : "the end";
    throw UserError(place, expected + ", found " + found + " in \"" + std::string(text_) + "\"");
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }
  bool accept(std::string_view token) {
    skip_space();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail("expected '" + std::string(token) + "'");
  }

  std::string_view comparison() {
    for (const std::string_view sign : {"==", "!=", "<=", ">=", "<", ">"})
      if (accept(sign)) return sign;
    fail("expected a comparison");
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
    if (depth > kMaxSizeDepth) fail("the expression is nested too deeply");
    SymbolExpr result = product(depth);
    for (;;) {
      const bool plus = accept("+");
      if (!plus && !accept("-")) return result;
      result = make(plus ? SizeKind::kAdd : SizeKind::kSubtract, std::move(result), product(depth));
    }
  }

  SymbolExpr product(int depth) {
    SymbolExpr result = factor(depth);
    for (;;) {
      SizeKind kind = SizeKind::kMultiply;
      if (accept("//") || accept("/")) {
        kind = SizeKind::kFloorDivide;
      } else if (accept("%")) {
        kind = SizeKind::kRemainder;
      } else if (!accept("*")) {
        return result;
      }
      result = make(kind, std::move(result), factor(depth));
    }
  }

  SymbolExpr factor(int depth) {
    if (depth > kMaxSizeDepth) fail("the expression is nested too deeply");
    if (accept("-")) return make(SizeKind::kSubtract, literal(0), factor(depth + 1));
    const SymbolExpr base = atom(depth);
    if (!accept("**")) return base;
    skip_space();
    const size_t at = at_;
    const auto power = integer();
    if (!power || *power < 1 || *power > kMaxSizePower) {
      at_ = at;
      fail("expected a power from 1 to " + std::to_string(kMaxSizePower));
    }
    SymbolExpr result = base;
    for (PlainInt i = 1; i < *power; ++i)
      result = make(SizeKind::kMultiply, std::move(result), base);
    return result;
  }

  SymbolExpr atom(int depth) {
    if (accept("(")) {
      SymbolExpr result = sum(depth + 1);
      expect(")");
      return result;
    }
    if (const auto number = integer()) return literal(*number);
    const std::string_view name = word();
    const auto function = std::find_if(kSizeFunctions.begin(), kSizeFunctions.end(),
                                       [&](const auto& one) { return one.first == name; });
    if (function != kSizeFunctions.end() && accept("(")) {
      SymbolExpr left = sum(depth + 1);
      expect(",");
      SymbolExpr right = sum(depth + 1);
      expect(")");
      return make(function->second, std::move(left), std::move(right));
    }
    SymbolExpr result;
    result.kind = SizeKind::kSymbol;
    result.name = name;
    return result;
  }

  std::optional<PlainInt> integer() {
    skip_space();
    PlainInt value = 0;
    const char* begin = text_.data() + at_;
    if (at_ == text_.size() || *begin == '-') return std::nullopt;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail("expected a number of 64 bits");
    if (error != std::errc{}) return std::nullopt;
    at_ += static_cast<size_t>(end - begin);
    return value;
  }

  std::string_view word() {
    skip_space();
    const size_t start = at_;
    while (at_ < text_.size() && is_word_of_size(text_[at_])) ++at_;
    if (at_ == start) fail("expected a symbol or a number");
    return text_.substr(start, at_ - start);
  }

  std::string_view text_;
  SourcePlace place_;
  size_t at_ = 0;
};

// Rounds down, where integer division rounds towards zero.
Int floor_divide(const Int& a, const Int& b) {
  const Int quotient = a / b;
  return (a < 0) != (b < 0) && quotient * b != a ? quotient - 1 : quotient;
}

}  // namespace

bool is_symbol_name(std::string_view text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), is_word_of_size);
}

SymbolExpr parse_size(std::string_view text, const SourcePlace& place) {
  return SizeParser(text, place).size();
}

Constraint parse_constraint(std::string_view text, const SourcePlace& place) {
  return SizeParser(text, place).constraint();
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
