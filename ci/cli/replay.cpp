#include "ci/cli/replay.h"

#include "ci/cli/module.h"
#include "dynamic_check/replay_module.h"

namespace assay::cli {

namespace {

// What `run(entry, report)` makes of the module's entry.
template <typename Entry, typename Run>
std::optional<DynamicReport> from_module(const char* name, std::string& why, const Run& run) {
  const auto entry = reinterpret_cast<Entry>(module_entry(kReplayModule, name, why));
  if (!entry) return std::nullopt;
  try {
    DynamicReport report;
    run(entry, report);
    return report;
  } catch (const UserError& error) {
    why = error.what();
    return std::nullopt;
  }
}

}  // namespace

std::optional<DynamicReport> replay(const Case& refinement, std::string& why) {
  return from_module<ReplayFunction>(
      kReplayEntry, why,
      [&](ReplayFunction entry, DynamicReport& report) { entry(refinement, report); });
}

std::optional<DynamicReport> run_of_proof(const Case& refinement,
                                          const std::vector<Relation>& proved, std::string& why) {
  return from_module<ProofRunFunction>(
      kProofRunEntry, why,
      [&](ProofRunFunction entry, DynamicReport& report) { entry(refinement, proved, report); });
}

}  // namespace assay::cli
