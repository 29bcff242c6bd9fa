// Values of symbols that satisfy constraints, by z3.
#include <z3++.h>

#include <map>

#include "shared_ir/symbolic/comparison.h"
#include "static_check/smt/smt_module.h"
#include "static_check/smt/z3_limit.h"

namespace {

using assay::Answer;
using assay::Constraint;
using assay::SizeComparison;
using assay::SymbolExpr;
using assay::SymbolQuery;

class Symbols {
 public:
  explicit Symbols(const SymbolQuery& query) : query_(query), solver_(context_) {
    for (const Constraint& constraint : query.constraints) solver_.add(all({constraint}));
    for (const auto& conditions : query.beyond) solver_.add(!all(conditions));
  }

  void find(assay::SymbolAnswer& answer) {
    // Small values that differ from all others are preferred: what holds for them is no
    // coincidence.
    if (query_.prefer_small) {
      for (const int64_t bound : {32, 128, 1024}) {
        solver_.push();
        prefer(bound);
        const bool found = assay::check_within(solver_, query_.limit_ms) == z3::sat;
        if (found) read(answer);
        solver_.pop();
        if (found) return;
      }
    }
    switch (assay::check_within(solver_, query_.limit_ms)) {
      case z3::sat:
        return read(answer);
      case z3::unsat:
        answer.answer = Answer::kNo;
        return;
      default:
        answer.answer = Answer::kUnknown;
    }
  }

 private:
  z3::expr variable(const std::string& name) { return context_.int_const(name.c_str()); }
  z3::expr number(int64_t value) { return context_.int_val(value); }

  z3::expr all(const std::vector<Constraint>& constraints) {
    z3::expr_vector parts(context_);
    for (const Constraint& constraint : constraints)
      for (const SizeComparison& comparison : constraint.comparisons)
        parts.push_back(encode(comparison));
    return z3::mk_and(parts);
  }

  z3::expr encode(const SizeComparison& comparison) {
    return assay::compare(comparison.kind, encode(comparison.left), encode(comparison.right));
  }

  z3::expr encode(const SymbolExpr& expr) {
    using Kind = SymbolExpr::Kind;
    if (expr.kind == Kind::kNumber) return number(expr.number);
    if (expr.kind == Kind::kSymbol) return variable(expr.name);
    const z3::expr a = encode(expr.operands[0]), b = encode(expr.operands[1]);
    switch (expr.kind) {
      case Kind::kAdd:
        return a + b;
      case Kind::kSubtract:
        return a - b;
      case Kind::kMultiply:
        return a * b;
      case Kind::kFloorDivide:
        return floor_divide(a, b);
      case Kind::kRemainder:
        return a - b * floor_divide(a, b);
      case Kind::kNumber:
      case Kind::kSymbol:
        break;
    }
    return number(0);
  }

  // z3 rounds so that the remainder is not negative: down, for a positive divisor. Sizes for which
  // a constraint divides by 0 do not satisfy it; conditions of proofs divide by numbers alone.
  z3::expr floor_divide(const z3::expr& a, const z3::expr& b) {
    if (b.is_numeral() && b.get_numeral_int64() > 0) return a / b;
    solver_.add(b != number(0));
    return z3::ite(b > number(0), a / b, -a / -b);
  }

  void prefer(int64_t bound) {
    z3::expr_vector different(context_);
    for (const std::string& name : query_.symbols) {
      solver_.add(variable(name) <= number(bound));
      solver_.add(variable(name) > number(3));
      for (const int64_t size : query_.avoid) solver_.add(variable(name) != number(size));
      different.push_back(variable(name));
    }
    if (different.size() > 1) solver_.add(z3::distinct(different));
  }

  void read(assay::SymbolAnswer& answer) {
    const z3::model model = solver_.get_model();
    answer.answer = Answer::kYes;
    for (const std::string& name : query_.symbols) {
      int64_t value = 0;
      if (!model.eval(variable(name), true).is_numeral_i64(value)) answer.answer = Answer::kUnknown;
      answer.instance[name] = value;
    }
  }

  const SymbolQuery& query_;
  z3::context context_;
  z3::solver solver_;
};

}  // namespace

void assay_smt_find_symbols(const SymbolQuery& query, assay::SymbolAnswer& answer) {
  try {
    Symbols(query).find(answer);
  } catch (const z3::exception&) {
    answer.answer = Answer::kUnknown;
  }
}
