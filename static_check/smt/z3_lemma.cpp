// A lemma at one shape, element by element, for z3.
#include <z3++.h>

#include <algorithm>
#include <map>

#include "shared_ir/base/error.h"
#include "static_check/smt/smt_module.h"
#include "static_check/smt/z3_axioms.h"
#include "static_check/smt/z3_limit.h"

namespace {

using assay::Answer;
using assay::Condition;
using assay::Formula;
using assay::LemmaAnswer;
using assay::LemmaQuery;
using assay::Linear;
using assay::Rational;
using assay::Real;

using Coordinates = std::map<std::string, int64_t>;

class LemmaProblem {
 public:
  explicit LemmaProblem(const LemmaQuery& query)
      : query_(query), solver_(context_, "QF_NRA"), axioms_(solver_) {}

  void decide(LemmaAnswer& answer) {
    const std::vector<Coordinates> everywhere = coordinates();
    for (const Coordinates& at : everywhere)
      for (const Condition& condition : query_.lemma.conditions) assume(condition, at);
    // All axioms are asserted before the first question: they outlive its scope.
    std::vector<z3::expr> differences;
    for (const Coordinates& at : everywhere) differences.push_back(difference(at));
    answer.answer = Answer::kYes;
    for (const z3::expr& differ : differences) {
      answer.answer = decide(differ, answer.model);
      if (answer.answer != Answer::kYes) break;
    }
    answer.axioms = axioms_.used();
  }

 private:
  std::vector<Coordinates> coordinates() const {
    std::vector<Coordinates> result{{}};
    for (const auto& [dim, size] : query_.sizes) {
      std::vector<Coordinates> longer;
      for (const Coordinates& at : result)
        for (int64_t i = 0; i < size; ++i) {
          longer.push_back(at);
          longer.back()[dim] = i;
        }
      result = std::move(longer);
    }
    return result;
  }

  // The sides differ there.
  z3::expr difference(const Coordinates& at) {
    if (is_mask(query_.lemma.left))
      return mask(query_.lemma.left, at) != mask(query_.lemma.right, at);
    const Real left = real(query_.lemma.left, at), right = real(query_.lemma.right, at);
    axioms_.relate(left, right);
    return left.value != right.value;
  }

  Answer decide(const z3::expr& differ, std::string& text) {
    solver_.push();
    solver_.add(differ);
    const z3::check_result found = assay::check_within(solver_, query_.limit_ms);
    if (found == z3::sat) {
      const z3::model model = solver_.get_model();
      for (const auto& [name, value] : unknowns_)
        text += (text.empty() ? "" : ", ") + name + " = " + model.eval(value, true).to_string();
    }
    solver_.pop();
    return found == z3::unsat ? Answer::kYes : found == z3::sat ? Answer::kNo : Answer::kUnknown;
  }

  bool is_mask(const Formula& formula) const {
    if (formula.kind == Formula::Kind::kVariable) return query_.masks.contains(formula.name);
    const assay::FormulaFunction* function =
        formula.kind == Formula::Kind::kCall ? assay::find_function(formula.name) : nullptr;
    return function != nullptr && function->makes_mask;
  }

  bool independent(const std::string& variable, const std::string& dim) const {
    return std::any_of(query_.lemma.conditions.begin(), query_.lemma.conditions.end(),
                       [&](const Condition& condition) {
                         return condition.kind == Condition::Kind::kIndependent &&
                                condition.dim == dim && condition.operands[0].name == variable;
                       });
  }

  // One unknown for each coordinate that the variable depends on.
  z3::expr unknown(const std::string& variable, const Coordinates& at) {
    std::string name = variable;
    for (const auto& [dim, i] : at)
      if (!independent(variable, dim)) name += "_" + std::to_string(i);
    const auto known = unknowns_.find(name);
    if (known != unknowns_.end()) return known->second;
    const z3::expr made = query_.masks.contains(variable) ? context_.bool_const(name.c_str())
                                                          : context_.real_const(name.c_str());
    unknowns_.emplace(name, made);
    return made;
  }

  void assume(const Condition& condition, const Coordinates& at) {
    const auto value = [&](size_t i) { return real(condition.operands[i], at).value; };
    switch (condition.kind) {
      case Condition::Kind::kPositive:
        return solver_.add(value(0) > 0);
      case Condition::Kind::kNonnegative:
        return solver_.add(value(0) >= 0);
      case Condition::Kind::kNonzero:
        return solver_.add(value(0) != 0);
      case Condition::Kind::kDisjoint:
        return solver_.add(!(mask(condition.operands[0], at) && mask(condition.operands[1], at)));
      case Condition::Kind::kIndependent:
        return;  // by unknown()
    }
  }

