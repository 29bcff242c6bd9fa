#include "shared_ir/base/toml_keys.h"

#include <algorithm>

#include "shared_ir/base/error.h"

namespace assay {
namespace {

// Where the text in quotes that starts at `at` ends: behind its last quote, or with the line or the
// text, where TOML++ finds it malformed.
size_t end_of_quotes(std::string_view text, size_t at) {
  const char quote = text[at];
  const std::string triple(3, quote);
  const bool lines = text.substr(at).starts_with(triple);
  const std::string_view closing = lines ? std::string_view(triple) : text.substr(at, 1);
  for (at += closing.size(); at < text.size(); ++at) {
    if (!lines && text[at] == '\n') return at;
    if (text.substr(at).starts_with(closing)) {
      // Quotes of the text itself may stand before the closing three.
      if (lines) at = std::min(text.find_first_not_of(quote, at), text.size()) - closing.size();
      return at + closing.size();
    }
    if (quote == '"' && text[at] == '\\') ++at;
  }
  return text.size();
}

}  // namespace

void refuse_deep_keys(std::string_view text, const std::string& file) {
  // No line of ours has many dots outside of quotes and comments.
  constexpr int kMostDots = 64;
  int dots = 0;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = end_of_quotes(text, at);
    } else if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else {
      dots = c == '\n' ? 0 : dots + (c == '.' ? 1 : 0);
      if (dots > kMostDots) {
        throw UserError({file, 1 + std::count(text.begin(), text.begin() + at, '\n'), 1},
                        "a key of too many parts");
      }
      ++at;
    }
  }
}

}  // namespace assay
