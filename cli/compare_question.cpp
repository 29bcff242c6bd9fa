#include "cli/compare_question.h"

#include <utility>

#include "cli/text_file.h"
#include "shared_ir/case/inferred_relations.h"
#include "shared_ir/trace/trace_folder.h"
#include "static_check/check.h"

namespace assay::cli {
namespace {

void take_case(const std::string& from, TraceComparison& question, CaseReport& report) {
  question.refinement = load_case(from);
  const Case& refinement = *question.refinement;
  report.name = refinement.name;
  StaticResult proof =
      static_check(refinement, OperatorTable::with_files(refinement.operator_files));
  question.relations = inferred_relations(proof.certificate);
  question.views = std::move(proof.distributed_over_sequential);
  question.required = refinement.outputs;
  question.static_verdict = proof.report.verdict;
  report.statics = std::move(proof.report);
  report.statics->tensors.clear();
}

void add_relations(const std::vector<TensorReport>& tensors, const std::string& file,
                   std::vector<Relation>& relations) {
  for (const TensorReport& tensor : tensors) {
    Relation relation{tensor.name, {}, {file}};
    for (const std::string& replica : tensor.relation)
      relation.replicas.push_back(parse_clean_expr(replica, relation.place));
    if (!relation.replicas.empty()) relations.push_back(std::move(relation));
  }
}

void take_report(const std::string& from, TraceComparison& question, CaseReport& report) {
  Report read = report_from_json(read_text(from), from);
  if (read.cases.size() != 1 || !read.cases.front().statics) {
    throw UserError({from}, "this report is not of one proof",
                    "write one with `assay check CASE --relations --json FILE`");
  }
  report = std::move(read.cases.front());
  report.dynamic.reset();
  report.notes.clear();
  StaticReport& proof = *report.statics;
  question.static_verdict = proof.verdict;
  question.relations.emplace();
  add_relations(proof.outputs, from, *question.relations);
  for (const Relation& output : *question.relations) question.required.push_back(output.tensor);
  if (proof.tensors.empty())
    report.notes.push_back("the report has relations of outputs alone: only these are compared");
  add_relations(proof.tensors, from, *question.relations);
  proof.tensors.clear();
}

}  // namespace

void take_relations(const std::string& from, TraceComparison& question, CaseReport& report) {
  const bool folder = std::filesystem::is_directory(from) || from.ends_with(".toml");
  folder ? take_case(from, question, report) : take_report(from, question, report);
}

void take_traces(const std::filesystem::path& folder, TraceComparison& question) {
  if (!question.base.empty() || !question.ranks.empty() || !question.samples.empty()) return;
  const TraceFolder kept{folder};
  if (!std::filesystem::exists(kept.base())) return;
  question.base = kept.base();
  question.ranks = kept.ranks();
  if (question.bound) return;
  question.samples = kept.samples();
  question.further = kept.further();
  if (question.exact.empty() && std::filesystem::exists(kept.exact()))
    question.exact = kept.exact();
}

}  // namespace assay::cli
