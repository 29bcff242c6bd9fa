// The tables of calls in calls/: one for each file of declarations.
//
//   [[operator]]
//   names = ["aten.exp.default", ...]    # the operators that the calls are made of
//   calls = ["f[a,b]", ...]              # see call_pattern.h
//   refused = ["f[a,b], 3"]              # calls that the declaration says nothing of
//   compared = "shapes"                  # values are random, or of memory never written
//   tolerance = 1e-7                     # of a kernel that is less exact; see kernel_comparison.h
//   arithmetic = "float32"               # the kernel takes no float64, and agrees to 1e-5
//   untested = "why"                     # instead of calls
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::test {

struct CallGroup {
  std::vector<std::string> names;
  std::vector<std::string> calls, refused;
  bool only_shapes = false;
  double tolerance = 1e-9;
  bool in_float32 = false;
  std::string untested;
};

struct CallTable {
  std::string file;
  std::vector<CallGroup> groups;
};

// All tables. Throws UserError for an unknown key, a group without names, and one that has both
// calls and a reason not to have them, or neither.
std::vector<CallTable> call_tables();

}  // namespace assay::test
