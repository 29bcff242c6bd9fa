#include "shared_ir/proof/formula.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "shared_ir/base/lexer.h"

namespace assay {
namespace {

constexpr FormulaFunction kFunctions[] = {
    {"exp", 1, false, false, false},        {"log", 1, false, false, false},
    {"sqrt", 1, false, false, false},       {"rsqrt", 1, false, false, false},
    {"reciprocal", 1, false, false, false}, {"sin", 1, false, false, false},
    {"cos", 1, false, false, false},        {"sigmoid", 1, false, false, false},
    {"maximum", 2, false, false, false},    {"keep", 2, false, true, false},
    {"not", 1, false, true, true},          {"and", 2, false, true, true},
    {"or", 2, false, true, true},           {"sum", 1, true, false, false},
    {"max", 1, true, false, false},         {"softmax", 1, true, false, false},
    {"log_softmax", 1, true, false, false},
};

// Without copies: a long sum is nested as deeply as it is long.
Formula pair(const char* name, Formula a, Formula b) {
  std::vector<Formula> operands;
  operands.push_back(std::move(a));
  operands.push_back(std::move(b));
  return make_call(name, std::move(operands));
}

Formula negative(Formula x) {
  if (x.kind == Formula::Kind::kNumber) return make_number(-x.number);
  return make_call("mul", {make_number(-1), std::move(x)});
}

size_t leaves_of(const Formula& formula) {
  size_t leaves = formula.operands.empty() ? 1 : 0;
  for (const Formula& operand : formula.operands) leaves += leaves_of(operand);
  return leaves;
}

constexpr Language kFormulas{};

class FormulaParser {
 public:
  FormulaParser(std::string_view text, const SourcePlace& place) : lexer_(kFormulas, text, place) {}

  Formula whole() {
    Formula result = sum();
    lexer_.expect_end("expected an operator or the end");
    return result;
  }

 private:
  static constexpr int kDeepest = 64;
  static constexpr size_t kLargest = 1024;

  // Leaves are counted, also of what is written once and stands twice.
  void grow(size_t leaves) {
    leaves_ += leaves;
    if (leaves_ > kLargest)
      lexer_.fail(fmt::format("more than {} variables and numbers", kLargest));
  }

  Formula sum() {
    if (++depth_ > kDeepest) lexer_.fail("too many levels");
    Formula result = product();
    for (;;) {
      if (lexer_.accept("+"))
        result = pair("add", std::move(result), product());
      else if (lexer_.accept("-"))
        result = pair("add", std::move(result), negative(product()));
      else
        break;
    }
    --depth_;
    return result;
  }

  // One that can be written and read again: a fraction of 64 bits, or RationalOverflow.
  static Rational quotient(const Rational& a, const Rational& b) {
    const Rational result = a / b;
    return Rational(result.numerator(), result.denominator());
  }

  Formula product() {
    Formula result = factor();
    for (;;) {
      if (lexer_.accept("*")) {
        result = pair("mul", std::move(result), factor());
      } else if (lexer_.accept("/")) {
        const size_t at = lexer_.at();
        Formula divisor = factor();
        const bool numbers =
            result.kind == Formula::Kind::kNumber && divisor.kind == Formula::Kind::kNumber;
        if (numbers && divisor.number.is_zero()) lexer_.reject(at, "division by 0");
        result = numbers ? make_number(quotient(result.number, divisor.number))
                         : make_call("mul", {std::move(result),
                                             make_call("reciprocal", {std::move(divisor)})});
      } else {
        return result;
      }
    }
  }

  Formula factor() {
    if (lexer_.accept("-")) {
      if (++depth_ > kDeepest) lexer_.fail("too many levels");
      Formula result = negative(factor());
      --depth_;
      return result;
    }
    if (lexer_.accept("(")) {
      Formula result = sum();
      lexer_.expect(")");
      return result;
    }
    const size_t start = lexer_.next();
    grow(1);
    const std::string name = word("expected a formula");
    if (is_digit(name[0])) {
      const auto number = to_integer(name);
      if (!number) lexer_.reject(start, "not an integer");
      return make_number(*number);
    }
    if (lexer_.accept("[")) {
      std::string dim = word("expected a dimension");
      lexer_.expect("]");
      if (name == "size") {
        Formula result;
        result.kind = Formula::Kind::kSize;
        result.dim = std::move(dim);
        return result;
      }
      return call(name, std::move(dim), start);
    }
    if (lexer_.starts_with("(")) return call(name, {}, start);
    if (find_function(name) != nullptr)
      lexer_.reject(start, fmt::format("'{}' is a function", name));
    return make_variable(name);
  }

  std::string word(const char* expected) {
    const std::string_view word = lexer_.word();
    if (word.empty()) lexer_.fail(expected);
    return std::string(word);
  }

