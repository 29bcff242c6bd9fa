#include "bench/proved_case.h"

#include "shared_ir/case/approximation.h"
#include "shared_ir/lower/lower.h"

namespace assay::bench {
namespace {

std::string why_not(const StaticReport& report) {
  std::string why{to_string(report.verdict)};
  if (report.failures.empty()) return why;
  const FailureReport& first = report.failures.front();
  return why + ", at " + first.node + " (" + first.op + "): " + first.reason;
}

// Adds the case to the list that it belongs to.
void check_once(const std::filesystem::path& folder, Case refinement, Survey& found) {
  OperatorTable operators = OperatorTable::with_files(refinement.operator_files);
  StaticResult result = static_check(refinement, operators);
  if (result.report.verdict != Verdict::kProved) {
    found.not_proved.emplace_back(refinement.name, why_not(result.report));
    return;
  }
  const Case given = given_approximations(refinement).refinement;
  CoreProgram sequential = lower(given.sequential, given.sequential_groups, 0, operators);
  std::vector<CoreProgram> ranks;
  for (size_t rank = 0; rank < given.ranks.size(); ++rank) {
    ranks.push_back(
        lower(given.ranks[rank], given.distributed_groups, static_cast<Rank>(rank), operators));
  }
  found.proved.push_back(std::make_unique<ProvedCase>(
      ProvedCase{folder, std::move(refinement), std::move(operators), std::move(sequential),
                 std::move(ranks), std::move(result)}));
}

}  // namespace

Survey survey(const std::vector<std::filesystem::path>& folders) {
  Survey found;
  for (const auto& folder : folders) {
    try {
      Case refinement = load_case(folder);
      if (refinement.known && refinement.known->verdict == "refines") {
        check_once(folder, std::move(refinement), found);
      }
    } catch (const std::exception& error) {
      found.not_proved.emplace_back(folder.filename().string(), error.what());
    }
  }
  return found;
}

}  // namespace assay::bench
