#include "tests/declarations/call_table.h"

#include <algorithm>

#include <toml++/toml.h>

#include "call_files.h"
#include "shared_ir/base/error.h"

namespace assay::test {
namespace {

std::vector<std::string> texts(const toml::table& table, std::string_view key) {
  std::vector<std::string> result;
  if (const toml::array* list = table[key].as_array())
    for (const toml::node& element : *list) result.push_back(element.value<std::string>().value());
  return result;
}

constexpr std::string_view kKeys[] = {"names",     "calls",      "refused", "compared",
                                      "tolerance", "arithmetic", "untested"};

CallGroup read_group(const toml::table& table, const std::string& file) {
  const auto fail = [&](const toml::node& node, const std::string& message) {
    throw UserError({file, static_cast<int64_t>(node.source().begin.line), 0}, message);
  };
  for (const auto& [key, node] : table)
    if (!std::count(std::begin(kKeys), std::end(kKeys), key.str()))
      fail(node, "unknown key '" + std::string(key.str()) + "'");
  CallGroup group;
  group.names = texts(table, "names");
  group.calls = texts(table, "calls");
  group.refused = texts(table, "refused");
  group.only_shapes = table["compared"].value_or(std::string_view()) == "shapes";
  group.tolerance = table["tolerance"].value_or(group.tolerance);
  group.in_float32 = table["arithmetic"].value_or(std::string_view()) == "float32";
  group.untested = table["untested"].value_or(std::string());
  if (group.names.empty()) fail(table, "an operator is needed");
  if ((group.calls.empty() && group.refused.empty()) == group.untested.empty())
    fail(table, "either calls are needed, or a reason why there are none");
  return group;
}

}  // namespace

std::vector<CallTable> call_tables() {
  std::vector<CallTable> tables;
  for (const EmbeddedFile& file : call_files()) {
    CallTable& table = tables.emplace_back();
    table.file = file.name;
    const toml::table parsed = toml::parse(file.text);
    for (const toml::node& group : *parsed["operator"].as_array())
      table.groups.push_back(read_group(*group.as_table(), table.file));
  }
  return tables;
}

}  // namespace assay::test
