#include <chrono>

#include "assay/refinement.h"
#include "dynamic_check/check.h"
#include "gtest_plugin/dynamic_question.h"
#include "shared_ir/report/conclude.h"
#include "static_check/check.h"

namespace assay {
namespace {

DynamicOptions dynamic_options(const CheckOptions& options, DType precision) {
  DynamicOptions run;
  run.precision = precision;
  run.seed = options.seed;
  run.samples = options.samples;
  run.timeout = options.timeout;
  run.completion = options.completion;
  run.kernel = options.kernel;
  return run;
}

OperatorTable operator_table(const RefinementSpec& spec) {
  OperatorTable operators = OperatorTable::builtin();
  for (const auto& file : spec.operator_files) operators.add_file(file);
  return operators;
}

// The proof about the programs in one precision, and what the run needs of it.
struct Proof {
  Case refinement;
  StaticResult result;
};

Proof prove(const RefinementSpec& spec, const CheckOptions& options, const OperatorTable& operators,
            DType precision) {
  Proof proof{capture_case(spec, precision), {}};
  StaticOptions bounds;
  bounds.timeout = options.timeout;
  proof.result = static_check(proof.refinement, operators, bounds);
  return proof;
}

// Proves and runs in every precision until one fails; each captures for itself, as casts differ.
void check(const RefinementSpec& spec, const CheckOptions& options, CaseReport& report) {
  const OperatorTable operators = operator_table(spec);
  if (options.precisions.empty()) {
    report.statics = prove(spec, options, operators, DType::kFloat32).result.report;
    return conclude(report, spec.accept);
  }
  for (DType precision : options.precisions) {
    const Proof proof = prove(spec, options, operators, precision);
    report.statics = proof.result.report;
    report.dynamic = dynamic_check(proof.refinement, inferred_relations(proof.result.certificate),
                                   report.statics->verdict, programs_under_test(spec),
                                   dynamic_options(options, precision));
    conclude(report, spec.accept);
    if (report.exit != 0) return;
  }
}

}  // namespace

// Not in the header: GCC 12 warns of an uninitialised array where it inlines this list.
std::vector<DType> default_precisions() { return {DType::kFloat32, DType::kBFloat16}; }

CaseReport check_refinement(const RefinementSpec& spec, const CheckOptions& options) {
  CaseReport report;
  report.name = spec.name;
  try {
    check(spec, options, report);
  } catch (const std::exception& error) {
    report.verdict = Verdict::kError;
    report.exit = dynamic_cast<const UserError*>(&error) != nullptr ? 2 : 3;
    report.error = error.what();
  }
  return report;
}

}  // namespace assay
