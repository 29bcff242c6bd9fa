#include "dynamic_check/witness/witness_module.h"

#include <type_traits>

#include "dynamic_check/witness/witness_report.h"

extern "C" [[gnu::visibility("default")]] void assay_witness(const assay::Case& refinement,
                                                             assay::DynamicReport& report) {
  report = assay::witness_report(refinement);
}

extern "C" [[gnu::visibility("default")]] void assay_run_of_proof(
    const assay::Case& refinement, const std::vector<assay::Relation>& proved,
    assay::DynamicReport& report) {
  report = assay::run_of_proof(refinement, proved);
}

extern "C" [[gnu::visibility("default")]] void assay_compare(const assay::TraceComparison& question,
                                                             assay::DynamicReport& report) {
  report = assay::compare_traces(question);
}

static_assert(std::is_same_v<decltype(assay_witness), assay::WitnessFunction>);
static_assert(std::is_same_v<decltype(assay_run_of_proof), assay::ProofRunFunction>);
static_assert(std::is_same_v<decltype(assay_compare), assay::CompareFunction>);
