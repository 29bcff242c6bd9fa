#include "static_check/checker/facts/rewriting.h"

#include <algorithm>
#include <optional>
#include <set>

#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/facts/regions.h"

namespace assay::checker {
namespace {

class Rewriting {
 public:
  Rewriting(const LemmaProof& proof, const LemmaTable& lemmas) : proof_(proof), lemmas_(lemmas) {}

  void apply(const LemmaProof::Step& step, Formula& formula) const {
    Formula* at = at_path(formula, step.path);
    if (at == nullptr) throw Rejection{"a step at no place of its formula"};
    switch (step.kind) {
      case LemmaProof::Step::Kind::kLemma:
        return apply_lemma(step, *at);
      case LemmaProof::Step::Kind::kDefinition: {
        if (step.definition < 0 ||
            static_cast<size_t>(step.definition) >= proof_.definitions.size())
          throw Rejection{"a step by no definition"};
        const auto& made = proof_.definitions[static_cast<size_t>(step.definition)];
        const Formula leaf = make_variable(leaf_name(made.leaf));
        return replace(*at, step.forward ? leaf : made.formula, step.forward ? made.formula : leaf,
                       "a definition");
      }
      case LemmaProof::Step::Kind::kArithmetic: {
        const auto before = number(*at), after = number(step.replacement);
        if (!before || !after || !(*before == *after))
          throw Rejection{"arithmetic: " + to_string(*at) + " is not " +
                          to_string(step.replacement)};
        *at = step.replacement;
        return;
      }
    }
  }

 private:
  static void replace(Formula& at, const Formula& from, const Formula& to, const std::string& by) {
    if (at != from)
      throw Rejection{by + " is of " + to_string(from) + ", which is not " + to_string(at)};
    at = to;
  }

  void apply_lemma(const LemmaProof::Step& step, Formula& at) const {
    const Lemma* lemma = lemmas_.find(step.lemma);
    if (lemma == nullptr) throw Rejection{"no lemma is called " + step.lemma};
    check_substitution(*lemma, step);
    for (const Condition& condition : lemma->conditions)
      if (!holds(condition, step))
        throw Rejection{"lemma " + step.lemma + ": " + to_string(condition) +
                        " does not show on its instance"};
    const Formula left = instance(lemma->left, step), right = instance(lemma->right, step);
    replace(at, step.forward ? left : right, step.forward ? right : left, "lemma " + step.lemma);
  }

  // Something for every variable and dimension; two dimensions of a lemma stay two.
  void check_substitution(const Lemma& lemma, const LemmaProof::Step& step) const {
    for (const std::string& variable : variables_of(lemma))
      if (!step.variables.contains(variable))
        throw Rejection{"lemma " + step.lemma + ": nothing for " + variable};
    std::set<std::string> taken;
    for (const std::string& dim : dims_of(lemma)) {
      const auto found = step.dims.find(dim);
      if (found == step.dims.end() || !taken.insert(found->second).second || !size(found->second))
        throw Rejection{"lemma " + step.lemma + ": no dimension of its own for " + dim};
    }
  }

  Formula instance(const Formula& side, const LemmaProof::Step& step) const {
    if (side.kind == Formula::Kind::kVariable) return step.variables.at(side.name);
    Formula result = side;
    if (!side.dim.empty()) result.dim = step.dims.at(side.dim);
    for (Formula& operand : result.operands) operand = instance(operand, step);
    return result;
  }

  bool holds(const Condition& condition, const LemmaProof::Step& step) const {
    const Formula of = instance(condition.operands[0], step);
    switch (condition.kind) {
      case Condition::Kind::kPositive:
        return sign(of) == Sign::kPositive;
      case Condition::Kind::kNonnegative:
        return sign(of) == Sign::kPositive || sign(of) == Sign::kNonnegative;
      case Condition::Kind::kNonzero:
        return sign(of) == Sign::kPositive || sign(of) == Sign::kNonzero;
      case Condition::Kind::kIndependent:
        return !depends(of, step.dims.at(condition.dim));
      case Condition::Kind::kDisjoint: {
        const Formula other = instance(condition.operands[1], step);
        return of == make_call("not", {other}) || other == make_call("not", {of});
      }
    }
    return false;
  }

  enum class Sign { kPositive, kNonnegative, kNonzero, kAny };

