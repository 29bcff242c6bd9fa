// Where in the user's program an operator was called: return addresses at run time, file and line
// on demand.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "shared_ir/base/error.h"

namespace assay {

// Index into CallSites; equal call stacks have equal indices.
using CallSite = int32_t;

// True if the address lies in LibTorch, the C++ or the C library, but not in the program or a
// library of the user's.
bool in_system_library(uintptr_t address);

// The call stacks seen by one recording. Taking one costs a few microseconds; debug information is
// read by resolve alone.
class CallSites {
 public:
  // The call stack of the caller, without frames of system libraries; its innermost 24 frames.
  CallSite here();

  // The innermost frame in a source file that is neither LibTorch's, the C++ library's nor Assay's
  // own; inlined calls count. Unknown when the program has no debug information (-g).
  SourcePlace resolve(CallSite site);

 private:
  std::map<std::vector<uintptr_t>, CallSite> ids_;
  std::vector<const std::vector<uintptr_t>*> stacks_;
};

}  // namespace assay
