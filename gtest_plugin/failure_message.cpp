#include "gtest_plugin/failure_message.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>

namespace assay {
namespace {

constexpr size_t kMaxInputs = 6;
constexpr size_t kMaxOutputs = 6;
constexpr size_t kMaxRelation = 160;  // characters

std::string shortened(std::string text, size_t limit = kMaxRelation) {
  if (text.size() <= limit) return text;
  text.resize(limit);
  return text + " ...";
}

std::string in_words(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", number);
  return text;
}

std::string mesh_in_words(const Mesh& mesh) {
  std::string text;
  for (const Mesh::Axis& axis : mesh.axes()) {
    text += (text.empty() ? "" : " ") + axis.name + "=" + std::to_string(axis.size);
  }
  return text.empty() ? "one rank" : text;
}

// Nothing was compared: a rank is gone, threw, hung or called something else than the others.
bool did_not_finish(const DynamicReport& run) {
  static constexpr std::string_view kKinds[] = {"timeout", "collective_mismatch", "run_failed"};
  return run.first_deviation && std::ranges::count(kKinds, run.first_deviation->kind) > 0;
}

std::string headline(const CaseReport& report, const FailureContext& context) {
  std::string text = context.test + " (" + mesh_in_words(context.mesh) + "): ";
  const bool unfinished = report.dynamic && did_not_finish(*report.dynamic);
  if (report.verdict == Verdict::kError && !unfinished)
    return text + "not checked, because of an error\n";
  if (report.statics)
    text += "proof: " + std::string(to_string(report.statics->verdict)) + given_in_words(report);
  if (report.dynamic) {
    const bool within = report.dynamic->verdict == RunVerdict::kAgrees;
    text += unfinished                                             ? "; run: did not finish"
            : within                                               ? "; run: within tolerance"
            : report.dynamic->verdict == RunVerdict::kInconclusive ? "; run: not conclusive"
                                                                   : "; run: deviates";
  }
  return text + "\n";
}

std::string relation_in_words(const TensorReport& tensor) {
  if (tensor.relation.empty()) return "no relation";
  return shortened(tensor.relation.front()) + (tensor.pending_sum ? "  (still a sum)" : "") +
         (tensor.relation.size() > 1
              ? "  (and " + std::to_string(tensor.relation.size() - 1) + " more)"
              : "");
}

std::string proof_failure(const FailureReport& failure) {
  std::string text = "\n  " + failure.node + "   " + failure.op + "   " + failure.source + "\n";
  if (!failure.reason.empty()) text += "    what differs: " + failure.reason + "\n";
  if (!failure.nearest.empty()) {
    text += "    nearest:      " + shortened(failure.nearest);
    if (!failure.distributed_source.empty()) text += "   " + failure.distributed_source;
    text += "\n";
  }
  if (!failure.inputs.empty()) text += "    its inputs:\n";
  for (size_t i = 0; i < std::min(kMaxInputs, failure.inputs.size()); ++i) {
    text += "      " + failure.inputs[i].name + " = " + relation_in_words(failure.inputs[i]) + "\n";
  }
  if (!failure.hint.empty()) text += "    look at:      " + failure.hint + "\n";
  return text;
}

std::string open_outputs(const StaticReport& proof) {
  std::string text;
  size_t open = 0;
  for (const TensorReport& output : proof.outputs) {
    if (output.verdict == Verdict::kProved) continue;
    if (++open <= kMaxOutputs) text += (open == 1 ? "" : ", ") + output.name;
  }
  if (open > kMaxOutputs) text += " and " + std::to_string(open - kMaxOutputs) + " more";
  if (open == 0) return {};
  return "  outputs without proof: " + text + "\n";
}

std::string proof_in_words(const StaticReport& proof) {
  if (proof.verdict == Verdict::kProved) return {};
  std::string text = open_outputs(proof);
  for (const std::string& question : proof.unanswered)
    text += "  there may be a proof, but " + question + "\n";
  // What a smaller program may change; of what lemmas lack, the case's report has the rest.
  for (const std::string& search : proof.searches)
    if (search.starts_with("evaluation")) text += "  " + search + "\n";
  if (!proof.failures.empty()) text += proof_failure(proof.failures.front());
  if (proof.failures.size() > 1) {
    text += "\n  " + std::to_string(proof.failures.size() - 1) +
            " more in the case's report (see replay below)\n";
  }
  return text;
}

std::string triage_in_words(std::string_view triage) {
  static const std::map<std::string_view, const char*> kWords = {
      {"kernel", "kernel: this operator is wrong on right inputs; the program around it is proved"},
      {"runtime",
       "runtime: the collective did not deliver what its inputs give; look for a missing wait or "
       "stream order"},
      {"precision",
       "precision: computed more coarsely than the run's type; look for a cast or an accumulator"},
      {"rounding",
       "rounding: the proof holds, and each operator is right on its own inputs; the ranks round "
       "where it decides, or an assumption of the proof does not hold"},
      {"logic", "logic: the program computes something else, as the proof says"},
      {"input_relation",
       "input relation: the parameters that the ranks made do not fit their placement"},
      {"unproved",
       "within tolerance on these inputs, but not proved: a missing lemma, or a bug that they do "
       "not show"},
      {"not_compared",
       "the proof holds, but the run compared nothing with these outputs: it says nothing of their "
       "kernels and their precision"},
  };
  const auto found = kWords.find(triage);
  return found == kWords.end() ? std::string(triage) : found->second;
}

std::string run_in_words(const DynamicReport& run) {
  std::string text = "\n  run in " + run.precision + ", seed " + std::to_string(run.seed) + ": ";
  if (did_not_finish(run))
    return text + "did not finish\n    " + run.first_deviation->detail + "\n";
  text += "compared " + std::to_string(run.compared) + " tensors, " +
          std::to_string(run.deviations) + " deviate\n";
  if (run.first_deviation) {
    const DeviationReport& first = *run.first_deviation;
    text += "  first: " + first.tensor + "   " + first.op + "   " + first.source + "\n";
    text += "    " + first.kind + ": error " + in_words(first.error) + ", allowed " +
            in_words(first.allowed);
    if (!first.ranks.empty()) {
      text += first.ranks.size() == 1 ? ", rank" : ", ranks";
      for (int32_t rank : first.ranks) text += " " + std::to_string(rank);
    }
    text += "\n";
    if (!first.detail.empty()) text += "    " + first.detail + "\n";
  }
  for (const std::string& output : run.uncompared)
    text += "  nothing compared output " + output + "\n";
  for (const std::string& what : run.incomplete) text += "  could not be run: " + what + "\n";
  for (const std::string& flip : run.flips) text += "  " + flip + "\n";
  if (!run.triage.empty() && run.triage != "pass")
    text += "  " + triage_in_words(run.triage) + "\n";
  return text;
}

// "file:line" as the reports write it.
SourcePlace parse_place(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon + 1 == text.size()) return {};
  const std::string line = text.substr(colon + 1);
  if (!std::all_of(line.begin(), line.end(), [](char c) { return c >= '0' && c <= '9'; }) ||
      line.size() > 9)
    return {};
  return {text.substr(0, colon), std::stoll(line), 0};
}

}  // namespace

