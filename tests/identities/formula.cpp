#include "tests/identities/formula.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

namespace assay::test {
namespace {

using Kind = PairFormula::Kind;

class Parser {
 public:
  Parser(std::string_view text, const SourcePlace& place) : text_(text), place_(place) {}

  PairFormula parse() {
    PairFormula formula = sum();
    skip();
    if (at_ != text_.size()) fail("expected the end");
    return formula;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw UserError(place_, fmt::format("{} at column {} of '{}'", message, at_ + 1, text_));
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool accept(std::string_view token) {
    skip();
    if (!text_.substr(at_).starts_with(token)) return false;
    if (token == "*" && text_.substr(at_).starts_with("**")) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("expected '{}'", token));
  }

  PairFormula sum() {
    PairFormula left = product();
    while (true) {
      if (accept("+")) {
        left = call_of("add", {std::move(left), product()});
      } else if (accept("-")) {
        left = call_of("sub", {std::move(left), product()});
      } else {
        return left;
      }
    }
  }
  PairFormula product() {
    PairFormula left = power();
    while (true) {
      if (accept("*")) {
        left = call_of("mul", {std::move(left), power()});
      } else if (accept("/")) {
        left = call_of("div", {std::move(left), power()});
      } else {
        return left;
      }
    }
  }
  PairFormula power() {
    if (accept("-")) {
      PairFormula of = power();
      if (of.kind != Kind::kNumber) return call_of("neg", {std::move(of)});
      of.number = -of.number;
      return of;
    }
    PairFormula base = primary();
    if (accept("**")) return call_of("pow", {std::move(base), power()});
    return base;
  }

  PairFormula primary() {
    if (accept("(")) {
      PairFormula inside = sum();
      expect(")");
      return inside;
    }
    if (accept("[")) return list(Kind::kList, "", "]");
    if (accept("\"")) {
      PairFormula text;
      text.kind = Kind::kText;
      const size_t end = text_.find('"', at_);
      if (end == std::string_view::npos) fail("expected '\"'");
      text.name = text_.substr(at_, end - at_);
      at_ = end + 1;
      return text;
    }
    skip();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) return number();
    const std::string name = identifier();
    if (name.empty()) fail("expected a formula");
    if (accept("(")) return list(Kind::kCall, name, ")");
    return named(name);
  }

  std::string identifier() {
    skip();
    const size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  PairFormula number() {
    PairFormula result;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), result.number);
    if (error != std::errc()) fail("expected a number");
    const std::string_view read(begin, static_cast<size_t>(end - begin));
    result.whole = read.find_first_of(".e") == std::string_view::npos;
    at_ += read.size();
    return result;
  }

  PairFormula list(Kind kind, const std::string& name, std::string_view close) {
    PairFormula result;
    result.kind = kind;
    result.name = name;
    if (accept(close)) return result;
    do {
      const size_t start = at_;
      std::string keyword = identifier();
      if (keyword.empty() || !accept("=")) {
        at_ = start;
        keyword.clear();
      }
      result.operands.push_back(sum());
      result.operands.back().keyword = std::move(keyword);
    } while (accept(","));
    expect(close);
    return result;
  }

  std::string_view text_;
  SourcePlace place_;
  size_t at_ = 0;
};

}  // namespace

PairFormula parse_pair_formula(std::string_view text, const SourcePlace& place) {
  return Parser(text, place).parse();
}

PairFormula named(std::string name) {
  PairFormula result;
  result.kind = Kind::kName;
  result.name = std::move(name);
  return result;
}

PairFormula number_of(double value) {
  PairFormula result;
  result.number = value;
  result.whole = value == std::trunc(value);
  return result;
}

PairFormula call_of(std::string name, std::vector<PairFormula> operands) {
  PairFormula result;
  result.kind = Kind::kCall;
  result.name = std::move(name);
  result.operands = std::move(operands);
  return result;
}

std::string to_string(const PairFormula& formula) {
  const std::string prefix = formula.keyword.empty() ? "" : formula.keyword + "=";
  switch (formula.kind) {
    case Kind::kNumber:
      return prefix + fmt::format("{}", formula.number);
    case Kind::kText:
      return prefix + '"' + formula.name + '"';
    case Kind::kName:
      return prefix + formula.name;
    case Kind::kList:
    case Kind::kCall:
      break;
  }
  std::string text = prefix + formula.name + (formula.kind == Kind::kList ? "[" : "(");
  for (size_t i = 0; i < formula.operands.size(); ++i)
    text += (i > 0 ? ", " : "") + to_string(formula.operands[i]);
  return text + (formula.kind == Kind::kList ? "]" : ")");
}

PairFormula substituted(PairFormula formula,
                        const std::function<PairFormula(const std::string&)>& by) {
  if (formula.kind == Kind::kName) {
    PairFormula result = by(formula.name);
    result.keyword = formula.keyword;
    return result;
  }
  for (PairFormula& operand : formula.operands) operand = substituted(std::move(operand), by);
  return formula;
}

PairFormula folded(PairFormula formula) {
  for (PairFormula& operand : formula.operands) operand = folded(std::move(operand));
  if (formula.kind != Kind::kCall || formula.operands.empty()) return formula;
  for (const PairFormula& operand : formula.operands)
    if (operand.kind != Kind::kNumber) return formula;
  const double x = formula.operands[0].number;
  PairFormula result;
  result.keyword = formula.keyword;
  if (formula.name == "neg") {
    result.number = -x;
  } else if (formula.operands.size() != 2) {
    return formula;
  } else if (const double y = formula.operands[1].number; formula.name == "add") {
    result.number = x + y;
  } else if (formula.name == "sub") {
    result.number = x - y;
  } else if (formula.name == "mul") {
    result.number = x * y;
  } else if (formula.name == "div") {
    result.number = x / y;
  } else if (formula.name == "pow") {
    result.number = std::pow(x, y);
  } else {
    return formula;
  }
  result.whole = result.number == std::trunc(result.number);
  return result;
}

}  // namespace assay::test
