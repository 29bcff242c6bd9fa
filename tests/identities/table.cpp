#include "tests/identities/table.h"

#include <fmt/format.h>

#include <set>

#include "shared_ir/case/toml_reader.h"

namespace assay::test {
namespace {

const std::set<std::string> kKinds{"real",        "positive", "unit", "small",
                                   "probability", "mask",     "index"};
const std::set<std::string> kOfRanks{"part", "all_reduce", "all_gather", "reduce_scatter"};

bool is_of_ranks(const PairFormula& formula) {
  if (formula.kind == PairFormula::Kind::kName) return formula.name == "rank";
  if (formula.kind == PairFormula::Kind::kCall && kOfRanks.contains(formula.name)) return true;
  for (const PairFormula& operand : formula.operands)
    if (is_of_ranks(operand)) return true;
  return false;
}

// "name: kind[size, ...]" or "name: index(rows)[size, ...]".
IdentityOperand operand_of(const PlacedText& text) {
  const auto fail = [&] {
    throw UserError(text.place, fmt::format("'{}' is no operand", text.text),
                    "write 'x: real[b, n]' or 'i: index(n)[b]'");
  };
  const size_t colon = text.text.find(':'), open = text.text.rfind('[');
  if (colon == std::string::npos || open == std::string::npos || open < colon) fail();
  IdentityOperand operand;
  operand.name = text.text.substr(0, colon);
  operand.shape = parse_pair_formula(std::string_view(text.text).substr(open), text.place).operands;
  const PairFormula kind = parse_pair_formula(
      std::string_view(text.text).substr(colon + 1, open - colon - 1), text.place);
  operand.kind = kind.name;
  if (!kKinds.contains(kind.name) || (kind.name == "index") != (kind.operands.size() == 1)) fail();
  if (kind.name == "index") operand.below = kind.operands[0];
  return operand;
}

std::map<std::string, std::string> load_operators(const std::string& file) {
  const toml::table parsed = parse_toml_file(file);
  TomlTable root(parsed, "", file);
  TomlTable operators = root.table("operators", true);
  root.finish();
  std::map<std::string, std::string> result;
  for (const PlacedText& name : operators.keys()) result[name.text] = operators.text(name.text);
  return result;
}

PairIdentity identity_of(const std::string& name, TomlTable entry) {
  PairIdentity identity;
  identity.name = name;
  for (const PlacedText& operand : entry.texts("of"))
    identity.operands.push_back(operand_of(operand));
  const PlacedText left = entry.placed_text("left"), right = entry.placed_text("right");
  identity.left = parse_pair_formula(left.text, left.place);
  identity.right = parse_pair_formula(right.text, right.place);
  identity.of_ranks = is_of_ranks(identity.right);
  entry.finish();
  return identity;
}

}  // namespace

IdentityTable load_identities(const std::filesystem::path& folder) {
  IdentityTable table;
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.insert(entry.path());
  for (const std::filesystem::path& path : files) {
    const std::string file = path.string();
    if (path.filename() == "operators.toml") {
      table.operators = load_operators(file);
      continue;
    }
    const toml::table parsed = parse_toml_file(file);
    TomlTable root(parsed, "", file);
    for (const PlacedText& name : root.keys())
      table.identities.push_back(identity_of(name.text, root.table(name.text)));
  }
  return table;
}

}  // namespace assay::test
