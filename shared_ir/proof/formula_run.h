// Formulas over whatever stands for numbers and masks.
#pragma once

#include <optional>
#include <string>

#include "shared_ir/base/error.h"
#include "shared_ir/proof/formula.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

// The value of a formula at a place, over an algebra:
//
//   types Number, Mask, and Place, which has a coordinate for each dimension;
//   Number variable(name, place);  Mask mask(name, place);
//   Int size(dim);  Int& coordinate(Place&, dim);
//   Number constant(Rational), keep(Mask, Number);
//   Number add(x, y), multiply(x, y), larger(x, y);
//   Number inverse(x), exp(x), log(x), sqrt(x), sin(x), cos(x);
//   Mask negation(a), both(a, b), either(a, b)
template <class Algebra>
class FormulaRun {
 public:
  using Number = typename Algebra::Number;
  using Mask = typename Algebra::Mask;
  using Place = typename Algebra::Place;

  explicit FormulaRun(Algebra& algebra) : algebra_(algebra) {}

  Number number(const Formula& formula, const Place& at) {
    switch (formula.kind) {
      case Formula::Kind::kVariable:
        return algebra_.variable(formula.name, at);
      case Formula::Kind::kNumber:
        return algebra_.constant(formula.number);
      case Formula::Kind::kSize:
        return algebra_.constant(algebra_.size(formula.dim));
      case Formula::Kind::kCall:
        break;
    }
    return formula.dim.empty() ? call(formula, at) : reduce(formula, at);
  }

  Mask mask(const Formula& formula, const Place& at) {
    if (formula.kind == Formula::Kind::kVariable) return algebra_.mask(formula.name, at);
    const Mask first = mask(formula.operands[0], at);
    if (formula.name == "not") return algebra_.negation(first);
    const Mask second = mask(formula.operands[1], at);
    return formula.name == "and" ? algebra_.both(first, second) : algebra_.either(first, second);
  }

 private:
  Number negative(const Number& x) { return algebra_.multiply(algebra_.constant(-1), x); }

  Number call(const Formula& formula, const Place& at) {
    const std::string& name = formula.name;
    if (name == "keep") {
      const Number kept = number(formula.operands[1], at);
      return algebra_.keep(mask(formula.operands[0], at), kept);
    }
    const Number x = number(formula.operands[0], at);
    if (name == "exp") return algebra_.exp(x);
    if (name == "log") return algebra_.log(x);
    if (name == "sqrt") return algebra_.sqrt(x);
    if (name == "rsqrt") return algebra_.inverse(algebra_.sqrt(x));
    if (name == "sin") return algebra_.sin(x);
    if (name == "cos") return algebra_.cos(x);
    if (name == "reciprocal") return algebra_.inverse(x);
    if (name == "sigmoid")
      return algebra_.inverse(algebra_.add(algebra_.constant(1), algebra_.exp(negative(x))));
    const Number y = number(formula.operands[1], at);
    if (name == "add") return algebra_.add(x, y);
    if (name == "mul") return algebra_.multiply(x, y);
    ASSAY_CHECK(name == "maximum", "a function without a value: " + name);
    return algebra_.larger(x, y);
  }

  Number reduce(const Formula& formula, Place at) {
    const bool largest = formula.name == "max";
    const bool exponentials = !largest && formula.name != "sum";
    const Int own = algebra_.coordinate(at, formula.dim);
    std::optional<Number> total, mine;
    if (!largest) total.emplace(algebra_.constant(0));
    for (Int i = 0; i < algebra_.size(formula.dim); ++i) {
      algebra_.coordinate(at, formula.dim) = i;
      Number x = number(formula.operands[0], at);
      if (exponentials) {
        if (i == own) mine.emplace(x);
        x = algebra_.exp(x);
      }
      total.emplace(!total ? x : largest ? algebra_.larger(*total, x) : algebra_.add(*total, x));
    }
    if (!exponentials) return *total;
    if (formula.name == "softmax")
      return algebra_.multiply(algebra_.exp(*mine), algebra_.inverse(*total));
    ASSAY_CHECK(formula.name == "log_softmax", "a reduction without a value: " + formula.name);
    return algebra_.add(*mine, negative(algebra_.log(*total)));
  }

  Algebra& algebra_;
};

}  // namespace assay
