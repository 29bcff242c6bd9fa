// The text of an HLO module: its characters and words, and where they are, for errors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "shared_ir/base/error.h"

namespace assay::hlo {

// The whole text of a file. What is parsed from it are views into it, so that every piece knows its
// place.
struct Source {
  std::string file;
  std::string text;

  // Of the first character of `piece`, a view into `text`.
  SourcePlace place(std::string_view piece) const;
  [[noreturn]] void fail(std::string_view piece, const std::string& message,
                         const std::string& hint = {}) const;
};

// Reads a piece of the text from its front. Spaces and comments between tokens are skipped. Every
// function throws UserError at the place where the text does not fit.
class Cursor {
 public:
  Cursor(const Source& source, std::string_view piece) : source_(&source), rest_(piece) {}

  bool at_end();
  // The next character, 0 at the end.
  char peek();
  // Whether this character follows at once, with no space before it.
  bool touches(char c) const { return rest_.starts_with(c); }
  bool accept(char token) { return accept(std::string_view(&token, 1)); }
  bool accept(std::string_view token);
  // `what` completes "expected ...".
  void expect(std::string_view token, std::string_view what);
  // Letters, digits, `_ . -`; empty if there is none.
  std::string_view word();
  // A word, and whether it is followed by `token`; the cursor stays.
  bool next_is_word_then(char token) const;
  // A name with or without its leading %.
  std::string_view name(std::string_view what);
  int64_t integer(std::string_view what);
  // One value of an attribute: up to a comma, space or closing bracket that is not within brackets
  // or a string. The brackets in it are balanced; on one line, they close before it ends.
  std::string_view value(bool one_line = false);
  // What stands between an opening bracket and the one that closes it; the cursor goes behind it.
  std::string_view bracketed(char open);

  // Where the cursor is, for errors.
  std::string_view here();
  [[noreturn]] void fail(const std::string& message, const std::string& hint = {});
  const Source& source() const { return *source_; }

 private:
  void skip_space();
  std::string_view take(size_t count);

  const Source* source_;
  std::string_view rest_;
};

}  // namespace assay::hlo
