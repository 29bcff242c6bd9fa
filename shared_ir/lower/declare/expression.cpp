#include "shared_ir/lower/declare/expression.h"

#include <cctype>
#include <charconv>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "shared_ir/lower/builtins/builtins.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

constexpr int kMaxDepth = 32;  // bounds the recursion of all that walks expressions

class Parser {
 public:
  Parser(std::string_view text, const SourcePlace& place, const NameLookup& lookup)
      : text_(text), place_(place), lookup_(lookup) {}

  Expr whole_expression() {
    Expr result = expression();
    expect_end();
    return result;
  }

  std::vector<Parameter> schema() {
    std::vector<Parameter> parameters;
    skip_space();
    while (at_ < text_.size()) {
      if (!parameters.empty()) expect(',');
      parameters.push_back(parameter(parameters));
      skip_space();
    }
    return parameters;
  }

 private:
  [[noreturn]] void fail(size_t at, const std::string& message) const {
    SourcePlace where = place_;
    if (where.column > 0) where.column += static_cast<PlainInt>(at);
    throw UserError(where, fmt::format("{} in \"{}\"", message, text_));
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool accept(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(at_, fmt::format("expected '{}'", c));
  }

  void expect_end() {
    skip_space();
    if (at_ != text_.size()) fail(at_, "expected the end");
  }

  std::string_view word() {
    skip_space();
    size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      ++at_;
    return text_.substr(start, at_ - start);
  }

  Parameter parameter(const std::vector<Parameter>& earlier) {
    skip_space();
    size_t start = at_;
    Parameter result;
    result.name = word();
    if (result.name.empty() || std::isdigit(static_cast<unsigned char>(result.name[0])))
      fail(start, "expected a parameter");
    for (const Parameter& other : earlier)
      if (other.name == result.name)
        fail(start, fmt::format("parameter '{}' occurs twice", result.name));
    result.written = accept('!');
    if (accept('=')) {
      size_t at = at_;
      result.required = false;
      result.fallback = constant(expression(), at);
    }
    return result;
  }

  Value constant(const Expr& expr, size_t at) const {
    if (expr.kind == Expr::Kind::kLiteral) return expr.literal;
    if (expr.kind == Expr::Kind::kText && expr.children.empty()) return {expr.pieces[0]};
    if (expr.kind != Expr::Kind::kList) fail(at, "a default is a literal");
    ValueList list;
    for (const Expr& child : expr.children) list.push_back(constant(child, at));
    return {std::move(list)};
  }

  Expr expression() {
    if (depth_ == kMaxDepth) fail(at_, "nested too deeply");
    ++depth_;
    Expr result = any_expression();
    --depth_;
    return result;
  }

  Expr any_expression() {
    skip_space();
    if (at_ == text_.size()) fail(at_, "expected an expression");
    char c = text_[at_];
    if (c == '"') return text();
    if (c == '[') return list();
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '-') return number();
    size_t start = at_;
    std::string_view name = word();
    if (name.empty()) fail(at_, "expected an expression");
    if (accept('(')) return call(name, start);
    if (name == "true" || name == "false") return literal({name == "true"});
    if (name == "none") return literal({NoArg{}});
    if (name == "inf") return literal({std::numeric_limits<double>::infinity()});
    Expr found = lookup_(name);
    if (found.kind != Expr::Kind::kLiteral) return found;
    if (auto dtype = parse_dtype(name)) return literal({*dtype});
    fail(start, fmt::format("unknown name '{}'", name));
  }

  static Expr literal(Value value) {
    Expr result;
    result.literal = std::move(value);
    return result;
  }

  Expr number() {
    if (text_.substr(at_).starts_with("-inf")) {
      at_ += std::string_view("-inf").size();
      return literal({-std::numeric_limits<double>::infinity()});
    }
    size_t end = text_.find_first_not_of("+-.0123456789e", at_);
    std::string_view digits = text_.substr(at_, end == std::string_view::npos ? end : end - at_);
    const char* last = digits.data() + digits.size();
    PlainInt integer = 0;
    double real = 0;
    size_t start = std::exchange(at_, at_ + digits.size());
    if (auto [stop, error] = std::from_chars(digits.data(), last, integer);
        error == std::errc() && stop == last)
      return literal({Int{integer}});
    if (auto [stop, error] = std::from_chars(digits.data(), last, real);
        error == std::errc() && stop == last)
      return literal({real});
    fail(start, "not a number");
  }

  Expr text() {
    Expr result;
    result.kind = Expr::Kind::kText;
    result.pieces.emplace_back();
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] != '{') {
        result.pieces.back() += text_[at_];
        continue;
      }
      size_t start = ++at_;
      Expr attribute = lookup_(word());
      if (attribute.kind != Expr::Kind::kParameter && attribute.kind != Expr::Kind::kLet)
        fail(start, "expected the name of a parameter or let in braces");
      if (at_ == text_.size() || text_[at_] != '}') fail(at_, "expected '}'");
      result.children.push_back(std::move(attribute));
      result.pieces.emplace_back();
    }
    if (at_ == text_.size()) fail(at_, "expected '\"'");
    ++at_;
    return result;
  }

  void arguments(char end, std::vector<Expr>& into) {
    if (accept(end)) return;
    do into.push_back(expression());
    while (accept(','));
    expect(end);
  }

  Expr list() {
    Expr result;
    result.kind = Expr::Kind::kList;
    ++at_;
    arguments(']', result.children);
    return result;
  }

  Expr call(std::string_view name, size_t start) {
    Expr result;
    arguments(')', result.children);
    auto count = static_cast<int>(result.children.size());
    if (name == "when") {
      result.kind = Expr::Kind::kWhen;
      if (count != 3) fail(start, "when(condition, a, b) has 3 arguments");
      return result;
    }
    result.kind = Expr::Kind::kCall;
    result.builtin = find_builtin(name);
    if (!result.builtin) fail(start, fmt::format("unknown builtin '{}'", name));
    if (count < result.builtin->min_arguments || count > result.builtin->max_arguments)
      fail(start, fmt::format("wrong number of arguments: {}", result.builtin->usage));
    return result;
  }

  std::string_view text_;
  const SourcePlace& place_;
  const NameLookup& lookup_;
  size_t at_ = 0;
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
