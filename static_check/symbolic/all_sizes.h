// A verdict for all sizes that the symbols of a case may have.
#pragma once

#include <filesystem>

#include "static_check/check.h"

namespace assay {

struct SizedCheck {
  Case refinement;  // at the sizes that the result is about
  StaticResult result;
};

// Checks a case that has symbols, and says in result.report.sizes for which sizes.
//
// The proof is made at one choice of sizes (z3's, of what satisfies the constraints) and made again
// with integers that know how they depend on the symbols: what its checker decides on the way
// becomes conditions on the symbols (symbolic_replay.h). Where the constraints imply them the
// checker accepts at all sizes. The sizes that are left, if any, are checked the same way, up to a
// bound: proved means that none is left. A choice of sizes that is not proved is the verdict, with
// its own failures.
//
// Throws UserError for constraints that no sizes satisfy, and as load_case does.
SizedCheck check_all_sizes(const std::filesystem::path& path, const StaticOptions& options);

}  // namespace assay
