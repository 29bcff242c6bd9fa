// Which atoms are real numbers everywhere (or minus infinity), and which are greater than 0. A sum
// of positive numbers is positive however few of them a box leaves: boxes are never empty.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "shared_ir/reference/element_functions.h"
#include "static_check/checker/facts/facts.h"

namespace assay::checker {
namespace {

// Finite where their operands are finite.
bool keeps_finite(const std::string& fn) {
  static const std::set<std::string> functions = {"exp",
                                                  "sigmoid",
                                                  "tanh",
                                                  "relu",
                                                  "gelu(none)",
                                                  "gelu(tanh)",
                                                  "silu",
                                                  "sin",
                                                  "cos",
                                                  "erf",
                                                  "abs",
                                                  "maximum",
                                                  "minimum",
                                                  "tanh_slope",
                                                  "silu_slope",
                                                  "pow(2)",
                                                  "sign",
                                                  "floor",
                                                  "ceil",
                                                  "trunc",
                                                  "atan",
                                                  "gelu_slope(none)",
                                                  "gelu_slope(tanh)",
                                                  "sigmoid_slope"};
  // An epsilon, or a divisor.
  const auto with_epsilon = [&](const char* name) {
    return fn.starts_with(name) && reference::parse_function_name(fn).number(0) > 0;
  };
  return functions.contains(fn) || with_epsilon("softplus(") || with_epsilon("layer_norm.xhat(") ||
         with_epsilon("rms_norm.xhat(");
}

// A truth value.
bool is_flag(const std::string& fn) {
  static const std::set<std::string> functions = {"eq", "ne", "lt",  "le",  "gt",
                                                  "ge", "or", "and", "xor", "not"};
  return functions.contains(fn);
}

// A clamp between real numbers.
bool is_real_clamp(const std::string& fn) {
  if (!fn.starts_with("clamp(")) return false;
  const reference::FunctionName clamp = reference::parse_function_name(fn);
  if (clamp.attributes.size() != 2 || clamp.text(0) == "none") return false;
  return std::isfinite(clamp.number(0)) &&
         (clamp.text(1) == "none" || std::isfinite(clamp.number(1)));
}

// The number of a constant that is no rational one; nan for other functions.
double number_of(const Instance& instance) {
  if (instance.kind != Instance::Kind::kOpaque || !instance.operands.empty() ||
      !instance.fn.starts_with("constant("))
    return NAN;
  const reference::FunctionName constant = reference::parse_function_name(instance.fn);
  return constant.attributes.size() == 1 ? constant.number(0) : NAN;
}

// Each element times itself.
bool squares(const Instance& product) {
  const auto &x = product.operands[0], &y = product.operands[1];
  return x.atom == y.atom && x.offset == y.offset &&
         std::all_of(product.labels.begin(), product.labels.end(), [](const InstanceLabel& label) {
           return label.strides[0] == label.strides[1];
         });
}

}  // namespace

void Facts::derive_sign(AtomId id) {
  const Atom& made = atom(id);
  Fact& fact = facts_[static_cast<size_t>(id)];
  if (made.kind != Atom::Kind::kInstance) {
    fact.positive = made.kind == Atom::Kind::kOne;
    fact.finite = fact.positive || made.kind == Atom::Kind::kInput ||
                  made.kind == Atom::Kind::kIota || made.kind == Atom::Kind::kOneHot;
    fact.below = fact.finite;
    fact.above = fact.finite || made.kind == Atom::Kind::kInfinity;
    fact.nonnegative = fact.whole_positive = fact.positive;
    return;
  }
  const Instance& instance = *definition(id);
  const auto all = [&](bool Fact::*known) {
    return std::all_of(instance.operands.begin(), instance.operands.end(),
                       [&](const auto& of) { return facts_[static_cast<size_t>(of.atom)].*known; });
  };
  const bool finite = all(&Fact::finite), below = all(&Fact::below), above = all(&Fact::above);
  const bool whole_positive = !instance.operands.empty() && all(&Fact::whole_positive);
  const bool positive = !instance.operands.empty() && all(&Fact::positive);
  const bool nonnegative = !instance.operands.empty() && all(&Fact::nonnegative);
  using Kind = Instance::Kind;
  switch (instance.kind) {
    case Kind::kMul:
      fact.finite = finite;
      fact.positive = positive;
      fact.nonnegative = finite && (nonnegative || squares(instance));
      fact.whole_positive = finite && whole_positive;
      break;
    case Kind::kSum:
    case Kind::kMax:
    case Kind::kMin:
    case Kind::kCat:
      fact.below = below;
      fact.above = above;
      fact.finite = finite;
      fact.positive = positive;
      fact.nonnegative = nonnegative;
      fact.whole_positive = instance.kind == Kind::kSum
                                ? positive || (nonnegative && every_sum_is_positive(instance))
                                : whole_positive;
      break;
    case Kind::kCombine: {
      const auto every = [&](const auto& holds) {
        return std::all_of(
            instance.terms.begin(), instance.terms.end(), [&](const Instance::CombineTerm& term) {
              const AtomId of = instance.operands[static_cast<size_t>(term.operand)].atom;
              return holds(term, of, facts_[static_cast<size_t>(of)]);
            });
      };
      using Term = Instance::CombineTerm;
      fact.below = every([](const Term& term, AtomId, const Fact& known) {
        return term.coef.is_positive() ? known.below : known.above;
      });
      fact.above = every([](const Term& term, AtomId, const Fact& known) {
        return term.coef.is_positive() ? known.above : known.below;
      });
      fact.finite = every([](const Term&, AtomId, const Fact& known) { return known.finite; });
      fact.nonnegative =
          !instance.terms.empty() && every([](const Term& term, AtomId, const Fact& known) {
            return known.nonnegative && term.coef.is_positive();
          });
      // Guards can leave nothing of a term.
      fact.positive = fact.nonnegative && !every([](const Term& term, AtomId, const Fact& known) {
                        return !known.positive || !term.guard_operands.empty();
                      });
      break;
    }
    case Kind::kMap:
    case Kind::kBlock:
      if (instance.fn == "sqrt" || instance.fn == "rsqrt") {
        fact.positive = positive;
        fact.nonnegative = positive || (nonnegative && instance.fn == "sqrt");
        fact.finite = fact.nonnegative;
        break;
      }
      if (instance.fn == "log" || instance.fn == "reciprocal") {
        fact.finite = whole_positive;
        fact.positive = whole_positive && instance.fn == "reciprocal";
        break;
      }
      if (instance.fn == "keep") {  // the value, or 0
        fact.below = below;
        fact.above = above;
        fact.finite = finite;
        fact.nonnegative = nonnegative;
        break;
      }
      fact.finite = is_flag(instance.fn) || (finite && keeps_finite(instance.fn)) ||
                    (below && (instance.fn == "exp" || is_real_clamp(instance.fn)));
      fact.positive = ((instance.fn == "exp" || instance.fn == "sigmoid") && finite) ||
                      ((instance.fn == "maximum" || instance.fn == "minimum") && positive);
      fact.nonnegative = (finite && (instance.fn == "abs" || instance.fn == "relu")) ||
                         (below && instance.fn == "exp");
      break;
    case Kind::kOpaque:
      fact.finite = std::isfinite(number_of(instance));
      fact.positive = fact.finite && number_of(instance) > 0;
      fact.nonnegative = fact.finite && number_of(instance) >= 0;
      break;
    case Kind::kDraw:
      break;
  }
  fact.below = fact.below || fact.finite;
  fact.above = fact.above || fact.finite;
  fact.nonnegative = fact.nonnegative || fact.positive;
  fact.whole_positive = fact.whole_positive || fact.positive;
}

}  // namespace assay::checker