  Formula call(const std::string& name, std::string dim, size_t start) {
    lexer_.expect("(");
    std::vector<Formula> operands;
    do operands.push_back(sum());
    while (lexer_.accept(","));
    lexer_.expect(")");
    const auto wants = [&](size_t count) {
      if (operands.size() != count || !dim.empty())
        lexer_.reject(start, fmt::format("'{}' has {} operands and no dimension", name, count));
    };
    if (name == "square") {
      wants(1);
      grow(leaves_of(operands[0]));
      return make_call("mul", {operands[0], operands[0]});
    }
    if (name == "select") {
      wants(3);
      grow(leaves_of(operands[0]));
      Formula other = make_call("keep", {make_call("not", {operands[0]}), std::move(operands[2])});
      return make_call("add", {make_call("keep", {std::move(operands[0]), std::move(operands[1])}),
                               std::move(other)});
    }
    const FormulaFunction* function = find_function(name);
    if (function == nullptr) lexer_.reject(start, fmt::format("unknown function '{}'", name));
    if (function->operands != operands.size() || function->reduces == dim.empty())
      lexer_.reject(
          start, fmt::format("'{}' has {} operand{} and {} dimension", name, function->operands,
                             function->operands == 1 ? "" : "s", function->reduces ? "a" : "no"));
    return make_call(name, std::move(operands), std::move(dim));
  }

  Lexer lexer_;
  int depth_ = 0;
  size_t leaves_ = 0;
};

// With parentheses where an operator of that strength (1: sum, 2: product, 3: factor) needs them.
std::string print_formula(const Formula& formula, int strength) {
  const auto bracket = [&](int own, std::string text) {
    return own < strength ? "(" + text + ")" : text;
  };
  switch (formula.kind) {
    case Formula::Kind::kVariable:
      return formula.name;
    case Formula::Kind::kSize:
      return "size[" + formula.dim + "]";
    case Formula::Kind::kNumber: {
      const bool simple = formula.number.is_integer() && !formula.number.is_negative();
      return bracket(simple ? 3 : 2, to_string(formula.number));
    }
    case Formula::Kind::kCall:
      break;
  }
  if (formula.name == "add" || formula.name == "mul") {
    const int own = formula.name == "add" ? 1 : 2;
    return bracket(own, print_formula(formula.operands[0], own) + (own == 1 ? " + " : " * ") +
                            print_formula(formula.operands[1], own + 1));
  }
  std::string text = formula.name + (formula.dim.empty() ? "" : "[" + formula.dim + "]") + "(";
  for (size_t i = 0; i < formula.operands.size(); ++i)
    text += (i == 0 ? "" : ", ") + print_formula(formula.operands[i], 0);
  return text + ")";
}

}  // namespace

const FormulaFunction* find_function(std::string_view name) {
  const auto found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                  [&](const FormulaFunction& one) { return one.name == name; });
  return found == std::end(kFunctions) ? nullptr : &*found;
}

Formula make_variable(std::string name) {
  Formula result;
  result.kind = Formula::Kind::kVariable;
  result.name = std::move(name);
  return result;
}

Formula make_number(const Rational& number) {
  Formula result;
  result.number = number;
  return result;
}

Formula make_call(std::string name, std::vector<Formula> operands, std::string dim) {
  Formula result;
  result.kind = Formula::Kind::kCall;
  result.name = std::move(name);
  result.operands = std::move(operands);
  result.dim = std::move(dim);
  return result;
}

Formula parse_formula(std::string_view text, const SourcePlace& place) {
  try {
    return FormulaParser(text, place).whole();
  } catch (const RationalOverflow&) {
    throw UserError(place, fmt::format("a number leaves 64 bits in \"{}\"", text));
  }
}

std::string to_string(const Formula& formula) { return print_formula(formula, 0); }

Formula substitute(const Formula& formula, const std::map<std::string, Formula>& values) {
  if (formula.kind == Formula::Kind::kVariable) {
    const auto found = values.find(formula.name);
    return found == values.end() ? formula : found->second;
  }
  Formula result = formula;
  for (Formula& operand : result.operands) operand = substitute(operand, values);
  return result;
}

const Formula* at_path(const Formula& formula, std::span<const int32_t> path) {
  const Formula* at = &formula;
  for (const int32_t step : path) {
    if (step < 0 || static_cast<size_t>(step) >= at->operands.size()) return nullptr;
    at = &at->operands[static_cast<size_t>(step)];
  }
  return at;
}

Formula* at_path(Formula& formula, std::span<const int32_t> path) {
  return const_cast<Formula*>(at_path(std::as_const(formula), path));
}

}  // namespace assay
