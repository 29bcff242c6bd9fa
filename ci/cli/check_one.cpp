#include "ci/cli/check_one.h"

#include "ci/cli/replay.h"
#include "shared_ir/lower.h"
#include "shared_ir/report/conclude.h"
#include "static_check/check.h"
#include "static_check/checker/checker.h"

namespace assay::cli {
namespace {

using Clock = std::chrono::steady_clock;

void verify(const Case& refinement, const OperatorTable& operators, const Certificate& certificate,
            CaseReport* report) {
  std::vector<CoreProgram> ranks;
  for (size_t rank = 0; rank < refinement.ranks.size(); ++rank) {
    ranks.push_back(lower(refinement.ranks[rank], refinement.distributed_groups,
                          static_cast<Rank>(rank), operators));
  }
  const CheckResult result = check_certificate(
      refinement, lower(refinement.sequential, refinement.sequential_groups, 0, operators), ranks,
      certificate);
  if (!result.accepted) {
    throw InternalError("the checker rejects the certificate: " + result.reason);
  }
  report->notes.push_back("the certificate was replayed: " + std::to_string(result.claims) +
                          " claims hold");
}

void check(const std::string& path, const CheckOptions& options, CaseReport* report) {
  const auto start = Clock::now();
  const Case refinement = load_case(path);
  report->name = refinement.name;
  OperatorTable operators = OperatorTable::builtin();
  for (const auto& file : refinement.operator_files) operators.add_file(file);
  const std::chrono::duration<double, std::milli> import = Clock::now() - start;

  StaticOptions static_options;
  static_options.timeout = options.timeout;
  static_options.relations = options.relations;
  StaticResult result = static_check(refinement, operators, static_options);
  report->statics = std::move(result.report);
  report->statics->ms.import = import.count();
  if (!options.relations) report->statics->tensors.clear();
  if (options.verify && report->statics->verdict == Verdict::kProved) {
    verify(refinement, operators, result.certificate, report);
  }
  if (!options.static_only && report->statics->verdict == Verdict::kUnproved) {
    std::string why;
    report->dynamic = replay(refinement, why);
    if (!report->dynamic) report->notes.push_back("not replayed on numbers: " + why);
  }
  conclude(*report, refinement.accept);
}

void fail(CaseReport* report, const std::string& error, int exit) {
  report->verdict = Verdict::kError;
  report->exit = exit;
  report->error = error;
}

}  // namespace

CaseReport check_one(const std::string& path, const CheckOptions& options) {
  CaseReport report;
  report.name = path;
  try {
    check(path, options, &report);
  } catch (const UserError& error) {
    fail(&report, error.what(), 2);
  } catch (const std::exception& error) {
    fail(&report, std::string("internal error: ") + error.what(), 3);
  }
  return report;
}

}  // namespace assay::cli
