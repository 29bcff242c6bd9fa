#include "shared_ir/proof/lemma.h"

#include <algorithm>

#include "shared_ir/proof/lemma_conditions.h"

namespace assay {
namespace {

using ConditionKind = Condition::Kind;

constexpr std::pair<ConditionKind, std::string_view> kConditions[] = {
    {ConditionKind::kPositive, "positive"},       {ConditionKind::kNonnegative, "nonnegative"},
    {ConditionKind::kNonzero, "nonzero"},         {ConditionKind::kDisjoint, "disjoint"},
    {ConditionKind::kIndependent, "independent"},
};

}  // namespace

std::string_view condition_name(Condition::Kind kind) {
  return std::find_if(std::begin(kConditions), std::end(kConditions),
                      [&](const auto& one) { return one.first == kind; })
      ->second;
}

std::optional<Condition::Kind> find_condition(std::string_view name) {
  for (const auto& [kind, text] : kConditions)
    if (text == name) return kind;
  return std::nullopt;
}

void for_each_formula(const Lemma& lemma, const std::function<void(const Formula&)>& visit) {
  const std::function<void(const Formula&)> walk = [&](const Formula& formula) {
    visit(formula);
    for (const Formula& operand : formula.operands) walk(operand);
  };
  walk(lemma.left);
  walk(lemma.right);
  for (const Condition& condition : lemma.conditions)
    for (const Formula& operand : condition.operands) walk(operand);
}

std::string to_string(const Condition& condition) {
  std::string text =
      std::string(condition_name(condition.kind)) + "(" + to_string(condition.operands[0]);
  if (condition.kind == ConditionKind::kDisjoint) text += ", " + to_string(condition.operands[1]);
  if (condition.kind == ConditionKind::kIndependent) text += ", " + condition.dim;
  return text + ")";
}

std::set<std::string> variables_of(const Lemma& lemma) {
  std::set<std::string> result;
  for_each_formula(lemma, [&](const Formula& formula) {
    if (formula.kind == Formula::Kind::kVariable) result.insert(formula.name);
  });
  return result;
}

std::set<std::string> masks_of(const Lemma& lemma) {
  std::set<std::string> result;
  const auto note = [&](const Formula& formula) {
    if (formula.kind == Formula::Kind::kVariable) result.insert(formula.name);
  };
  for_each_formula(lemma, [&](const Formula& formula) {
    const FormulaFunction* function =
        formula.kind == Formula::Kind::kCall ? find_function(formula.name) : nullptr;
    if (function == nullptr || !function->of_masks) return;
    note(formula.operands[0]);
    if (function->makes_mask && formula.operands.size() > 1) note(formula.operands[1]);
  });
  for (const Condition& condition : lemma.conditions)
    if (condition.kind == ConditionKind::kDisjoint)
      for (const Formula& operand : condition.operands) note(operand);
  return result;
}

std::set<std::string> dims_of(const Lemma& lemma) {
  std::set<std::string> result;
  for_each_formula(lemma, [&](const Formula& formula) {
    if (!formula.dim.empty()) result.insert(formula.dim);
  });
  for (const Condition& condition : lemma.conditions)
    if (!condition.dim.empty()) result.insert(condition.dim);
  return result;
}

bool is_mask(const Formula& formula, const std::set<std::string>& masks) {
  if (formula.kind == Formula::Kind::kVariable) return masks.contains(formula.name);
  const FormulaFunction* function =
      formula.kind == Formula::Kind::kCall ? find_function(formula.name) : nullptr;
  return function != nullptr && function->makes_mask;
}

void LemmaTable::add(Lemma lemma) {
  ASSAY_CHECK(find(lemma.name) == nullptr, "a lemma's name is taken");
  by_name_.emplace(lemma.name, lemmas_.size());
  lemmas_.push_back(std::move(lemma));
}

const Lemma* LemmaTable::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &lemmas_[found->second];
}

}  // namespace assay