std::string failure_message(const CaseReport& report, const FailureContext& context) {
  std::string text = headline(report, context);
  if (!report.error.empty()) text += "  " + report.error + "\n";
  if (report.statics) text += proof_in_words(*report.statics);
  if (report.dynamic) text += run_in_words(*report.dynamic);
  text += "\n  reproduce: ASSAY_SEED=" + std::to_string(context.seed) + " ";
  if (!context.executor.empty()) text += "ASSAY_EXECUTOR=" + context.executor + " ";
  if (!context.device.empty()) text += "ASSAY_DEVICE=" + context.device + " ";
  if (!context.stages.empty()) text += "ASSAY_REFERENCE_STAGES=" + context.stages + " ";
  text += context.binary + " --gtest_filter=" + context.test + "\n";
  if (!context.bundle.empty()) text += "  replay:    assay check " + context.bundle + "\n";
  if (!context.no_bundle.empty())
    text += "  no replay: " + context.no_bundle + "; ASSAY_BUNDLES names another folder\n";
  return text;
}

SourcePlace failure_place(const CaseReport& report) {
  std::vector<std::string> candidates;
  if (report.statics) {
    for (const FailureReport& failure : report.statics->failures) {
      candidates.push_back(failure.distributed_source);
      candidates.push_back(failure.source);
      break;
    }
  }
  if (report.dynamic && report.dynamic->first_deviation)
    candidates.push_back(report.dynamic->first_deviation->source);
  for (const std::string& candidate : candidates) {
    const SourcePlace place = parse_place(candidate);
    if (place.known()) return place;
  }
  return {};
}

}  // namespace assay
