#include "shared_ir/lower/node/random_operators.h"

#include <set>
#include <string>

#include <toml++/toml.h>

#include "random_operator_files.h"
#include "shared_ir/operator_table/operator_table.h"
#include "shared_ir/operator_table/schema.h"

namespace assay::lowering {
namespace {

std::set<std::string> read_names() {
  std::set<std::string> names;
  for (const EmbeddedFile& file : random_operator_files()) {
    const toml::table table = toml::parse(file.text);
    for (const toml::node& name : *table["operators"].as_array())
      names.insert(normal_operator_name(*name.value<std::string_view>()));
  }
  return names;
}

}  // namespace

bool draws_random_numbers(std::string_view op) {
  if (const auto schema = memory::torch_schema(op)) return schema->random;
  static const auto* const names = new std::set<std::string>(read_names());
  return names->contains(normal_operator_name(op));
}

}  // namespace assay::lowering
