#include "bench/question.h"

#include "dynamic_check/cuda/cuda.h"
#include "gtest_plugin/dynamic_question.h"
#include "shared_ir/case/inferred_relations.h"
#include "shared_ir/operator_table/operator_table.h"
#include "static_check/check.h"

namespace assay::bench {

Question::Question(const RefinementSpec& spec, DType precision)
    : refinement(capture_case(spec, precision)), programs(programs_under_test(spec)) {
  const StaticResult proof = static_check(refinement, OperatorTable::builtin());
  verdict = proof.report.verdict;
  relations = inferred_relations(proof.certificate);
  options.precision = precision;
  options.cuda = variable_names_gpu();
}

DynamicReport Question::check() const {
  return dynamic_check(refinement, relations, verdict, programs, options);
}

std::string why_not(const DynamicReport& report) {
  std::string why = "not within tolerance: " + std::string(name_in_json(report.verdict));
  if (report.first_deviation) {
    why += ", " + report.first_deviation->tensor + " " + report.first_deviation->detail;
  }
  return why;
}

}  // namespace assay::bench
