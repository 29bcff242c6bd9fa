#include "dynamic_check/replay_module.h"

#include <type_traits>

#include "dynamic_check/replay/replay_report.h"

extern "C" [[gnu::visibility("default")]] void assay_replay(const assay::Case& refinement,
                                                            assay::DynamicReport& report) {
  report = assay::replay_report(refinement);
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

static_assert(std::is_same_v<decltype(&assay_replay), assay::ReplayFunction>);
static_assert(std::is_same_v<decltype(&assay_run_of_proof), assay::ProofRunFunction>);
static_assert(std::is_same_v<decltype(&assay_compare), assay::CompareFunction>);
