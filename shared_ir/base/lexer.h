// The words of the small languages: clean expressions, declarations of operators, formulas of
// lemmas, sizes. What a character begins depends on where it stands ("-" may be within the name of
// a tensor, or before a number), so a parser asks for what it expects, one after the other. Space,
// also at the end of a line, may stand before each.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "shared_ir/base/error.h"

namespace assay {

#define ASSAY_WORD "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
constexpr std::string_view kInWords = ASSAY_WORD;
constexpr std::string_view kInTensorNames = ASSAY_WORD ".-:";
#undef ASSAY_WORD

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The number that all of the text is, in 64 bits.
std::optional<int64_t> to_integer(std::string_view text);

struct Language {
  std::string_view name;  // before the text in messages
  std::string_view in_words = kInWords;
  bool says_found = false;  // messages about what was expected say what stands there instead
};

class Lexer {
 public:
  // `place` is where the text starts.
  Lexer(const Language& language, std::string_view text, const SourcePlace& place)
      : language_(language), text_(text), start_(place) {}

  size_t at() const { return at_; }  // right behind what was read
  size_t next();                     // where the next word starts
  bool at_end() { return next() == text_.size(); }
  bool starts_with(std::string_view token) { return text_.substr(next()).starts_with(token); }
  bool starts_with_digit() { return !at_end() && is_digit(text_[at_]); }

  bool accept(std::string_view token);
  void expect(std::string_view token);
  void expect_end(const std::string& message = "expected the end");

  std::string_view word() { return run(language_.in_words); }  // empty where none stands
  std::string_view run(std::string_view characters);           // as long as there are only these
  std::string_view until(std::string_view characters);         // up to one of these; spaces too
  std::string_view read_from(size_t at) const { return text_.substr(at, at_ - at); }

  // An integer of 64 bits from low to high; else nothing is read.
  std::optional<int64_t> integer(int64_t low = std::numeric_limits<int64_t>::min(),
                                 int64_t high = std::numeric_limits<int64_t>::max());

  SourcePlace place_of(size_t at) const;
  // Throw UserError: where the next word starts, which is not what was expected; at what was read.
  [[noreturn]] void fail(const std::string& message);
  [[noreturn]] void reject(size_t at, const std::string& message) const;

 private:
  const Language& language_;
  std::string_view text_;
  SourcePlace start_;
  size_t at_ = 0;
};

}  // namespace assay
