// Numeric replay of a case that was not proved, by the replay module.
#pragma once

#include <optional>
#include <string>

#include "shared_ir/case.h"
#include "shared_ir/report.h"

namespace assay::cli {

// nullopt, and `why` says so, when the module is missing or cannot run the case.
std::optional<DynamicReport> replay(const Case& refinement, std::string& why);

}  // namespace assay::cli
