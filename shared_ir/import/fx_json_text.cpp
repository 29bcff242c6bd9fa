#include "shared_ir/import/fx_json_text.h"

#include <algorithm>

namespace assay::fx {

Json Text::parse() const {
  try {
    return Json::parse(text_);
  } catch (const Json::parse_error& error) {
    const bool truncated = error.byte > text_.size();
    const size_t byte = std::min(error.byte > 0 ? error.byte - 1 : 0, text_.size());
    throw UserError(place_of_byte(byte),
                    truncated ? "the JSON text ends too early" : "this is no valid JSON",
                    truncated ? "was the file written completely?" : "");
  } catch (const Json::exception&) {
    throw UserError({file_}, "a number in this JSON text does not fit");
  }
}

SourcePlace Text::place_of_byte(size_t byte) const {
  const std::string_view before = text_.substr(0, byte);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 == 0
  return {file_, lines + 1, static_cast<int64_t>(byte - line_start) + 1};
}

SourcePlace Text::node_place(const std::string& name, int occurrence) const {
  constexpr std::string_view kKey = "\"name\"";
  const std::string value = Json(name).dump();
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

void Text::fail_at(const std::string& node, const std::string& message,
                   const std::string& hint) const {
  throw UserError(node_place(node), "node '" + node + "': " + message, hint);
}

}  // namespace assay::fx
