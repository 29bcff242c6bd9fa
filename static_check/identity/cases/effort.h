// How long programs are evaluated by cases: what takes longer is not decided.
#pragma once

#include <cstdint>

namespace assay::identity {

struct Effort {
  int64_t elements;   // that are evaluated, of all cases
  int bits;           // that one term may depend on
  bool every_choice;  // of indices and flags, too
};
// A tenth of a second, and a second or two: where something within the programs is taken, too.
inline constexpr Effort kUsualEffort{int64_t{1} << 19, 7, false};
inline constexpr Effort kEffortWithin{int64_t{3} << 21, 9, false};
inline constexpr Effort kMostEffort{int64_t{3} << 21, 11, true};

// Elements that are evaluated for all values of indices and flags: a few seconds.
inline constexpr int64_t kMostForAll = int64_t{1} << 25;

}  // namespace assay::identity
