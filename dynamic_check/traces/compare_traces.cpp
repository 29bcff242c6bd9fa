#include <ATen/ops/equal.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include "dynamic_check/clean_eval.h"
#include "dynamic_check/findings.h"
#include "dynamic_check/interpret/boxed_call.h"
#include "dynamic_check/targets.h"
#include "dynamic_check/traces/tensor_trace.h"
#include "dynamic_check/traces/trace_comparison.h"
#include "dynamic_check/traces/trace_set.h"
#include "dynamic_check/triage.h"
#include "shared_ir/trace/trace_graph.h"

namespace assay {
namespace {

// The case that traces make up by themselves: tensors, operators by name, and relations.
Case case_of(const TraceSet& traces) {
  Case refinement;
  refinement.sequential = graph_of(traces.base().tensors(), traces.base().file());
  for (const auto& rank : traces.ranks())
    refinement.ranks.push_back(graph_of(rank->tensors(), rank->file()));
  return refinement;
}

std::vector<Relation> by_name(const TensorTrace& base) {
  std::vector<Relation> relations;
  for (const TracedTensor& tensor : base.tensors()) {
    CleanExpr same;
    same.name = tensor.name;
    relations.push_back({tensor.name, {std::move(same)}, {}});
  }
  return relations;
}

class Comparer {
 public:
  Comparer(const TraceComparison& question, TraceSet& traces)
      : question_(question),
        traces_(traces),
        refinement_(question.refinement ? *question.refinement : case_of(traces)),
        targets_(targets()) {}

  DynamicReport compare() const {
    DynamicReport report;
    report.precision = to_string(traces_.base().run().precision);
    report.seed = traces_.base().run().seed.value_or(0);
    report.samples = static_cast<int64_t>(traces_.samples().size());
    report.bound = question_.bound;
    report.family_false_positive_rate =
        question_.bound ? std::numeric_limits<double>::infinity() : question_.family_rate;
    const RankTensors ranks = rank_tensors();
    Findings findings = find_deviations(
        refinement_, targets_, [this](size_t target) { return reference(targets_.list[target]); },
        ranks, {report.samples, question_.family_rate, question_.bound});
    if (question_.refinement)
      findings.faults = find_faults(refinement_, ranks, report.seed, question_.family_rate,
                                    traces_.base().run().precision);
    // Of operators whose inputs no graph names, nothing is known.
    const bool located = question_.refinement || !findings.any();
    triage(findings, refinement_, targets_, located ? question_.static_verdict : Verdict::kUnproved,
           report);
    if (!located) report.triage = "deviation";
    if (!question_.relations && !findings.any()) report.triage = "agreement";
    return report;
  }

 private:
  Targets targets() const {
    std::vector<Relation> relations =
        question_.relations ? *question_.relations : by_name(traces_.base());
    std::vector<std::string> missing;
    std::erase_if(relations, [&](const Relation& relation) {
      if (traces_.base().find(relation.tensor)) return false;
      missing.push_back(fmt::format("{}: not in {}", relation.tensor, traces_.base().file()));
      return true;
    });
    for (const std::string& name : question_.required) require(name);
    Targets targets = make_targets(refinement_, relations);
    for (const Target& target : targets.list)
      for (const auto& [name, rank] : leaves_of(target.sequential)) require(name);
    std::ranges::move(missing, std::back_inserter(targets.skipped));
    return targets;
  }

  void require(const std::string& name) const {
    if (traces_.base().find(canonical(name))) return;
    throw UserError({traces_.base().file()},
                    fmt::format("there is no tensor '{}', which must be compared", name),
                    "record the program that was checked, up to its outputs");
  }

  // A case knows aliases of its tensors; traces know one name.
  std::string canonical(const std::string& name) const {
    const TensorId id = refinement_.sequential.find(name);
    return id == kNone ? name : refinement_.sequential.tensors[static_cast<size_t>(id)].name;
  }

  RankTensors rank_tensors() const {
    RankTensors ranks;
    for (size_t rank = 0; rank < traces_.ranks().size(); ++rank) {
      ranks.emplace_back([this, rank](TensorId id) {
        return traces_.ranks()[rank]->read(
            refinement_.ranks[rank].tensors[static_cast<size_t>(id)].name);
      });
    }
    return ranks;
  }

  at::Tensor value(const Target& target, TensorTrace& trace) const {
    return evaluate(target.sequential, [&](const RankTensorName& leaf) {
      return traces_.read_like_base(trace, canonical(leaf.first));
    });
  }

  ReferenceTensor reference(const Target& target) const {
    const at::Tensor run = value(target, traces_.base());
    ReferenceTensor reference = reference_of(run);
    if (run.is_floating_point()) {
      const bool exact = traces_.exact() != nullptr;
      reference.spread.emplace(widened(exact ? value(target, *traces_.exact()) : run));
    }
    for (const auto& sample : traces_.samples()) add_sample(reference, value(target, *sample));
    return reference;
  }

  const TraceComparison& question_;
  TraceSet& traces_;
  const Case refinement_;
  const Targets targets_;
};

}  // namespace

DynamicReport compare_traces(const TraceComparison& question) {
  const auto start = std::chrono::steady_clock::now();
  TraceSet traces(question);
  DynamicReport report = Comparer(question, traces).compare();
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  report.ms = elapsed.count();
  return report;
}

}  // namespace assay
