#include <functional>

#include "assay/refinement.h"
#include "dynamic_check/check.h"
#include "dynamic_check/witness/witness.h"
#include "gtest_plugin/captured_case.h"
#include "gtest_plugin/dynamic_question.h"
#include "gtest_plugin/rank_team.h"
#include "gtest_plugin/value_sizes/relations_of_run.h"
#include "shared_ir/base/progress.h"
#include "shared_ir/case/inferred_relations.h"
#include "shared_ir/report/conclude.h"
#include "static_check/check.h"

namespace assay {
namespace {

DynamicOptions dynamic_options(const CheckOptions& options, DType precision) {
  DynamicOptions run;
  run.executor = RankTeam::instance().executor(options);
  run.cuda = RankTeam::instance().on_gpus(options);
  run.precision = precision;
  run.seed = options.seed;
  run.samples = options.samples;
  run.timeout = options.timeout;
  run.completion = options.completion;
  run.kernel = options.kernel;
  run.reference_stages = options.reference_stages;
  if (!options.traces.empty()) run.traces = options.traces / to_string(precision);
  return run;
}

// The proof about a case, and what the run needs of it.
struct Proof {
  Case refinement;
  StaticResult result;
};

Proof prove(Case refinement, const CheckOptions& options, const OperatorTable& operators) {
  Proof proof{std::move(refinement), {}};
  proof.refinement.no_target_ignored |= options.no_target_ignored;
  StaticOptions bounds;
  bounds.timeout = options.timeout;
  proof.result = static_check(proof.refinement, operators, bounds);
  proof.refinement.no_target_ignored = proof.result.no_target_ignored;
  return proof;
}

// What depends on an approximation is compared with the approximation taken for granted: a run of
// the graphs in float64. A difference there is one of the run's.
void compare_given_approximations(const Case& refinement, CaseReport& report) {
  if (refinement.approximations.empty() || report.dynamic->verdict != RunVerdict::kAgrees) return;
  try {
    const DynamicReport given = witness_report(refinement);
    if (given.verdict != RunVerdict::kDeviates) return;
    report.dynamic->verdict = given.verdict;
    report.dynamic->triage = given.triage;
    report.dynamic->deviations = given.deviations;
    report.dynamic->first_deviation = given.first_deviation;
  } catch (const UserError& error) {
    report.dynamic->verdict = RunVerdict::kInconclusive;
    report.dynamic->triage = "unproved";
    report.dynamic->incomplete.push_back(
        std::string("what depends on accepted approximations, given these: ") + error.what());
  }
}

// Of several precisions, an error names the one whose capture it is of.
CapturedCase capture_in(const RefinementSpec& spec, DType precision, const CheckOptions& options) {
  try {
    return capture_programs(spec, precision);
  } catch (const UserError& error) {
    if (options.precisions.size() < 2) throw;
    throw UserError(error.place(),
                    "in " + std::string(to_string(precision)) + ": " + error.message(),
                    error.hint());
  }
}

// Runs the programs on the sizes that they have there.
DynamicReport run_on_values(const RefinementSpec& spec, const CapturedCase& captured,
                            const Proof& proof, const DynamicOptions& run, CaseReport& report) {
  Case of_run = case_of_run(spec, captured, storage_dtype(run.precision), run.seed);
  of_run.no_target_ignored = proof.refinement.no_target_ignored;
  const RelationsOfRun known =
      relations_of_run(proof.refinement, of_run, inferred_relations(proof.result.certificate),
                       proof.result.distributed_over_sequential);
  if (known.left_out > 0)
    report.notes.push_back("not compared, as their sizes depend on values: " +
                           std::to_string(known.left_out) + " tensors that are related");
  return dynamic_check(of_run, known.relations, report.statics->verdict, programs_under_test(spec),
                       run, known.views);
}

void note_fitted_sizes(const CapturedCase& captured, StaticReport& report) {
  if (!captured.has_sizes_of_values()) return;
  const SizeFit& fit = captured.sequential ? *captured.sequential : *captured.ranks.front();
  report.assumptions.push_back(
      "the programs call the same operators for all values, with sizes that are made of those that "
      "they read as in " +
      std::to_string(fit.runs()) + " runs on different values");
}

// Proves and runs in every precision until one fails; each captures for itself, as casts differ.
// Without an input the proof refutes only what never ends: collectives that do not match.
void check(const RefinementSpec& spec, const CheckOptions& options, CaseReport& report) {
  const OperatorTable operators = OperatorTable::with_files(spec.operator_files);
  if (options.precisions.empty()) {
    const CapturedCase captured = capture_programs(spec, DType::kFloat32);
    report.statics = prove(captured.refinement, options, operators).result.report;
    note_fitted_sizes(captured, *report.statics);
    return conclude(report, spec.accept, RunAsked::kNo);
  }
  for (DType precision : options.precisions) {
    const CapturedCase captured = capture_in(spec, precision, options);
    const Proof proof = prove(captured.refinement, options, operators);
    report.statics = proof.result.report;
    note_fitted_sizes(captured, *report.statics);
    if (report.statics->verdict == Verdict::kRefuted) {
      report.notes.push_back("not run: ranks would wait for each other");
      return conclude(report, spec.accept, RunAsked::kYes);
    }
    ProgressLine line(spec.name + " in " + std::string(to_string(precision)));
    DynamicOptions run = dynamic_options(options, precision);
    run.progress = line.sink();
    report.dynamic =
        captured.has_sizes_of_values()
            ? run_on_values(spec, captured, proof, run, report)
            : dynamic_check(proof.refinement, inferred_relations(proof.result.certificate),
                            report.statics->verdict, programs_under_test(spec), run,
                            proof.result.distributed_over_sequential);
    compare_given_approximations(proof.refinement, report);
    conclude(report, spec.accept, RunAsked::kYes);
    if (report.exit != 0) return;
  }
}

// Proves the case of a folder; where no proof is found, looks for a witness.
void check(const std::filesystem::path& folder, const CheckOptions& options, CaseReport& report) {
  Case refinement = load_case(folder);
  const OperatorTable operators = OperatorTable::with_files(refinement.operator_files);
  Proof proof = prove(std::move(refinement), options, operators);
  refinement = std::move(proof.refinement);
  report.statics = std::move(proof.result.report);
  if (report.statics->verdict == Verdict::kUnproved) {
    try {
      report.dynamic = witness_report(refinement);
    } catch (const UserError& error) {
      report.notes.push_back(std::string("not replayed on numbers: ") + error.what());
    }
  }
  conclude(report, refinement.accept, RunAsked::kNo);
}

template <typename Source>
CaseReport report_of(std::string name, const Source& source, const CheckOptions& options) {
  CaseReport report;
  report.name = std::move(name);
  try {
    check(source, options, report);
  } catch (const UserError& error) {
    report.verdict = Verdict::kError;
    report.exit = 2;
    report.error = error.what();
  } catch (const std::exception& error) {
    report.verdict = Verdict::kError;
    report.exit = 3;
    report.error = std::string("internal error: ") + error.what() +
                   "\nThis is a bug of Assay: please report it, with the folder of the replay.";
  }
  return report;
}

// What a follower needs of the check.
RankQuestion rank_question(const RefinementSpec& spec, const CheckOptions& options) {
  RankQuestion question;
  question.name = spec.name;
  question.programs = programs_under_test(spec);
  question.kernel = options.kernel;
  question.graph = [&spec, seed = options.seed](DType precision) {
    const CapturedCase captured = capture_programs(spec, precision);
    const auto rank = static_cast<size_t>(RankTeam::instance().rank());
    if (!captured.has_sizes_of_values()) return captured.refinement.ranks.at(rank);
    return case_of_run(spec, captured, storage_dtype(precision), seed).ranks.at(rank);
  };
  return question;
}

// Leads or follows.
CaseReport together(const RankQuestion& question, const std::function<CaseReport()>& lead) {
  RankTeam& team = RankTeam::instance();
  if (team.follows()) return team.follow(question);
  team.begin(question);
  const CaseReport report = lead();
  team.conclude(report);
  return report;
}

}  // namespace

// Not in the header: GCC 12 warns of an uninitialised array where it inlines this list.
std::vector<DType> default_precisions() { return {DType::kFloat32, DType::kBFloat16}; }

CaseReport check_refinement(const RefinementSpec& spec, const CheckOptions& options) {
  return together(rank_question(spec, options),
                  [&] { return report_of(spec.name, spec, options); });
}

CaseReport check_case_folder(std::string name, const std::filesystem::path& folder,
                             const CheckOptions& options) {
  RankQuestion question;
  question.name = name;
  return together(question, [&] { return report_of(std::move(name), folder, options); });
}

}  // namespace assay
