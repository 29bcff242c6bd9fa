// Recursive descent over
//   expr  = NAME "@" RANK | op "(" expr { "," expr } [ ";" key "=" value { "," key "=" value } ]
//   ")" value = INTEGER | INTEGER "/" INTEGER | "[" [ INTEGER { "," INTEGER } ] "]"
// An identifier is an operator exactly where "(" follows it, so a tensor may be called "concat".
#include <array>
#include <string_view>

#include "shared_ir/base/lexer.h"
#include "shared_ir/clean_expr.h"
#include "shared_ir/rational.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {
namespace {

using Kind = CleanExpr::Kind;

constexpr int kMaxDepth = 200;  // bounds the recursion on hostile input
// Relations are compared part by part, each with the others.
constexpr int kMaxLeaves = 1 << 15;

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

constexpr Language kLanguage{"clean expression ", kInTensorNames, true};

class Parser {
 public:
  Parser(std::string_view text, const SourcePlace& place, Leaves leaves,
         const SymbolValues& symbols)
      : lexer_(kLanguage, text, place), leaves_(leaves), symbols_(symbols) {}

  CleanExpr run() {
    CleanExpr expr = expression(0);
    lexer_.expect_end("expected the end of the expression");
    return expr;
  }

 private:
  std::string_view word() {
    const std::string_view word = lexer_.word();
    if (word.empty()) lexer_.fail("expected a tensor or an operator");
    return word;
  }

  // A number; where there are symbols, a size over them.
  Int size() {
    if (symbols_.empty()) return integer();
    const size_t start = lexer_.next();
    for (int open = 0;;) {
      lexer_.until(open == 0 ? "(,;)]" : "()");
      if (lexer_.accept("("))
        ++open;
      else if (open > 0 && lexer_.accept(")"))
        --open;
      else
        break;
    }
    return evaluate_size(lexer_.read_from(start), symbols_, lexer_.place_of(start));
  }

  PlainInt integer() {
    const auto value = lexer_.integer();
    if (!value) lexer_.fail("expected an integer");
    return *value;
  }

  CleanExpr expression(int depth) {
    if (depth > kMaxDepth) lexer_.fail("the expression is nested too deeply");
    const size_t start = lexer_.next();
    const std::string_view name = word();
    if (lexer_.accept("(")) return call(start, name, depth);
    if (++leaves_read_ > kMaxLeaves) {
      lexer_.reject(start,
                    "an expression names at most " + std::to_string(kMaxLeaves) + " tensors");
    }
    CleanExpr leaf;
    leaf.name = name;
    if (lexer_.accept("@")) {
      const size_t digits = lexer_.at();
      const PlainInt rank = integer();
      if (rank < 0 || rank > INT32_MAX) lexer_.reject(digits, "a rank is between 0 and 2^31 - 1");
      if (leaves_ == Leaves::kSequential && rank != 0) {
        lexer_.reject(digits, "the sequential program has rank 0 alone");
      }
      leaf.rank = static_cast<Rank>(rank);
    } else if (leaves_ == Leaves::kDistributed) {
      lexer_.fail("expected '@' and the rank after '" + leaf.name + "'");
    }
    return leaf;
  }

  CleanExpr call(size_t start, std::string_view name, int depth) {
    const Operator* op = nullptr;
    for (const Operator& candidate : kOperators) {
      if (candidate.name == name) op = &candidate;
    }
    if (!op) {
      lexer_.reject(
          start, "'" + std::string(name) +
                     "' is no clean operator (concat, slice, sum, permute, reshape, pad, scale)");
    }
    CleanExpr expr;
    expr.kind = op->kind;
    do {
      expr.operands.push_back(expression(depth + 1));
    } while (lexer_.accept(","));
    if (!op->many && expr.operands.size() != 1) {
      lexer_.reject(start, std::string(name) + " takes one operand");
    }
    attributes(*op, start, &expr);
    lexer_.expect(")");
    return expr;
  }

  void attributes(const Operator& op, size_t start, CleanExpr* expr) {
    std::array<bool, 3> seen{};
    if (lexer_.accept(";")) {
      do {
        const size_t key_start = lexer_.next();
        const std::string_view key = word();
        size_t index = 0;
        while (index < op.keys.size() && op.keys[index] != key) ++index;
        if (index == op.keys.size()) {
          lexer_.reject(key_start, std::string(op.name) + " has no '" + std::string(key) + "'");
        }
        if (seen[index]) lexer_.reject(key_start, "'" + std::string(key) + "' is given twice");
        seen[index] = true;
        lexer_.expect("=");
        value(key, expr);
      } while (lexer_.accept(","));
    } else if (!lexer_.starts_with(")") && !lexer_.at_end()) {
      lexer_.fail("expected ',', ';' or ')'");
    }
    for (size_t i = 0; i < op.keys.size(); ++i) {
      if (!op.keys[i].empty() && !seen[i]) {
        lexer_.reject(start, std::string(op.name) + " needs '" + std::string(op.keys[i]) + "='");
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
    const size_t start = lexer_.next();
    const Int numerator = integer();
    const Int denominator = lexer_.accept("/") ? integer() : 1;
    if (denominator <= 0) lexer_.reject(start, "the denominator of 'by' is at least 1");
    try {
      const Rational by(numerator, denominator);
      expr->numerator = by.numerator();
      expr->denominator = by.denominator();
    } catch (const RationalOverflow&) {
      lexer_.reject(start, "'by' does not fit 64 bits");
    }
  }

  std::vector<Int> list() {
    std::vector<Int> values;
    lexer_.expect("[");
    if (lexer_.accept("]")) return values;
    do {
      values.push_back(size());
    } while (lexer_.accept(","));
    lexer_.expect("]");
    return values;
  }

  Lexer lexer_;
  Leaves leaves_;
  const SymbolValues& symbols_;
  int leaves_read_ = 0;
};

}  // namespace

CleanExpr parse_clean_expr(std::string_view text, const SourcePlace& place, Leaves leaves,
                           const SymbolValues& symbols) {
  return Parser(text, place, leaves, symbols).run();
}

}  // namespace assay
