// The search for a witness, by the witness module.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_ir/case/case.h"
#include "shared_ir/report/report.h"

namespace assay::cli {

// nullopt, and `why` says so, when the module is missing or cannot run the case.
std::optional<DynamicReport> find_witness(const Case& refinement, std::string& why);

// The run of a proved case (run_of_proof), in the same way.
std::optional<DynamicReport> run_of_proof(const Case& refinement,
                                          const std::vector<Relation>& proved, std::string& why);

}  // namespace assay::cli
