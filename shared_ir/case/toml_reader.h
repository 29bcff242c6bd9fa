// Strict reading of TOML tables: every key must be asked for, every error has a place.
#pragma once

#include <toml++/toml.h>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "shared_ir/base/error.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

// A string with the place of its first character.
struct PlacedText {
  std::string text;
  SourcePlace place;
};

// One table. `where` names it in messages ("[check]"). Each accessor throws UserError when a key
// has the wrong type.
class TomlTable {
 public:
  TomlTable(const toml::table& table, std::string where, const std::string& file);

  bool has(const std::string& key) {
    known_.insert(key);
    return table_.contains(key);
  }
  // Throws UserError when the key is missing and `required`; an absent optional table is empty.
  TomlTable table(const std::string& key, bool required = false);
  // An array of tables, [[...]].
  std::vector<TomlTable> tables(const std::string& key);
  std::string text(const std::string& key);
  PlacedText placed_text(const std::string& key);
  Int integer(const std::string& key);
  bool boolean(const std::string& key, bool absent);
  std::vector<PlacedText> texts(const std::string& key);
  std::vector<Int> integers(const std::string& key);

  // Every key with its place, in the order of the file.
  std::vector<PlacedText> keys() const;
  SourcePlace place(const std::string& key) const;
  SourcePlace place() const;

  // Throws UserError at the first key that no accessor was asked for.
  void finish() const;

 private:
  const toml::node& node(const std::string& key);
  [[noreturn]] void wrong_type(const std::string& key, const char* expected) const;
  SourcePlace place_of(const toml::source_region& region) const;

  const toml::table& table_;
  std::string where_;
  const std::string& file_;
  std::set<std::string> known_;
};

// Parses a text, or the text of a file; `file` is its name in messages. Both throw UserError with
// line and column for what is no TOML.
toml::table parse_toml_text(std::string_view text, const std::string& file);
toml::table parse_toml_file(const std::string& file);

}  // namespace assay
