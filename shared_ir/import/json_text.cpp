#include "shared_ir/import/json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "shared_ir/symbolic/integer.h"

namespace assay::json {

std::optional<Json> find(const JsonObject& object, std::string_view key) {
  Json found;
  if (object.at_key(key).get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

std::optional<JsonObject> find_object(const JsonObject& object, std::string_view key) {
  JsonObject found;
  if (object.at_key(key).get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

std::optional<JsonArray> find_array(const JsonObject& object, std::string_view key) {
  JsonArray found;
  if (object.at_key(key).get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

std::optional<std::string_view> find_text(const JsonObject& object, std::string_view key) {
  std::string_view found;
  if (object.at_key(key).get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

std::optional<std::string_view> text_of(const Json& json) {
  std::string_view text;
  if (json.get(text) != simdjson::SUCCESS) return std::nullopt;
  return text;
}

std::optional<PlainInt> integer_of(const Json& json) {
  if (!json.is<PlainInt>()) return std::nullopt;
  PlainInt integer = 0;
  if (json.get(integer) != simdjson::SUCCESS) return std::nullopt;
  return integer;
}

Json Text::parse(simdjson::dom::parser& parser) const {
  Json root;
  const auto error = parser.parse(text_.data(), text_.size(), false).get(root);
  if (error != simdjson::SUCCESS) fail_to_parse(simdjson::error_message(error));
  return root;
}

// simdjson does not say where a text goes wrong: the writer's library finds the place.
void Text::fail_to_parse(const std::string& otherwise) const {
  try {
    [[maybe_unused]] const nlohmann::json parsed = nlohmann::json::parse(text_);
  } catch (const nlohmann::json::parse_error& error) {
    const bool truncated = error.byte > text_.size();
    const size_t byte = std::min(error.byte > 0 ? error.byte - 1 : 0, text_.size());
    // Python writes these numbers as words.
    const std::string_view rest = text_.substr(byte);
    const bool word = rest.starts_with("Infinity") || rest.starts_with("NaN");
    throw UserError(
        place_of_byte(byte), truncated ? "the JSON text ends too early" : "this is no valid JSON",
        truncated ? "was the file written completely?"
        : word ? "JSON has no such number; fx-JSON has {\"const\": \"inf\"}, {\"const\": \"-inf\"} "
                 "and {\"const\": \"nan\"}"
               : "");
  } catch (const nlohmann::json::exception&) {
    throw UserError({file_}, "a number in this JSON text does not fit");
  }
  throw UserError({file_}, "this JSON text cannot be read: " + otherwise);
}

SourcePlace Text::place_of_byte(size_t byte) const {
  const std::string_view before = text_.substr(0, byte);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 == 0
  return {file_, lines + 1, static_cast<PlainInt>(byte - line_start) + 1};
}

SourcePlace Text::node_place(std::string_view name, int occurrence) const {
  constexpr std::string_view kKey = "\"name\"";
  const std::string value = nlohmann::json(name).dump();
  for (size_t at = text_.find(kKey); at != std::string_view::npos; at = text_.find(kKey, at + 1)) {
    const size_t begin = text_.find_first_not_of(" \t\r\n:", at + kKey.size());
    if (begin == std::string_view::npos || !text_.substr(begin).starts_with(value)) continue;
    if (occurrence-- == 0) {
      SourcePlace place = place_of_byte(at);
      place.column = 0;
      return place;
    }
  }
  return {file_};
}

void Text::fail(const std::string& message, const std::string& hint) const {
  throw UserError({file_}, message, hint);
}

void Text::fail_at(std::string_view node, const std::string& message,
                   const std::string& hint) const {
  throw UserError(node_place(node), "node '" + std::string(node) + "': " + message, hint);
}

}  // namespace assay::json
