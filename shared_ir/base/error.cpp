#include "shared_ir/base/error.h"

namespace assay {
namespace {

std::string full_text(const SourcePlace& place, const std::string& message,
                      const std::string& hint) {
  std::string text = to_string(place);
  if (!text.empty()) text += ": ";
  text += message;
  if (!hint.empty()) text += "\n  hint: " + hint;
  return text;
}

}  // namespace

std::string to_string(const SourcePlace& place) {
  std::string text = place.file;
  if (place.line > 0) {
    text += (text.empty() ? "line " : ":") + std::to_string(place.line);
    if (place.column > 0) text += ":" + std::to_string(place.column);
  }
  return text;
}

UserError::UserError(SourcePlace place, std::string message, std::string hint)
    : std::runtime_error(full_text(place, message, hint)),
      place_(std::move(place)),
      message_(std::move(message)),
      hint_(std::move(hint)) {}

void fail_check(const char* condition, const std::string& message, const char* file, int line) {
  throw InternalError(std::string(file) + ":" + std::to_string(line) + ": " + message + " (" +
                      condition + " does not hold)");
}

}  // namespace assay
