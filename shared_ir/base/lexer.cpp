#include "shared_ir/base/lexer.h"

#include <algorithm>
#include <charconv>

namespace assay {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr size_t kMaxQuoted = 300;  // characters of the text in a message

}  // namespace

std::optional<int64_t> to_integer(std::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

size_t Lexer::next() {
  at_ = std::min(text_.find_first_not_of(kSpace, at_), text_.size());
  return at_;
}

bool Lexer::accept(std::string_view token) {
  if (!starts_with(token)) return false;
  at_ += token.size();
  return true;
}

void Lexer::expect(std::string_view token) {
  if (!accept(token)) fail("expected '" + std::string(token) + "'");
}

void Lexer::expect_end(const std::string& message) {
  if (!at_end()) fail(message);
}

std::string_view Lexer::run(std::string_view characters) {
  const size_t start = next();
  at_ = std::min(text_.find_first_not_of(characters, at_), text_.size());
  return read_from(start);
}

std::string_view Lexer::until(std::string_view characters) {
  const size_t start = at_;
  at_ = std::min(text_.find_first_of(characters, at_), text_.size());
  return read_from(start);
}

std::optional<int64_t> Lexer::integer(int64_t low, int64_t high) {
  const size_t start = next();
  accept("-");
  at_ = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
  const auto value = to_integer(read_from(start));
  if (value && *value >= low && *value <= high) return value;
  at_ = start;
  return std::nullopt;
}

SourcePlace Lexer::place_of(size_t at) const {
  SourcePlace place = start_;
  if (place.line == 0) place.line = 1;
  if (place.column == 0) place.column = 1;
  for (const char c : text_.substr(0, at)) {
    ++place.column;
    if (c != '\n') continue;
    ++place.line;
    place.column = 1;
  }
  return place;
}

void Lexer::fail(const std::string& message) {
  const bool end = at_end();
  if (!language_.says_found) reject(at_, message);
  reject(at_, message + ", found " + (end ? "the end" : "'" + std::string(1, text_[at_]) + "'"));
}

void Lexer::reject(size_t at, const std::string& message) const {
  std::string quoted(text_.substr(0, kMaxQuoted));
  if (quoted.size() < text_.size()) quoted += "...";
  throw UserError(place_of(at),
                  message + " in " + std::string(language_.name) + "\"" + quoted + "\"");
}

}  // namespace assay
