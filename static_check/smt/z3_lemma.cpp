// A lemma at one shape, element by element, for z3.
#include <z3++.h>

#include <algorithm>
#include <map>

#include "shared_ir/base/error.h"
#include "shared_ir/proof/formula_run.h"
#include "static_check/smt/smt_module.h"
#include "static_check/smt/z3_axioms.h"
#include "static_check/smt/z3_limit.h"

namespace {

using assay::Answer;
using assay::Condition;
using assay::Formula;
using assay::Int;
using assay::LemmaAnswer;
using assay::LemmaQuery;
using assay::Linear;
using assay::Rational;
using assay::Real;

using Coordinates = std::map<std::string, Int>;

// What FormulaRun asks for.
class Terms {
 public:
  using Number = Real;
  using Mask = z3::expr;
  using Place = Coordinates;

  Terms(const LemmaQuery& query, z3::solver& solver)
      : query_(query), context_(solver.ctx()), axioms_(solver) {}

  assay::Axioms& axioms() { return axioms_; }
  const std::map<std::string, z3::expr>& unknowns() const { return unknowns_; }

  Int size(const std::string& dim) const { return query_.sizes.at(dim); }
  static Int& coordinate(Coordinates& at, const std::string& dim) { return at[dim]; }

  // One unknown for each coordinate that the variable depends on.
  z3::expr mask(const std::string& variable, const Coordinates& at) {
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
  Real variable(const std::string& name, const Coordinates& at) {
    return axioms_.atomic(mask(name, at));
  }
  Real constant(const Rational& value) {
    Linear linear;
    linear.constant = value;
    return {context_.real_val(to_string(value).c_str()), std::move(linear)};
  }

  Real keep(const z3::expr& mask, const Real& x) {
    return axioms_.atomic(z3::ite(mask, x.value, context_.real_val(0)));
  }
  Real add(const Real& x, const Real& y) { return {x.value + y.value, plus(x.linear, y.linear)}; }
  Real multiply(const Real& x, const Real& y) {
    if (x.linear.parts.empty()) return {x.value * y.value, times(y.linear, x.linear.constant)};
    if (y.linear.parts.empty()) return {x.value * y.value, times(x.linear, y.linear.constant)};
    return axioms_.atomic(x.value * y.value);
  }
  Real larger(const Real& x, const Real& y) {
    return axioms_.atomic(z3::ite(x.value >= y.value, x.value, y.value));
  }
  Real inverse(const Real& x) { return axioms_.atomic(1 / x.value); }
  Real exp(const Real& x) { return axioms_.exp(x); }
  Real log(const Real& x) { return axioms_.log(x); }
  Real sqrt(const Real& x) { return axioms_.sqrt(x); }
  Real sin(const Real& x) { return axioms_.sin(x); }
  Real cos(const Real& x) { return axioms_.cos(x); }
  static z3::expr negation(const z3::expr& a) { return !a; }
  static z3::expr both(const z3::expr& a, const z3::expr& b) { return a && b; }
  static z3::expr either(const z3::expr& a, const z3::expr& b) { return a || b; }

 private:
  bool independent(const std::string& variable, const std::string& dim) const {
    return std::any_of(query_.lemma.conditions.begin(), query_.lemma.conditions.end(),
                       [&](const Condition& condition) {
                         return condition.kind == Condition::Kind::kIndependent &&
                                condition.dim == dim && condition.operands[0].name == variable;
                       });
  }

  const LemmaQuery& query_;
  z3::context& context_;
  assay::Axioms axioms_;
  std::map<std::string, z3::expr> unknowns_;
};

class LemmaProblem {
 public:
  explicit LemmaProblem(const LemmaQuery& query)
      : query_(query), solver_(context_, "QF_NRA"), terms_(query, solver_), run_(terms_) {}

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
    answer.axioms = terms_.axioms().used();
  }

 private:
  std::vector<Coordinates> coordinates() const {
    std::vector<Coordinates> result{{}};
    for (const auto& [dim, size] : query_.sizes) {
      std::vector<Coordinates> longer;
      for (const Coordinates& at : result)
        for (Int i = 0; i < size; ++i) {
          longer.push_back(at);
          longer.back()[dim] = i;
        }
      result = std::move(longer);
    }
    return result;
  }

  // The sides differ there.
  z3::expr difference(const Coordinates& at) {
    const Formula &one = query_.lemma.left, &other = query_.lemma.right;
    if (is_mask(one, query_.masks)) return run_.mask(one, at) != run_.mask(other, at);
    const Real left = run_.number(one, at), right = run_.number(other, at);
    terms_.axioms().relate(left, right);
    return left.value != right.value;
  }

  Answer decide(const z3::expr& differ, std::string& text) {
    solver_.push();
    solver_.add(differ);
    const z3::check_result found = assay::check_within(solver_, query_.limit_ms);
    if (found == z3::sat) {
      const z3::model model = solver_.get_model();
      for (const auto& [name, value] : terms_.unknowns())
        text += (text.empty() ? "" : ", ") + name + " = " + model.eval(value, true).to_string();
    }
    solver_.pop();
    return found == z3::unsat ? Answer::kYes : found == z3::sat ? Answer::kNo : Answer::kUnknown;
  }

  void assume(const Condition& condition, const Coordinates& at) {
    const auto value = [&](size_t i) { return run_.number(condition.operands[i], at).value; };
    switch (condition.kind) {
      case Condition::Kind::kPositive:
        return solver_.add(value(0) > 0);
      case Condition::Kind::kNonnegative:
        return solver_.add(value(0) >= 0);
      case Condition::Kind::kNonzero:
        return solver_.add(value(0) != 0);
      case Condition::Kind::kDisjoint:
        return solver_.add(
            !(run_.mask(condition.operands[0], at) && run_.mask(condition.operands[1], at)));
      case Condition::Kind::kIndependent:
        return;  // by Terms
    }
  }

  const LemmaQuery& query_;
  z3::context context_;
  z3::solver solver_;
  Terms terms_;
  assay::FormulaRun<Terms> run_;
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
