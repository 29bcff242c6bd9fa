// What `assay compare` is asked: where relations come from, and which traces.
#pragma once

#include <filesystem>
#include <string>

#include "dynamic_check/traces/traces.h"
#include "shared_ir/report/report.h"

namespace assay::cli {

// Takes relations from a case folder, whose proof is made here, or from a JSON report of one case;
// with its name and proof into `report`, case and relations into `question`. Throws UserError.
void take_relations(const std::string& from, TraceComparison& question, CaseReport& report);

// Fills in traces that are kept in the folder, where none were named at all.
void take_traces(const std::filesystem::path& folder, TraceComparison& question);

}  // namespace assay::cli
