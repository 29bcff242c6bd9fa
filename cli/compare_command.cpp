#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/compare_question.h"
#include "cli/text_file.h"
#include "dynamic_check/witness/witness.h"
#include "shared_ir/base/module.h"
#include "shared_ir/report/conclude.h"

namespace assay::cli {
namespace {

struct CompareArguments {
  std::string relations, json;
  double bound = 0;
  TraceComparison question;
};

void check_traces(const TraceComparison& question) {
  if (question.base.empty()) {
    throw UserError({}, "which run is the base?",
                    "name its trace with --base, or a folder that keeps the traces of a check");
  }
  if (question.ranks.empty()) {
    throw UserError({}, "there is nothing to compare with " + question.base.string(),
                    "name the trace of each rank with --rank");
  }
  if (!question.relations && question.ranks.size() > 1) {
    throw UserError({}, "without relations, two runs are compared tensor by tensor",
                    "name a case folder or a report, or one other trace with --rank");
  }
  if (question.bound && !(question.samples.empty() && question.exact.empty())) {
    throw UserError({}, "tolerances come from --sample or from --bound, not from both");
  }
}

CaseReport compare(CompareArguments& arguments) {
  CaseReport report;
  TraceComparison& question = arguments.question;
  if (!arguments.relations.empty()) {
    take_relations(arguments.relations, question, report);
    take_traces(arguments.relations, question);
  }
  check_traces(question);
  if (report.name.empty())
    report.name = question.ranks.front().string() + " against " + question.base.string();
  const Module module(kWitnessModule);
  if (!module.loaded())
    throw UserError({}, "cannot compare: " + module.why_not(), "build Assay with LibTorch");
  module.function<CompareFunction>(kCompareEntry)(question, report.dynamic.emplace());
  if (report.statics) {
    conclude(report, question.refinement ? question.refinement->accept : std::nullopt,
             RunAsked::kYes);
  } else {
    conclude_run_alone(report);
  }
  return report;
}

}  // namespace

void add_compare_command(CLI::App& app, int& exit) {
  auto* command = app.add_subcommand("compare", "Compare runs of which traces were kept");
  auto arguments = std::make_shared<CompareArguments>();
  TraceComparison& question = arguments->question;
  command->add_option("RELATIONS", arguments->relations,
                      "case folder (with the traces of its check, where none are named), or a JSON "
                      "report of `assay check --relations`; without, tensors of the same name are "
                      "compared");
  command->add_option("--base", question.base, "trace of the sequential run, or of the older one");
  command->add_option("--rank", question.ranks, "traces of all ranks, or of the other run");
  command->add_option("--sample", question.samples,
                      "traces of perturbed runs like the base, for tolerances");
  command->add_option("--exact", question.exact, "trace of a run like the base, in float64");
  auto* bound = command->add_option("--bound", arguments->bound,
                                    "relative error to allow where there are no samples");
  bound->check(CLI::Range(0.0, 1e6));
  command->add_option("--json", arguments->json, "write the report as JSON");
  command->callback([arguments, bound, &exit] {
    if (bound->count() > 0) arguments->question.bound = arguments->bound;
    const CaseReport report = compare(*arguments);
    std::cout << to_text(report) << "\n";
    if (!arguments->json.empty()) write_text(arguments->json, to_json({{report}}));
    exit = report.exit;
  });
}

}  // namespace assay::cli
