#include "shared_ir/case/symbols.h"

#include <algorithm>

namespace assay {
namespace {

// With the largest divisor that constraints of the form "NAME % NUMBER == 0" give.
Int declare(const Symbol& symbol, PlainInt value) {
  PlainInt divisor = 1;
  for (const Constraint& constraint : symbol.constraints) {
    for (const SizeComparison& comparison : constraint.comparisons) {
      const auto is_number = [](const SymbolExpr& expr) {
        return expr.kind == SymbolExpr::Kind::kNumber;
      };
      const SymbolExpr &rest = comparison.left, &zero = comparison.right;
      if (comparison.kind != SizeComparison::Kind::kEqual || !is_number(zero) || zero.number != 0 ||
          rest.kind != SymbolExpr::Kind::kRemainder || rest.operands[0].name != symbol.name ||
          !is_number(rest.operands[1]) || rest.operands[1].number < 1)
        continue;
      divisor = std::max<PlainInt>(divisor, rest.operands[1].number);
    }
  }
  return assay::symbol(symbol.name, value, divisor);
}

}  // namespace

std::vector<Symbol> read_symbols(TomlTable table) {
  std::vector<Symbol> symbols;
  for (const PlacedText& key : table.keys()) {
    if (!is_symbol_name(key.text)) {
      throw UserError(key.place, "'" + key.text + "' is no name of a symbol",
                      "a symbol is a word of letters, digits and _ that starts with no digit");
    }
    Symbol& symbol = symbols.emplace_back(Symbol{key.text, key.place, {}});
    for (const PlacedText& text : table.texts(key.text))
      symbol.constraints.push_back(parse_constraint(text.text, text.place));
    if (symbol.constraints.empty()) {
      throw UserError(key.place, "symbol '" + key.text + "' has no constraint",
                      "say which values it may have: \"" + key.text + " >= 2\"");
    }
  }
  return symbols;
}

SymbolValues values_at(const std::vector<Symbol>& symbols, const SymbolInstance& instance) {
  SymbolValues values;
  for (const Symbol& symbol : symbols) {
    const auto value = instance.find(symbol.name);
    if (value == instance.end()) {
      throw UserError(symbol.place, "symbol '" + symbol.name + "' has no value here",
                      "'assay check' chooses sizes for the symbols of a case");
    }
    values.emplace(symbol.name, declare(symbol, value->second));
  }
  for (const Symbol& symbol : symbols) {
    for (const Constraint& constraint : symbol.constraints) {
      for (const SizeComparison& comparison : constraint.comparisons) {
        const Int left = evaluate(comparison.left, values, constraint.place);
        const Int right = evaluate(comparison.right, values, constraint.place);
        const bool strictly = comparison.kind == SizeComparison::Kind::kLess;
        if (strictly || comparison.kind == SizeComparison::Kind::kLessEqual)
          assume_ordered(left, right, strictly);
      }
      if (!holds(constraint, values)) {
        throw UserError(constraint.place,
                        "the sizes chosen do not satisfy \"" + constraint.text + "\"");
      }
    }
  }
  return values;
}

}  // namespace assay
