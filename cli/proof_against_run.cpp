#include "cli/proof_against_run.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/witness.h"
#include "shared_ir/case/inferred_relations.h"
#include "shared_ir/report/conclude.h"
#include "static_check/domains/partial_functions.h"

namespace assay::cli {
namespace {

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

// What constants that the proof took for others may make of a difference.
constexpr double kMostOfConstants = 1e-6;

// Whether the proof took constants for others, such as digits of the root of 2/pi for that.
bool takes_constants(const StaticReport& proof) {
  return std::ranges::any_of(proof.assumptions, [](const std::string& assumption) {
    return assumption.starts_with("the constant ") ||
           (assumption.starts_with("constants: ") &&
            assumption.find(" is read as ") != std::string::npos);
  });
}

}  // namespace

void hold_against_run(const Case& refinement, const Certificate& certificate, CaseReport* report) {
  std::string why;
  auto run = run_of_proof(refinement, outputs_of(*report->statics, certificate), why);
  if (!run) {
    report->notes.push_back("proved, and not run on numbers: " + why);
  } else if (run->verdict == RunVerdict::kAgrees) {
    report->notes.push_back("run once in float64 with PyTorch's kernels and memory: " +
                            std::to_string(run->compared) + " comparisons agree");
  } else if (run->first_deviation->kind == "value" && takes_constants(*report->statics) &&
             run->first_deviation->error <= kMostOfConstants) {
    report->notes.push_back(
        fmt::format("run once in float64 with PyTorch's kernels and memory: {} differs by {:.1g}, "
                    "as constants do from those that the proof took them for",
                    run->first_deviation->tensor, run->first_deviation->error));
  } else {
    DeviationReport& found = run->first_deviation.value();
    const std::string domains = domains_in_words(*report->statics);
    const bool is_nan = found.kind == "nan";
    const bool of_constants = found.kind == "value" && takes_constants(*report->statics);
    if (is_nan && !domains.empty()) {
      found.detail += "; what the proof assumes does not hold - " + domains;
      run->triage = "domain";
    } else if (is_nan) {  // of numbers that are too large, or Assay is wrong
      found.detail += "; real numbers, of which the proof is, do not overflow";
      run->triage = "rounding";
    } else if (of_constants) {
      found.detail += "; the proof reads constants as others, which its assumptions list";
      run->triage = "rounding";
    }
    if (is_nan || of_constants || run->triage == "rounding") {
      report->dynamic = std::move(run);
      return conclude(*report, refinement.accept, RunAsked::kBeside);
    }
    throw InternalError("proved, but a run contradicts it: " +
                        (found.tensor.empty() ? "" : found.tensor + " is ") + found.detail);
  }
}

}  // namespace assay::cli
