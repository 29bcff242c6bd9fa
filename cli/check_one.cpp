#include "cli/check_one.h"

#include <algorithm>

#include "cli/witness.h"
#include "shared_ir/case/inferred_relations.h"
#include "shared_ir/report/conclude.h"
#include "static_check/check.h"
#include "static_check/domains/partial_functions.h"
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

// What the proof says of the checked outputs.
std::vector<Relation> outputs_of(const StaticReport& proof, const Certificate& certificate) {
  std::vector<Relation> outputs;
  for (Relation& relation : inferred_relations(certificate))
    if (std::ranges::any_of(proof.outputs, [&](const TensorReport& output) {
          return output.name == relation.tensor;
        }))
      outputs.push_back(std::move(relation));
  return outputs;
}

// What the proof takes to be defined where a run of the ranks is not.
std::string domains_in_words(const StaticReport& proof) {
  std::string words;
  for (const std::string& assumption : proof.assumptions)
    if (is_domain_of_ranks(assumption)) words += (words.empty() ? "" : "; ") + assumption;
  return words;
}

// A proof that the programs' own values contradict is the worst error there is; but not where they
// contradict what it assumes.
void hold_against_run(const Case& refinement, const std::vector<Relation>& proved,
                      CaseReport* report) {
  std::string why;
  auto run = run_of_proof(refinement, proved, why);
  if (!run) {
    report->notes.push_back("proved, and not run on numbers: " + why);
  } else if (run->verdict == RunVerdict::kAgrees) {
    report->notes.push_back("run once in float64 with PyTorch's kernels and memory: " +
                            std::to_string(run->compared) + " comparisons agree");
  } else {
    DeviationReport& found = run->first_deviation.value();
    const std::string domains = domains_in_words(*report->statics);
    const bool leaves_domain = found.kind == "nan" && !domains.empty();
    if (leaves_domain) {
      found.detail += "; what the proof assumes does not hold - " + domains;
      run->triage = "domain";
    }
    if (leaves_domain || run->triage == "rounding") {
      report->dynamic = std::move(run);
      return conclude(*report, refinement.accept, RunAsked::kBeside);
    }
    throw InternalError("proved, but a run contradicts it: " +
                        (found.tensor.empty() ? "" : found.tensor + " is ") + found.detail);
  }
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
  if (runs) hold_against_run(refinement, outputs_of(*report->statics, result.certificate), report);
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
