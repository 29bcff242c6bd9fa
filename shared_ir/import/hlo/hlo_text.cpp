#include "shared_ir/import/hlo/hlo_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

namespace assay::hlo {
namespace {

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-';
}

size_t word_length(std::string_view text) {
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_word_character) -
                             text.begin());
}

// The quote that ends the string which starts at `quote`: the next one behind an even number of
// backslashes.
size_t end_of_string(std::string_view text, size_t quote) {
  for (size_t end = text.find('"', quote + 1); end != std::string_view::npos;
       end = text.find('"', end + 1)) {
    size_t escapes = 0;
    while (text[end - 1 - escapes] == '\\') ++escapes;
    if (escapes % 2 == 0) return end;
  }
  return std::string_view::npos;
}

char closing(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

}  // namespace

SourcePlace Source::place(std::string_view piece) const {
  const auto offset = std::clamp<std::ptrdiff_t>(piece.data() - text.data(), 0,
                                                 static_cast<std::ptrdiff_t>(text.size()));
  const std::string_view before(text.data(), static_cast<size_t>(offset));
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {file, 1 + std::count(before.begin(), before.end(), '\n'),
          1 + static_cast<int64_t>(before.size() - line_start)};
}

void Source::fail(std::string_view piece, const std::string& message,
                  const std::string& hint) const {
  throw UserError(place(piece), message, hint);
}

void Cursor::skip_space() {
  while (!rest_.empty()) {
    if (std::isspace(static_cast<unsigned char>(rest_[0]))) {
      rest_.remove_prefix(1);
    } else if (rest_.starts_with("/*")) {
      const size_t end = rest_.find("*/");
      if (end == std::string_view::npos) source_->fail(rest_, "this comment has no end");
      rest_.remove_prefix(end + 2);
    } else if (rest_.starts_with("//")) {
      rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
    } else {
      return;
    }
  }
}

std::string_view Cursor::take(size_t count) {
  const std::string_view taken = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return taken;
}

std::string_view Cursor::here() {
  skip_space();
  return rest_;
}

bool Cursor::at_end() { return here().empty(); }

char Cursor::peek() { return at_end() ? '\0' : rest_[0]; }

bool Cursor::accept(std::string_view token) {
  if (!here().starts_with(token)) return false;
  take(token.size());
  return true;
}

void Cursor::fail(const std::string& message, const std::string& hint) {
  source_->fail(here(), message, hint);
}

void Cursor::expect(std::string_view token, std::string_view what) {
  if (accept(token)) return;
  if (at_end()) fail(fmt::format("expected {}, but the text ends", what));
  const std::string_view word = rest_.substr(0, std::max<size_t>(word_length(rest_), 1));
  fail(fmt::format("expected {}, found '{}'", what, word));
}

std::string_view Cursor::word() { return take(word_length(here())); }

bool Cursor::next_is_word_then(char token) const {
  Cursor ahead = *this;
  return !ahead.word().empty() && ahead.peek() == token;
}

std::string_view Cursor::name(std::string_view what) {
  accept('%');
  const std::string_view result = word();
  if (result.empty()) expect("%", what);
  return result;
}

int64_t Cursor::integer(std::string_view what) {
  const std::string_view digits = word();
  int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (digits.empty()) expect("0", what);
  if (error != std::errc{} || stop != end)
    source_->fail(digits, fmt::format("expected {}, found '{}'", what, digits));
  return value;
}

std::string_view Cursor::value(bool one_line) {
  skip_space();
  const std::string_view start = rest_;
  std::string closers;  // of the brackets that are open
  size_t i = 0;
  for (; i < start.size(); ++i) {
    const char c = start[i];
    if (c == '"') {
      const size_t end = end_of_string(start, i);
      if (end == std::string_view::npos) source_->fail(start.substr(i), "this string has no end");
      i = end;
    } else if (c == '{' || c == '(' || c == '[') {
      closers.push_back(closing(c));
    } else if (c == '}' || c == ')' || c == ']') {
      if (closers.empty()) break;
      if (closers.back() != c)
        source_->fail(start.substr(i), fmt::format("expected '{}', found '{}'", closers.back(), c));
      closers.pop_back();
    } else if (one_line && c == '\n') {
      break;
    } else if (closers.empty() && (c == ',' || std::isspace(static_cast<unsigned char>(c)))) {
      break;
    }
  }
  if (!closers.empty())
    source_->fail(start, fmt::format("no '{}' closes what opens here", closers.front()));
  return take(i);
}

std::string_view Cursor::bracketed(char open) {
  if (peek() != open) expect(std::string_view(&open, 1), fmt::format("'{}'", open));
  // A value may go on behind its first bracket: read that bracket alone.
  Cursor inside = *this;
  inside.take(1);
  const char close = closing(open);
  while (inside.peek() != close) {
    if (inside.at_end()) source_->fail(rest_, fmt::format("no '{}' closes what opens here", close));
    if (inside.accept(',')) continue;
    if (inside.value().empty())
      inside.expect(std::string_view(&close, 1), fmt::format("'{}'", close));
  }
  const std::string_view result =
      rest_.substr(1, static_cast<size_t>(inside.rest_.data() - rest_.data()) - 1);
  take(result.size() + 2);
  return result;
}

}  // namespace assay::hlo
