// Recursive descent over
//   expr  = NAME "@" RANK | op "(" expr { "," expr } [ ";" key "=" value { "," key "=" value } ]
//   ")" value = INTEGER | INTEGER "/" INTEGER | "[" [ INTEGER { "," INTEGER } ] "]"
// An identifier is an operator exactly where "(" follows it, so a tensor may be called "concat".
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "shared_ir/clean_expr.h"
#include "shared_ir/rational.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {
namespace {

using Kind = CleanExpr::Kind;

constexpr int kMaxDepth = 200;  // bounds the recursion on hostile input
// Relations are compared part by part, each with the others.
constexpr int kMaxLeaves = 1 << 15;
constexpr size_t kMaxQuoted = 300;  // characters of the text in a message

struct Operator {
  std::string_view name;
  Kind kind;
  bool many;  // takes several operands
  std::array<std::string_view, 3> keys;
};

constexpr std::array<Operator, 7> kOperators = {{
    {"concat", Kind::kConcat, true, {"dim"}},
    {"slice", Kind::kSlice, false, {"dim", "start", "end"}},
    {"sum", Kind::kSum, true, {}},
    {"permute", Kind::kPermute, false, {"dims"}},
    {"reshape", Kind::kReshape, false, {"shape"}},
    {"pad", Kind::kPad, false, {"dim", "before", "after"}},
    {"scale", Kind::kScale, false, {"by"}},
}};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Parser {
 public:
  Parser(std::string_view text, const SourcePlace& place, Leaves leaves,
         const SymbolValues& symbols)
      : text_(text), place_(place), leaves_(leaves), symbols_(symbols) {}

  CleanExpr run() {
    CleanExpr expr = expression(0);
    skip_space();
    if (at_ < text_.size()) fail("expected the end of the expression");
    return expr;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { fail_at(at_, message); }

  SourcePlace place_of(size_t offset) const {
    SourcePlace place = place_;
    if (place.line == 0) place.line = 1;
    if (place.column == 0) place.column = 1;
    for (size_t i = 0; i < offset; ++i) {
      if (text_[i] == '\n') {
        ++place.line;
        place.column = 1;
      } else {
        ++place.column;
      }
    }
    return place;
  }

  [[noreturn]] void fail_at(size_t offset, const std::string& message) const {
    const std::string found =
        offset < text_.size() ? "'" + std::string(1, text_[offset]) + "'" : "the end";
    throw UserError(place_of(offset), message + ", found " + found + " in " + quoted());
  }

  std::string quoted() const {
    std::string text(text_.substr(0, kMaxQuoted));
    if (text.size() < text_.size()) text += "...";
    return "clean expression \"" + text + "\"";
  }

  // An error about what was just read, which starts at `offset`.
  [[noreturn]] void reject(size_t offset, const std::string& message) const {
    try {
      fail_at(offset, "");
    } catch (const UserError& positioned) {
      throw UserError(positioned.place(), message + " in " + quoted());
    }
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  bool accept(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail("expected '" + std::string(1, c) + "'");
  }

  std::string_view word() {
    skip_space();
    const size_t start = at_;
    while (at_ < text_.size() && is_tensor_name(text_.substr(at_, 1))) ++at_;
    if (at_ == start) fail("expected a tensor or an operator");
    return text_.substr(start, at_ - start);
  }

  // A number; where there are symbols, a size over them.
  Int size() {
    if (symbols_.empty()) return integer();
    skip_space();
    const size_t start = at_;
    int open = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (open == 0 && (c == ',' || c == ')' || c == ']' || c == ';')) break;
      open += c == '(' ? 1 : c == ')' ? -1 : 0;
    }
    return evaluate_size(text_.substr(start, at_ - start), symbols_, place_of(start));
  }

  PlainInt integer() {
    skip_space();
    PlainInt value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc{}) fail("expected an integer");
    at_ += static_cast<size_t>(end - begin);
    return value;
  }

  CleanExpr expression(int depth) {
    if (depth > kMaxDepth) fail("the expression is nested too deeply");
    skip_space();
    const size_t start = at_;
    const std::string_view name = word();
    if (accept('(')) return call(start, name, depth);
    if (++leaves_read_ > kMaxLeaves) {
      reject(start, "an expression names at most " + std::to_string(kMaxLeaves) + " tensors");
    }
    CleanExpr leaf;
    leaf.name = name;
    if (accept('@')) {
      const size_t digits = at_;
      const PlainInt rank = integer();
      if (rank < 0 || rank > INT32_MAX) reject(digits, "a rank is between 0 and 2^31 - 1");
      if (leaves_ == Leaves::kSequential && rank != 0) {
        reject(digits, "the sequential program has rank 0 alone");
      }
      leaf.rank = static_cast<Rank>(rank);
    } else if (leaves_ == Leaves::kDistributed) {
      fail("expected '@' and the rank after '" + leaf.name + "'");
    }
    return leaf;
  }

  CleanExpr call(size_t start, std::string_view name, int depth) {
    const Operator* op = nullptr;
    for (const Operator& candidate : kOperators) {
      if (candidate.name == name) op = &candidate;
    }
    if (!op) {
      reject(start,
             "'" + std::string(name) +
                 "' is no clean operator (concat, slice, sum, permute, reshape, pad, scale)");
    }
    CleanExpr expr;
    expr.kind = op->kind;
    do {
      expr.operands.push_back(expression(depth + 1));
    } while (accept(','));
    if (!op->many && expr.operands.size() != 1) {
      reject(start, std::string(name) + " takes one operand");
    }
    attributes(*op, start, &expr);
    expect(')');
    return expr;
  }

  void attributes(const Operator& op, size_t start, CleanExpr* expr) {
    std::array<bool, 3> seen{};
    if (accept(';')) {
      do {
        skip_space();
        const size_t key_start = at_;
        const std::string_view key = word();
        size_t index = 0;
        while (index < op.keys.size() && op.keys[index] != key) ++index;
        if (index == op.keys.size()) {
          reject(key_start, std::string(op.name) + " has no '" + std::string(key) + "'");
        }
        if (seen[index]) reject(key_start, "'" + std::string(key) + "' is given twice");
        seen[index] = true;
        expect('=');
        value(key, expr);
      } while (accept(','));
    } else if (skip_space(); at_ < text_.size() && text_[at_] != ')') {
      fail("expected ',', ';' or ')'");
    }
    for (size_t i = 0; i < op.keys.size(); ++i) {
      if (!op.keys[i].empty() && !seen[i]) {
        reject(start, std::string(op.name) + " needs '" + std::string(op.keys[i]) + "='");
      }
    }
  }

  void value(std::string_view key, CleanExpr* expr) {
    if (key == "dim") {
      expr->dim = integer();
    } else if (key == "start" || key == "before") {
      expr->start = size();
    } else if (key == "end" || key == "after") {
      expr->end = size();
    } else if (key == "by") {
      ratio(expr);
    } else {
      expr->dims = list();
    }
  }

  void ratio(CleanExpr* expr) {
    skip_space();
    const size_t start = at_;
    const Int numerator = integer();
    const Int denominator = accept('/') ? integer() : 1;
    if (denominator <= 0) reject(start, "the denominator of 'by' is at least 1");
    try {
      const Rational by(numerator, denominator);
      expr->numerator = by.numerator();
      expr->denominator = by.denominator();
    } catch (const RationalOverflow&) {
      reject(start, "'by' does not fit 64 bits");
    }
  }

  std::vector<Int> list() {
    std::vector<Int> values;
    expect('[');
    if (accept(']')) return values;
    do {
      values.push_back(size());
    } while (accept(','));
    expect(']');
    return values;
  }

  std::string_view text_;
  SourcePlace place_;
  Leaves leaves_;
  const SymbolValues& symbols_;
  size_t at_ = 0;
  int leaves_read_ = 0;
};

}  // namespace

CleanExpr parse_clean_expr(std::string_view text, const SourcePlace& place, Leaves leaves,
                           const SymbolValues& symbols) {
  return Parser(text, place, leaves, symbols).run();
}

}  // namespace assay
