#include "shared_ir/lower/declare/expression.h"

#include <charconv>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "shared_ir/base/lexer.h"
#include "shared_ir/lower/builtins/builtins.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

constexpr int kMaxDepth = 32;  // bounds the recursion of all that walks expressions

constexpr Language kDeclarations{};

class Parser {
 public:
  Parser(std::string_view text, const SourcePlace& place, const NameLookup& lookup)
      : lexer_(kDeclarations, text, place), lookup_(lookup) {}

  Expr whole_expression() {
    Expr result = expression();
    lexer_.expect_end();
    return result;
  }

  std::vector<Parameter> schema() {
    std::vector<Parameter> parameters;
    while (!lexer_.at_end()) {
      if (!parameters.empty()) lexer_.expect(",");
      parameters.push_back(parameter(parameters));
    }
    return parameters;
  }

 private:
  Parameter parameter(const std::vector<Parameter>& earlier) {
    const size_t start = lexer_.next();
    Parameter result;
    result.name = lexer_.word();
    if (result.name.empty() || is_digit(result.name[0]))
      lexer_.reject(start, "expected a parameter");
    for (const Parameter& other : earlier)
      if (other.name == result.name)
        lexer_.reject(start, fmt::format("parameter '{}' occurs twice", result.name));
    result.written = lexer_.accept("!");
    if (lexer_.accept("=")) {
      const size_t at = lexer_.at();
      result.required = false;
      result.fallback = constant(expression(), at);
    }
    return result;
  }

  Value constant(const Expr& expr, size_t at) const {
    if (expr.kind == Expr::Kind::kLiteral) return expr.literal;
    if (expr.kind == Expr::Kind::kText && expr.children.empty()) return {expr.pieces[0]};
    if (expr.kind != Expr::Kind::kList) lexer_.reject(at, "a default is a literal");
    ValueList list;
    for (const Expr& child : expr.children) list.push_back(constant(child, at));
    return {std::move(list)};
  }

  Expr expression() {
    if (depth_ == kMaxDepth) lexer_.fail("nested too deeply");
    ++depth_;
    Expr result = any_expression();
    --depth_;
    return result;
  }

  Expr any_expression() {
    if (lexer_.accept("\"")) return text();
    if (lexer_.accept("[")) return list();
    if (lexer_.starts_with("-") || lexer_.starts_with_digit()) return number();
    const size_t start = lexer_.next();
    const std::string_view name = lexer_.word();
    if (name.empty()) lexer_.fail("expected an expression");
    if (lexer_.accept("(")) return call(name, start);
    if (name == "true" || name == "false") return literal({name == "true"});
    if (name == "none") return literal({NoArg{}});
    if (name == "inf") return literal({std::numeric_limits<double>::infinity()});
    Expr found = lookup_(name);
    if (found.kind != Expr::Kind::kLiteral) return found;
    if (auto dtype = parse_dtype(name)) return literal({*dtype});
    lexer_.reject(start, fmt::format("unknown name '{}'", name));
  }

  static Expr literal(Value value) {
    Expr result;
    result.literal = std::move(value);
    return result;
  }

  Expr number() {
    if (lexer_.accept("-inf")) return literal({-std::numeric_limits<double>::infinity()});
    const size_t start = lexer_.next();
    const std::string_view digits = lexer_.run("+-.0123456789e");
    if (const auto integer = to_integer(digits)) return literal({Int{*integer}});
    const char* last = digits.data() + digits.size();
    double real = 0;
    if (auto [stop, error] = std::from_chars(digits.data(), last, real);
        error == std::errc() && stop == last)
      return literal({real});
    lexer_.reject(start, "not a number");
  }

  Expr text() {
    Expr result;
    result.kind = Expr::Kind::kText;
    for (;;) {
      result.pieces.emplace_back(lexer_.until("\"{"));
      if (!lexer_.accept("{")) break;
      const size_t start = lexer_.at();
      Expr attribute = lookup_(lexer_.word());
      if (attribute.kind != Expr::Kind::kParameter && attribute.kind != Expr::Kind::kLet)
        lexer_.reject(start, "expected the name of a parameter or let in braces");
      lexer_.expect("}");
      result.children.push_back(std::move(attribute));
    }
    lexer_.expect("\"");
    return result;
  }

  void arguments(std::string_view end, std::vector<Expr>& into) {
    if (lexer_.accept(end)) return;
    do into.push_back(expression());
    while (lexer_.accept(","));
    lexer_.expect(end);
  }

  Expr list() {
    Expr result;
    result.kind = Expr::Kind::kList;
    arguments("]", result.children);
    return result;
  }

  Expr call(std::string_view name, size_t start) {
    Expr result;
    arguments(")", result.children);
    auto count = static_cast<int>(result.children.size());
    if (name == "when") {
      result.kind = Expr::Kind::kWhen;
      if (count != 3) lexer_.reject(start, "when(condition, a, b) has 3 arguments");
      return result;
    }
    result.kind = Expr::Kind::kCall;
    result.builtin = find_builtin(name);
    if (!result.builtin) lexer_.reject(start, fmt::format("unknown builtin '{}'", name));
    if (count < result.builtin->min_arguments || count > result.builtin->max_arguments)
      lexer_.reject(start, fmt::format("wrong number of arguments: {}", result.builtin->usage));
    return result;
  }

  Lexer lexer_;
  const NameLookup& lookup_;
  int depth_ = 0;
};

}  // namespace

Expr parse_expression(std::string_view text, const SourcePlace& place, const NameLookup& lookup) {
  return Parser(text, place, lookup).whole_expression();
}

std::vector<Parameter> parse_schema(std::string_view text, const SourcePlace& place) {
  return Parser(text, place, [](std::string_view) { return Expr{}; }).schema();
}

}  // namespace assay::lowering