  z3::expr mask(const Formula& formula, const Coordinates& at) {
    if (formula.kind == Formula::Kind::kVariable) return unknown(formula.name, at);
    const z3::expr first = mask(formula.operands[0], at);
    if (formula.name == "not") return !first;
    const z3::expr second = mask(formula.operands[1], at);
    return formula.name == "and" ? first && second : first || second;
  }

  Real constant(const Rational& value) {
    Linear linear;
    linear.constant = value;
    return {context_.real_val(to_string(value).c_str()), std::move(linear)};
  }

  Real add(const Real& x, const Real& y) { return {x.value + y.value, plus(x.linear, y.linear)}; }

  Real multiply(const Real& x, const Real& y) {
    if (x.linear.parts.empty()) return {x.value * y.value, times(y.linear, x.linear.constant)};
    if (y.linear.parts.empty()) return {x.value * y.value, times(x.linear, y.linear.constant)};
    return axioms_.atomic(x.value * y.value);
  }

  Real inverse(const Real& x) { return axioms_.atomic(1 / x.value); }

  Real larger(const Real& x, const Real& y) {
    return axioms_.atomic(z3::ite(x.value >= y.value, x.value, y.value));
  }

  Real real(const Formula& formula, const Coordinates& at) {
    switch (formula.kind) {
      case Formula::Kind::kVariable:
        return axioms_.atomic(unknown(formula.name, at));
      case Formula::Kind::kNumber:
        return constant(formula.number);
      case Formula::Kind::kSize:
        return constant(query_.sizes.at(formula.dim));
      case Formula::Kind::kCall:
        return formula.dim.empty() ? call(formula, at) : reduce(formula, at);
    }
    return constant(0);
  }

  Real call(const Formula& formula, const Coordinates& at) {
    if (formula.name == "keep") {
      const z3::expr value = real(formula.operands[1], at).value;
      return axioms_.atomic(z3::ite(mask(formula.operands[0], at), value, context_.real_val(0)));
    }
    const Real x = real(formula.operands[0], at);
    if (formula.name == "exp") return axioms_.exp(x);
    if (formula.name == "log") return axioms_.log(x);
    if (formula.name == "sqrt") return axioms_.sqrt(x);
    if (formula.name == "rsqrt") return inverse(axioms_.sqrt(x));
    if (formula.name == "sin") return axioms_.sin(x);
    if (formula.name == "cos") return axioms_.cos(x);
    if (formula.name == "reciprocal") return inverse(x);
    if (formula.name == "sigmoid")
      return inverse(add(constant(1), axioms_.exp(multiply(constant(-1), x))));
    const Real y = real(formula.operands[1], at);
    if (formula.name == "add") return add(x, y);
    if (formula.name == "mul") return multiply(x, y);
    ASSAY_CHECK(formula.name == "maximum", "a function that z3 is not told of: " + formula.name);
    return larger(x, y);
  }

  Real reduce(const Formula& formula, Coordinates at) {
    const int64_t own = at.at(formula.dim);
    std::vector<Real> values;
    for (int64_t i = 0; i < query_.sizes.at(formula.dim); ++i) {
      at[formula.dim] = i;
      values.push_back(real(formula.operands[0], at));
    }
    if (formula.name == "max") {
      Real largest = values[0];
      for (size_t i = 1; i < values.size(); ++i) largest = larger(largest, values[i]);
      return largest;
    }
    if (formula.name == "sum") {
      Real sum = constant(0);
      for (const Real& value : values) sum = add(sum, value);
      return sum;
    }
    Real sum = constant(0);
    for (const Real& value : values) sum = add(sum, axioms_.exp(value));
    const Real& mine = values[static_cast<size_t>(own)];
    if (formula.name == "softmax") return multiply(axioms_.exp(mine), inverse(sum));
    ASSAY_CHECK(formula.name == "log_softmax",
                "a reduction that z3 is not told of: " + formula.name);
    return add(mine, multiply(constant(-1), axioms_.log(sum)));
  }

  const LemmaQuery& query_;
  z3::context context_;
  z3::solver solver_;
  assay::Axioms axioms_;
  std::map<std::string, z3::expr> unknowns_;
};

}  // namespace

void assay_smt_decide_lemma(const LemmaQuery& query, LemmaAnswer& answer) {
  try {
    LemmaProblem(query).decide(answer);
  } catch (const z3::exception&) {
    answer = {};
  } catch (const assay::RationalOverflow&) {
    answer = {};
  }
}
