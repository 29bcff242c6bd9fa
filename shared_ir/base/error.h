// Two kinds of errors, never mixed: what the user gave us is wrong (UserError), or we are
// (InternalError).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace assay {

// A place in a file that the user can open. line and column start at 1; 0 means "not known".
struct SourcePlace {
  std::string file;
  int64_t line = 0;
  int64_t column = 0;

  bool known() const { return !file.empty(); }
};

// "file:line:column", with the unknown parts left out; empty when nothing is known.
std::string to_string(const SourcePlace& place);

// Bad input: says what is wrong, where, and what to do. The command line exits with 2.
class UserError : public std::runtime_error {
 public:
  // what() is "<place>: <message>" and, if hint is not empty, a second line with the hint.
  UserError(SourcePlace place, std::string message, std::string hint = {});

  const SourcePlace& place() const { return place_; }
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }

 private:
  SourcePlace place_;
  std::string message_;
  std::string hint_;
};

// Our own bug: an invariant that does not hold. The command line calls it an internal error and
// exits with 3.
class InternalError : public std::logic_error {
 public:
  explicit InternalError(const std::string& what) : std::logic_error(what) {}
};

// Throws InternalError with the file and line of the check when the condition does not hold.
#define ASSAY_CHECK(condition, message)                                               \
  do {                                                                                \
    if (!(condition)) ::assay::fail_check(#condition, (message), __FILE__, __LINE__); \
  } while (false)

[[noreturn]] void fail_check(const char* condition, const std::string& message, const char* file,
                             int line);

}  // namespace assay
