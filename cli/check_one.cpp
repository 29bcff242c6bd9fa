#include "cli/check_one.h"

#include "cli/proof_against_run.h"
#include "cli/witness.h"
#include "shared_ir/report/conclude.h"
#include "static_check/check.h"
#include "static_check/symbolic/all_sizes.h"

namespace assay::cli {
namespace {

using Clock = std::chrono::steady_clock;

// The proof; of a case with symbols, for all their sizes.
SizedCheck prove(const std::string& path, const StaticOptions& options) {
  const auto start = Clock::now();
  auto refinement = load_case_without_symbols(path);
  if (!refinement) return check_all_sizes(path, options);
  SizedCheck checked{std::move(*refinement), {}};
  const OperatorTable operators = OperatorTable::with_files(checked.refinement.operator_files);
  const std::chrono::duration<double, std::milli> import = Clock::now() - start;
  checked.result = static_check(checked.refinement, operators, options);
  checked.refinement.no_target_ignored = checked.result.no_target_ignored;
  checked.result.report.ms.import = import.count();
  return checked;
}

void check(const std::string& path, const CheckOptions& options, CaseReport* report) {
  StaticOptions static_options;
  static_options.timeout = options.timeout;
  static_options.relations = options.relations;
  static_options.verify = options.verify;
  auto [refinement, result] = prove(path, static_options);
  report->name = refinement.name;
  report->statics = std::move(result.report);
  if (!options.relations) report->statics->tensors.clear();
  if (result.replayed > 0) {
    report->notes.push_back("the certificate was replayed: " + std::to_string(result.replayed) +
                            " claims hold");
  }
  if (!options.static_only && report->statics->verdict == Verdict::kUnproved) {
    std::string why;
    report->dynamic = find_witness(refinement, why);
    if (!report->dynamic) report->notes.push_back("not replayed on numbers: " + why);
  }
  const bool runs = !options.static_only && report->statics->verdict == Verdict::kProved;
  conclude(*report, refinement.accept, runs ? RunAsked::kBeside : RunAsked::kNo);
  if (runs) hold_against_run(refinement, result.certificate, report);
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