  Sign sign(const Formula& formula) const {
    if (const auto value = number(formula))
      return value->is_positive() ? Sign::kPositive
             : value->is_zero()   ? Sign::kNonnegative
                                  : Sign::kNonzero;
    if (formula.kind != Formula::Kind::kCall) return Sign::kAny;
    const std::string& name = formula.name;
    if (name == "exp" || name == "sigmoid" || name == "softmax") return Sign::kPositive;
    const bool keeps_sign = name == "reciprocal" || name == "sqrt" || name == "rsqrt" ||
                            name == "sum" || name == "max" || name == "add" || name == "mul" ||
                            name == "maximum";
    if (!keeps_sign)
      return name == "keep" && sign_at_least_0(formula.operands[1]) ? Sign::kNonnegative
                                                                    : Sign::kAny;
    const Sign x = sign(formula.operands[0]);
    const Sign y = formula.operands.size() > 1 ? sign(formula.operands[1]) : x;
    const auto none_negative = [](Sign one) {
      return one == Sign::kPositive || one == Sign::kNonnegative;
    };
    const auto not_zero = [](Sign one) { return one == Sign::kPositive || one == Sign::kNonzero; };
    if (x == Sign::kPositive && y == Sign::kPositive) return Sign::kPositive;
    const bool either = x == Sign::kPositive || y == Sign::kPositive;
    if (name == "maximum")
      return either                                 ? Sign::kPositive
             : none_negative(x) || none_negative(y) ? Sign::kNonnegative
                                                    : Sign::kAny;
    if (name == "add" && none_negative(x) && none_negative(y))
      return either ? Sign::kPositive : Sign::kNonnegative;
    if (name == "mul" && not_zero(x) && not_zero(y)) return Sign::kNonzero;
    if (name == "reciprocal" && x == Sign::kNonzero) return Sign::kNonzero;
    if ((name == "mul" || name == "sum" || name == "max") && none_negative(x) && none_negative(y))
      return Sign::kNonnegative;
    return Sign::kAny;
  }

  bool sign_at_least_0(const Formula& formula) const {
    return sign(formula) == Sign::kPositive || sign(formula) == Sign::kNonnegative;
  }

  bool depends(const Formula& formula, const std::string& dim) const {
    switch (formula.kind) {
      case Formula::Kind::kNumber:
      case Formula::Kind::kSize:
        return false;
      case Formula::Kind::kVariable: {
        const int32_t leaf = leaf_number(formula.name);
        if (leaf < 0 || static_cast<size_t>(leaf) >= proof_.leaves.size())
          throw Rejection{"a variable that is no leaf: " + formula.name};
        for (size_t i = 0; i < proof_.dims.size(); ++i)
          if (proof_.dims[i].name == dim)
            return proof_.leaves[static_cast<size_t>(leaf)].strides[i] != 0;
        return true;
      }
      case Formula::Kind::kCall:
        break;
    }
    if (formula.dim == dim) return formula.name != "sum" && formula.name != "max";
    return std::any_of(formula.operands.begin(), formula.operands.end(),
                       [&](const Formula& operand) { return depends(operand, dim); });
  }

  std::optional<Int> size(const std::string& dim) const {
    for (const LemmaProof::Dim& one : proof_.dims)
      if (one.name == dim) return one.size;
    return std::nullopt;
  }

  // The value of a formula of numbers and sizes.
  std::optional<Rational> number(const Formula& formula) const {
    if (formula.kind == Formula::Kind::kNumber) return formula.number;
    if (formula.kind == Formula::Kind::kSize) {
      const auto known = size(formula.dim);
      return known ? std::optional<Rational>(*known) : std::nullopt;
    }
    if (formula.kind != Formula::Kind::kCall) return std::nullopt;
    if (formula.name != "add" && formula.name != "mul" && formula.name != "reciprocal")
      return std::nullopt;
    const auto x = number(formula.operands[0]);
    if (!x) return std::nullopt;
    if (formula.name == "reciprocal")
      return x->is_zero() ? std::nullopt : std::optional<Rational>(Rational(1) / *x);
    const auto y = number(formula.operands[1]);
    if (!y) return std::nullopt;
    return formula.name == "add" ? *x + *y : *x * *y;
  }

  const LemmaProof& proof_;
  const LemmaTable& lemmas_;
};

}  // namespace

Formula rewrite(Formula formula, const LemmaProof& proof, const LemmaTable& lemmas) {
  const Rewriting rewriting(proof, lemmas);
  for (const LemmaProof::Step& step : proof.steps) rewriting.apply(step, formula);
  return formula;
}

}  // namespace assay::checker
