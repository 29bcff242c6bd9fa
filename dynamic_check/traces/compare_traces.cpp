#include <ATen/ops/equal.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include "dynamic_check/judge/judge.h"
#include "dynamic_check/keep/keep.h"
#include "dynamic_check/kernels/kernels.h"
#include "dynamic_check/localize/localize.h"
#include "dynamic_check/relate/relate.h"
#include "dynamic_check/traces/trace_comparison.h"
#include "dynamic_check/traces/trace_set.h"
#include "dynamic_check/traces/traced_inputs.h"
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
    const Allowance allowance{report.samples, question_.family_rate, question_.bound};
    Findings findings = find_deviations(
        refinement_, targets_, [this](size_t target) { return reference(targets_.list[target]); },
        ranks, allowance);
    if (!findings.deviations.empty() && !question_.bound) {
      std::vector<ExpectedTensor> references;
      for (const Target& target : targets_.list) references.push_back(reference(target));
      report.not_raised = raise(references, report.incomplete);
      findings = find_deviations(
          refinement_, targets_, [&](size_t target) { return references[target]; }, ranks,
          allowance);
    }
    if (question_.refinement) {
      JudgedOperators judged = find_faults(refinement_, ranks, report.seed, question_.family_rate,
                                           traces_.base().run().precision);
      findings.faults = std::move(judged.faults);
      findings.operators = std::move(judged.operators);
    }
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
    Targets targets = make_targets(refinement_, relations, question_.views);
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

  ExpectedTensor reference(const Target& target) const {
    const at::Tensor run = value(target, traces_.base());
    ExpectedTensor reference = reference_of(run);
    if (run.is_floating_point()) {
      const bool exact = traces_.exact() != nullptr;
      reference.spread.emplace(widened(exact ? value(target, *traces_.exact()) : run));
    }
    for (const auto& sample : traces_.samples()) add_sample(reference, value(target, *sample));
    return reference;
  }

  // Raises spreads as a run does where something deviates, by the same runs of the graphs. Returns
  // why it could not; empty when it could.
  std::string raise(std::vector<ExpectedTensor>& references,
                    std::vector<std::string>& incomplete) const {
    if (!question_.refinement) return "no case has the graphs";
    try {
      const TraceRun& run = traces_.base().run();
      const DynamicOptions options{.precision = run.precision,
                                   .seed = run.seed.value_or(0),
                                   .samples = static_cast<int>(traces_.samples().size())};
      const RunInputs inputs = traced_inputs(refinement_, traces_);
      raise_by_sequential_graph(references, refinement_, targets_, inputs, options);
      raise_by_further_runs(references);
      std::string why_not = raise_by_ranks(references, refinement_, targets_, inputs, options);
      if (!why_not.empty()) incomplete.push_back(std::move(why_not));
    } catch (const UserError& error) {
      const std::string place = to_string(error.place());
      return (place.empty() ? "" : place + ": ") + error.message();
    }
    return {};
  }

  // Each as many as there are samples is one more estimate.
  void raise_by_further_runs(std::vector<ExpectedTensor>& references) const {
    const auto& runs = traces_.further();
    const size_t samples = traces_.samples().size();
    for (size_t begin = 0; begin + samples <= runs.size(); begin += samples) {
      for (size_t i = 0; i < references.size(); ++i) {
        ExpectedTensor& reference = references[i];
        ExpectedTensor more = without_samples(reference);
        for (size_t run = begin; run < begin + samples; ++run)
          add_sample(more, value(targets_.list[i], *runs[run]));
        add_estimate(reference, more);
      }
    }
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
