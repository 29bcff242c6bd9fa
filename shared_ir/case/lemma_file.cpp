// Lemma files (lemma.h), read strictly.
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "shared_ir/case/toml_reader.h"
#include "shared_ir/proof/lemma_conditions.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {
namespace {

// "kind(formula)", "disjoint(m, n)", "independent(x, d)".
Condition parse_condition(const PlacedText& text) {
  const auto fail = [&](const std::string& message) {
    throw UserError(text.place, message,
                    "a condition is positive(x), nonnegative(x), nonzero(x), disjoint(m, n) or "
                    "independent(x, d)");
  };
  const size_t open = text.text.find('(');
  if (open == std::string::npos || !text.text.ends_with(')')) fail("expected a condition");
  Condition result;
  const std::string_view name = std::string_view(text.text).substr(0, open);
  const auto kind = find_condition(name);
  if (!kind) fail(fmt::format("unknown condition '{}'", name));
  result.kind = *kind;
  const bool two =
      result.kind == Condition::Kind::kDisjoint || result.kind == Condition::Kind::kIndependent;
  size_t start = open + 1;
  const size_t end = text.text.size() - 1;
  const auto operand = [&](size_t until) {
    SourcePlace place = text.place;
    place.column += static_cast<PlainInt>(start);
    Formula formula =
        parse_formula(std::string_view(text.text).substr(start, until - start), place);
    start = until + 1;
    return formula;
  };
  const size_t comma = two ? text.text.rfind(',') : end;
  if (comma == std::string::npos) fail(fmt::format("'{}' has two operands", name));
  result.operands.push_back(operand(comma));
  if (two) result.operands.push_back(operand(end));
  if (result.kind != Condition::Kind::kIndependent) return result;
  for (const Formula& part : result.operands)
    if (part.kind != Formula::Kind::kVariable)
      fail("independent(x, d) is of a variable and a dimension");
  result.dim = result.operands.back().name;
  result.operands.pop_back();
  return result;
}

// Throws UserError where a mask stands for a number, or the other way round.
void check_sorts(const Lemma& lemma) {
  const std::set<std::string> masks = masks_of(lemma);
  const auto expect = [&](const Formula& formula, bool mask) {
    if (is_mask(formula, masks) != mask)
      throw UserError(
          lemma.place,
          fmt::format("lemma '{}': '{}' is {} where a {} must stand", lemma.name,
                      to_string(formula), mask ? "a number" : "a mask", mask ? "mask" : "number"));
  };
  for_each_formula(lemma, [&](const Formula& formula) {
    const FormulaFunction* function =
        formula.kind == Formula::Kind::kCall ? find_function(formula.name) : nullptr;
    for (size_t i = 0; i < formula.operands.size(); ++i)
      expect(formula.operands[i],
             function != nullptr && function->of_masks && (i == 0 || function->makes_mask));
  });
  for (const Condition& condition : lemma.conditions)
    for (const Formula& operand : condition.operands)
      if (condition.kind != Condition::Kind::kIndependent)
        expect(operand, condition.kind == Condition::Kind::kDisjoint);
  expect(lemma.right, is_mask(lemma.left, masks));
}

// Conditions speak of what the sides have.
void check_conditions(const Lemma& lemma, const std::vector<PlacedText>& texts) {
  Lemma sides = lemma;
  sides.conditions.clear();
  const std::set<std::string> variables = variables_of(sides), dims = dims_of(sides);
  for (size_t i = 0; i < texts.size(); ++i) {
    Lemma alone;
    alone.conditions = {lemma.conditions[i]};
    for (const std::string& variable : variables_of(alone))
      if (!variables.contains(variable))
        throw UserError(texts[i].place, fmt::format("neither side has a variable '{}'", variable));
    for (const std::string& dim : dims_of(alone))
      if (!dims.contains(dim))
        throw UserError(texts[i].place, fmt::format("neither side has a dimension '{}'", dim));
  }
}

Lemma read_lemma(const std::string& name, TomlTable table, const SourcePlace& place) {
  Lemma lemma;
  lemma.name = name;
  lemma.place = place;
  const auto side = [&](const std::string& key) {
    const PlacedText text = table.placed_text(key);
    return parse_formula(text.text, text.place);
  };
  lemma.left = side("left");
  lemma.right = side("right");
  lemma.source = table.text("source");
  std::vector<PlacedText> conditions;
  if (table.has("where")) conditions = table.texts("where");
  for (const PlacedText& text : conditions) lemma.conditions.push_back(parse_condition(text));
  table.finish();
  check_sorts(lemma);
  check_conditions(lemma, conditions);
  return lemma;
}

}  // namespace

void LemmaTable::add_text(std::string_view text, const std::string& file) {
  const toml::table parsed = parse_toml_text(text, file);
  TomlTable root(parsed, "the lemma file", file);
  for (const PlacedText& key : root.keys()) {
    if (const Lemma* known = find(key.text))
      throw UserError(key.place, fmt::format("lemma '{}' is stated twice, first at {}", key.text,
                                             to_string(known->place)));
    add(read_lemma(key.text, root.table(key.text), key.place));
  }
}

void LemmaTable::add_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw UserError({file.string()}, "cannot read the lemmas");
  add_text(std::string(std::istreambuf_iterator<char>(stream), {}), file.string());
}

}  // namespace assay
