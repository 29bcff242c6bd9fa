#include "ci/cli/replay.h"

#include "ci/cli/module.h"
#include "dynamic_check/replay_module.h"

namespace assay::cli {

std::optional<DynamicReport> replay(const Case& refinement, std::string& why) {
  const auto run = reinterpret_cast<ReplayFunction>(module_entry(kReplayModule, kReplayEntry, why));
  if (!run) return std::nullopt;
  try {
    DynamicReport report;
    run(refinement, report);
    return report;
  } catch (const UserError& error) {
    why = error.what();
    return std::nullopt;
  }
}

}  // namespace assay::cli
