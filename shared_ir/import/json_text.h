// JSON text of captures: parsing, and where things are in it, for errors.
#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>

#include "shared_ir/base/error.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::json {

// Views of a parsed text; the parser and the text must outlive them.
using Json = simdjson::dom::element;
using JsonArray = simdjson::dom::array;
using JsonObject = simdjson::dom::object;

// nullopt when there is no such key, or when the value is of another type.
std::optional<Json> find(const JsonObject& object, std::string_view key);
std::optional<JsonObject> find_object(const JsonObject& object, std::string_view key);
std::optional<JsonArray> find_array(const JsonObject& object, std::string_view key);
std::optional<std::string_view> find_text(const JsonObject& object, std::string_view key);

// nullopt when the value is of another type.
std::optional<std::string_view> text_of(const Json& json);
std::optional<PlainInt> integer_of(const Json& json);

class Text {
 public:
  // `text` has simdjson::SIMDJSON_PADDING readable bytes behind it. Both must outlive this object.
  Text(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  // Throws UserError with line and column when the text is no JSON.
  Json parse(simdjson::dom::parser& parser) const;

  // Place of the node with this name; `occurrence` counts nodes that share the name, from 0.
  SourcePlace node_place(std::string_view name, int occurrence = 0) const;

  [[noreturn]] void fail(const std::string& message, const std::string& hint = {}) const;
  // The error names the node and its line.
  [[noreturn]] void fail_at(std::string_view node, const std::string& message,
                            const std::string& hint = {}) const;

 private:
  [[noreturn]] void fail_to_parse(const std::string& otherwise) const;
  SourcePlace place_of_byte(size_t byte) const;

  std::string_view text_;
  const std::string& file_;
};

}  // namespace assay::json
