#include "ci/cli/check_one.h"

#include "ci/cli/replay.h"
#include "shared_ir/report/conclude.h"
#include "static_check/check.h"

namespace assay::cli {
namespace {

using Clock = std::chrono::steady_clock;

void check(const std::string& path, const CheckOptions& options, CaseReport* report) {
  const auto start = Clock::now();
  const Case refinement = load_case(path);
  report->name = refinement.name;
  const OperatorTable operators = OperatorTable::with_files(refinement.operator_files);
  const std::chrono::duration<double, std::milli> import = Clock::now() - start;

  StaticOptions static_options;
  static_options.timeout = options.timeout;
  static_options.relations = options.relations;
  static_options.verify = options.verify;
  StaticResult result = static_check(refinement, operators, static_options);
  report->statics = std::move(result.report);
  report->statics->ms.import = import.count();
  if (!options.relations) report->statics->tensors.clear();
  if (result.replayed > 0) {
    report->notes.push_back("the certificate was replayed: " + std::to_string(result.replayed) +
                            " claims hold");
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
    fail(&report,
         std::string("internal error: ") + error.what() +
             "\nThis is a bug of Assay: please report it, with the case's folder.",
         3);
  }
  return report;
}

}  // namespace assay::cli
