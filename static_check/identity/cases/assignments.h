// All values of the indices and flags among the inputs of a problem, one assignment after the
// other.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace assay::identity {

class Assignments {
 public:
  using Place = std::pair<uint64_t, uint64_t>;  // atom, address

  // The value of an input that is one of 0 .. count - 1. Until start() inputs are collected, and
  // have the value 0; nullopt of what was not.
  std::optional<uint64_t> value(const Place& input, uint64_t count);

  // Of all inputs together; `limit` where there are more.
  uint64_t count(uint64_t limit) const;
  // What follows are the values of the first assignment.
  void start() { collecting_ = false; }
  // Those of the next one; false where there is none.
  bool next();

 private:
  struct Digit {
    uint64_t value = 0, count = 1;
  };

  std::map<Place, Digit> digits_;
  bool collecting_ = true;
};

}  // namespace assay::identity
