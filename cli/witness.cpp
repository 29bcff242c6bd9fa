#include "cli/witness.h"

#include "dynamic_check/witness/witness.h"
#include "shared_ir/base/module.h"

namespace assay::cli {

namespace {

// What `run(entry, report)` makes of the module's entry of that type and name.
template <typename Entry, typename Run>
std::optional<DynamicReport> from_module(const char* name, std::string& why, const Run& run) {
  const Module module(kWitnessModule);
  if (!module.loaded()) {
    why = module.why_not();
    return std::nullopt;
  }
  try {
    DynamicReport report;
    run(module.function<Entry>(name), report);
    return report;
  } catch (const UserError& error) {
    why = error.what();
    return std::nullopt;
  }
}

}  // namespace

std::optional<DynamicReport> find_witness(const Case& refinement, std::string& why) {
  return from_module<WitnessFunction>(
      kWitnessEntry, why,
      [&](WitnessFunction* entry, DynamicReport& report) { entry(refinement, report); });
}

std::optional<DynamicReport> run_of_proof(const Case& refinement,
                                          const std::vector<Relation>& proved, std::string& why) {
  return from_module<ProofRunFunction>(
      kProofRunEntry, why,
      [&](ProofRunFunction* entry, DynamicReport& report) { entry(refinement, proved, report); });
}

}  // namespace assay::cli
