// The one screen that a failing test prints.
#pragma once

#include <cstdint>
#include <string>

#include "shared_ir/base/error.h"
#include "shared_ir/mesh.h"
#include "shared_ir/report/report.h"

namespace assay {

struct FailureContext {
  std::string test;    // "Suite.Name"
  std::string binary;  // how to call the test program again
  Mesh mesh;
  uint64_t seed = 0;
  std::string bundle;          // folder with the case; empty when there is none
  std::string executor = {};   // as ASSAY_EXECUTOR; empty: what the test runs on anyway
  std::string stages = {};     // as ASSAY_REFERENCE_STAGES, in the same way
  std::string device = {};     // as ASSAY_DEVICE, in the same way
  std::string no_bundle = {};  // why the case could not be kept; empty: it was, or there is none
};

// What failed, where in the user's source, the relations of its inputs, the nearest candidate, what
// to look at, and how to run it again. At most about 30 lines: of long lists only the first
// entries.
std::string failure_message(const CaseReport& report, const FailureContext& context);

// The user's line that the failure is about: the distributed program's where it is known. Unknown
// when no failure has one.
SourcePlace failure_place(const CaseReport& report);

}  // namespace assay
