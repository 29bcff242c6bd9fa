#include "shared_ir/case/toml_reader.h"

#include <algorithm>
#include <fstream>
#include <tuple>

#include "shared_ir/base/toml_keys.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

TomlTable::TomlTable(const toml::table& table, std::string where, const std::string& file)
    : table_(table), where_(std::move(where)), file_(file) {}

SourcePlace TomlTable::place_of(const toml::source_region& region) const {
  return {file_, region.begin.line, region.begin.column};
}

SourcePlace TomlTable::place() const { return place_of(table_.source()); }

SourcePlace TomlTable::place(const std::string& key) const {
  const auto found = table_.find(key);
  return found == table_.end() ? place() : place_of(found->first.source());
}

const toml::node& TomlTable::node(const std::string& key) {
  known_.insert(key);
  const toml::node* found = table_.get(key);
  if (!found) throw UserError(place(), where_ + " needs the key '" + key + "'");
  return *found;
}

void TomlTable::wrong_type(const std::string& key, const char* expected) const {
  throw UserError(place_of(table_.get(key)->source()),
                  "'" + key + "' in " + where_ + " is not " + expected);
}

TomlTable TomlTable::table(const std::string& key, bool required) {
  static const toml::table kEmpty;
  const std::string path = where_.starts_with("[")
                               ? where_.substr(0, where_.size() - 1) + "." + key + "]"
                               : "[" + key + "]";
  if (!has(key)) {
    if (required) throw UserError({file_}, "table " + path + " is missing");
    return {kEmpty, path, file_};
  }
  const toml::table* found = node(key).as_table();
  if (!found) wrong_type(key, "a table");
  return {*found, path, file_};
}

std::vector<TomlTable> TomlTable::tables(const std::string& key) {
  const std::string path = "[" + where_ + "]";
  const std::string inner = path.substr(0, path.size() - 2) + "." + key + "]]";
  const toml::array* array = node(key).as_array();
  if (!array) wrong_type(key, "a list of tables");
  std::vector<TomlTable> result;
  for (const toml::node& element : *array) {
    const toml::table* found = element.as_table();
    if (!found) wrong_type(key, "a list of tables");
    result.push_back({*found, inner, file_});
  }
  return result;
}

std::string TomlTable::text(const std::string& key) {
  const auto value = node(key).value_exact<std::string>();
  if (!value) wrong_type(key, "a string");
  return *value;
}

PlacedText TomlTable::placed_text(const std::string& key) {
  SourcePlace start = place_of(node(key).source());
  ++start.column;  // after the quote
  return {text(key), start};
}

Int TomlTable::integer(const std::string& key) {
  const auto value = node(key).value_exact<PlainInt>();
  if (!value) wrong_type(key, "an integer");
  return *value;
}

bool TomlTable::boolean(const std::string& key, bool absent) {
  if (!has(key)) return absent;
  const auto value = node(key).value_exact<bool>();
  if (!value) wrong_type(key, "true or false");
  return *value;
}

std::vector<PlacedText> TomlTable::texts(const std::string& key) {
  const toml::array* array = node(key).as_array();
  if (!array) wrong_type(key, "a list of strings");
  std::vector<PlacedText> result;
  for (const toml::node& element : *array) {
    const auto value = element.value_exact<std::string>();
    if (!value) {
      throw UserError(place_of(element.source()),
                      "'" + key + "' in " + where_ + " is not a list of strings");
    }
    SourcePlace start = place_of(element.source());
    ++start.column;  // after the quote
    result.push_back({*value, start});
  }
  return result;
}

std::vector<Int> TomlTable::integers(const std::string& key) {
  const toml::array* array = node(key).as_array();
  if (!array) wrong_type(key, "a list of integers");
  std::vector<Int> result;
  for (const toml::node& element : *array) {
    const auto value = element.value_exact<PlainInt>();
    if (!value) {
      throw UserError(place_of(element.source()),
                      "'" + key + "' in " + where_ + " is not a list of integers");
    }
    result.push_back(*value);
  }
  return result;
}

std::vector<PlacedText> TomlTable::keys() const {
  std::vector<PlacedText> result;
  for (const auto& [key, value] : table_) {
    result.push_back({std::string(key.str()), place_of(key.source())});
  }
  std::stable_sort(result.begin(), result.end(), [](const PlacedText& a, const PlacedText& b) {
    return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
  });
  return result;
}

void TomlTable::finish() const {
  for (const PlacedText& key : keys()) {
    if (known_.contains(key.text)) continue;
    std::string known;
    for (const std::string& name : known_) known += (known.empty() ? "" : ", ") + name;
    throw UserError(key.place, "unknown key '" + key.text + "' in " + where_,
                    "known keys are " + known);
  }
}

toml::table parse_toml_text(std::string_view text, const std::string& file) {
  refuse_deep_keys(text, file);
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw UserError({file, at.line, at.column}, std::string(error.description()));
  }
}

toml::table parse_toml_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw UserError({file}, "cannot read this file");
  return parse_toml_text(std::string((std::istreambuf_iterator<char>(stream)), {}), file);
}

}  // namespace assay
