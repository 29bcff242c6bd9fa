#include "dynamic_check/findings.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <future>
#include <iterator>
#include <mutex>
#include <set>
#include <thread>

#include "dynamic_check/interpret/declared_operators.h"
#include "dynamic_check/localize/collective_check.h"
#include "dynamic_check/localize/overwritten_operand.h"
#include "dynamic_check/merge.h"
#include "dynamic_check/reused_memory.h"
#include "dynamic_check/tolerance/statistics.h"
#include "shared_ir/cast.h"

namespace assay {
namespace {

// The multiple of the spread that keeps the chance of any false finding below the family rate.
double factor_of(const Case& refinement, const Targets& targets, const Allowance& allowance) {
  const Graph& graph = refinement.sequential;
  const auto tensor = [&](const std::string& name) -> const Tensor& {
    return graph.tensors[static_cast<size_t>(graph.find(name))];
  };
  int64_t comparisons = 0;
  for (const Target& target : targets.list) {
    if (!is_floating(tensor(leaves_of(target.sequential).front().first).dtype)) continue;
    const Shape shape = infer_shape(
        target.sequential, [&](const std::string& name, Rank) { return tensor(name).shape; }, {});
    comparisons += 1 + block_count(element_count(shape));
  }
  const double coverage =
      1 - allowance.family_rate / static_cast<double>(std::max<int64_t>(comparisons, 1));
  return tolerance_factor(allowance.samples, coverage);
}

// False where it would take long to see.
bool same_bits(const Merged& left, const Merged& right) {
  const at::Tensor &a = left.value, &b = right.value;
  return b.defined() && left.dtype == right.dtype && left.has_padding == right.has_padding &&
         a.is_cpu() && b.is_cpu() && a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() &&
         a.is_contiguous() && b.is_contiguous() &&
         std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0;
}

class TargetChecker {
 public:
  TargetChecker(const Case& refinement, const RankTensors& ranks, const ComparisonFactors& factors)
      : refinement_(refinement), ranks_(ranks), factors_(factors) {}

  // Compares every replica; the first deviation counts.
  void check(size_t index, const Target& target, const ExpectedTensor& reference,
             Findings& findings) const {
    if (reference.unstable) {
      findings.skipped.push_back(
          fmt::format("{}: decided by rounding: it differs between perturbed runs", target.name));
      return;
    }
    if (!target.expected && !target.approximated) ++findings.compared;
    const Node* node = sequential_node(target);
    DynamicReport::Tolerance tolerance{
        .tensor = target.name,
        .op = node ? node->op : "",
        .source = node ? to_string(node->source) : "",
    };
    std::optional<Deviation> deviation;
    Merged last;  // that was compared
    for (const CleanExpr& replica : target.replicas) {
      const Merged merged = merge(replica, reference.shape,
                                  [&](const RankTensorName& name) { return recorded(name); });
      if (!merged.fault && same_bits(merged, last)) continue;
      last = merged;
      const Comparison comparison = compare_merged(merged, reference, target.expected);
      tolerance.allowed = comparison.allowed;
      tolerance.error = std::max(tolerance.error, comparison.error);
      if (target.approximated) continue;
      if (!comparison.within && !deviation) deviation = report(target, replica, comparison);
    }
    if (target.approximated)
      return findings.approximations.push_back({target.name, tolerance.error});
    tolerance.within = !deviation;
    findings.tolerances.push_back(tolerance);
    if (deviation) {
      deviation->target = index;
      findings.deviations.push_back(std::move(*deviation));
    }
  }

 private:
  at::Tensor recorded(const RankTensorName& name) const {
    const auto rank = static_cast<size_t>(name.second);
    if (name.second < 0 || rank >= ranks_.size()) return {};
    const TensorId id = refinement_.ranks[rank].find(name.first);
    return id == kNone ? at::Tensor() : ranks_[rank](id);
  }

  NodeId producer(const RankTensorName& name) const {
    const auto rank = static_cast<size_t>(name.second);
    if (name.second < 0 || rank >= refinement_.ranks.size()) return kNone;
    const Graph& graph = refinement_.ranks[rank];
    const TensorId id = graph.find(name.first);
    return id == kNone ? kNone : graph.tensors[static_cast<size_t>(id)].producer;
  }

  // The sequential operator that computes the target; null for an input.
  const Node* sequential_node(const Target& target) const {
    const Graph& graph = refinement_.sequential;
    const TensorId id = graph.find(leaves_of(target.sequential).front().first);
    const NodeId node = graph.tensors[static_cast<size_t>(id)].producer;
    return node == kNone ? nullptr : &graph.nodes[static_cast<size_t>(node)];
  }

  // The node of the distributed program after which the expression has its value.
  NodeId last_node(const CleanExpr& replica) const {
    NodeId last = kNone;
    for (const RankTensorName& leaf : leaves_of(replica)) last = std::max(last, producer(leaf));
    return last;
  }

  // An inner tensor may have its relation to what the ranks hold before or after a cast: then its
  // value counts alone. An output has the dtype that it should have.
  Comparison compare_merged(const Merged& merged, const ExpectedTensor& reference,
                            bool is_output) const {
    if (merged.fault) {
      return {
          .within = false, .kind = merged.fault->kind, .error = 1, .detail = merged.fault->detail};
    }
    Comparison comparison = compare(merged.value, merged.dtype, reference, factors_);
    if (comparison.kind == "dtype" && !is_output && reference.spread &&
        at::isFloatingType(merged.dtype)) {
      const Comparison of_values = compare(merged.value, reference.dtype, reference, factors_);
      if (of_values.within) comparison = of_values;
    }
    if (!comparison.within && merged.has_padding && comparison.kind == "value") {
      comparison.kind = "omission";
      comparison.detail = "elements that no rank's tensor gives, only padding";
    }
    return comparison;
  }

  Deviation report(const Target& target, const CleanExpr& replica,
                   const Comparison& comparison) const {
    Deviation deviation;
    deviation.node = last_node(replica);
    DeviationReport& result = deviation.report;
    result.tensor = target.name;
    result.kind = comparison.kind;
    result.error = comparison.error;
    result.allowed = comparison.allowed;
    if (const Node* node = sequential_node(target)) {
      result.op = node->op;
      result.source = to_string(node->source);
    }
    std::set<Rank> ranks;
    for (const auto& [name, rank] : leaves_of(replica)) ranks.insert(rank);
    result.ranks.assign(ranks.begin(), ranks.end());
    result.detail =
        fmt::format("{} {}", target.expected ? "expected to be" : "rebuilt as", to_string(replica));
    if (!comparison.detail.empty()) result.detail += "; " + comparison.detail;
    return deviation;
  }

  const Case& refinement_;
  const RankTensors& ranks_;
  const ComparisonFactors factors_;
};

// Judges all operators, those of several ranks at a time.
class OperatorJudge {
 public:
  OperatorJudge(const Case& refinement, const RankTensors& ranks, uint64_t seed, double family_rate,
                DType precision, const DeclaredOperators& declared, const ProgressSink& progress)
      : refinement_(refinement), ranks_(ranks), progress_(progress) {
    for (const Graph& graph : refinement.ranks)
      operators_ += static_cast<int64_t>(graph.nodes.size());
    const auto tolerances = static_cast<double>(operators_ * (1 + kMaxBlocks));
    options_ = {.seed = seed,
                .coverage = 1 - family_rate / std::max(tolerances, 1.0),
                .float8 = is_float8(precision) ? std::optional(precision) : std::nullopt,
                .declared = &declared};
  }

  // By rank, in the order of its nodes.
  std::vector<OperatorFault> faults() {
    const size_t ranks = refinement_.ranks.size();
    const size_t threads = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, ranks);
    const int kernel_threads = std::max(1, at::get_num_threads() / static_cast<int>(threads));
    std::vector<std::vector<OperatorFault>> of_ranks(ranks);
    std::atomic<size_t> next{0};
    const auto judge = [&] {
      at::set_num_threads(kernel_threads);
      const UnfilledMemory unfilled;
      for (size_t rank = next++; rank < ranks; rank = next++) of_ranks[rank] = faults_of(rank);
    };
    const int all_kernel_threads = at::get_num_threads();
    std::vector<std::future<void>> judges;
    for (size_t i = 0; i < threads; ++i) judges.push_back(std::async(std::launch::async, judge));
    for (const std::future<void>& judge_of_some : judges) judge_of_some.wait();
    at::set_num_threads(all_kernel_threads);
    for (std::future<void>& judge_of_some : judges) judge_of_some.get();
    std::vector<OperatorFault> all;
    for (auto& of_rank : of_ranks) std::ranges::move(of_rank, std::back_inserter(all));
    return all;
  }

 private:
  std::vector<OperatorFault> faults_of(size_t rank) {
    const Graph& graph = refinement_.ranks[rank];
    std::vector<OperatorFault> faults;
    for (size_t node = 0; node < graph.nodes.size(); ++node) {
      {
        const std::lock_guard lock(mutex_);
        tell(progress_, "operator", ++judged_, operators_);
      }
      auto fault = check_operator(graph, static_cast<Rank>(rank), static_cast<NodeId>(node),
                                  ranks_[rank], options_);
      if (!fault) continue;
      auto writer = overwritten_operand(graph, *fault, ranks_[rank], options_);
      faults.push_back(std::move(writer ? *writer : *fault));
    }
    return faults;
  }

  const Case& refinement_;
  const RankTensors& ranks_;
  const ProgressSink& progress_;
  OperatorCheckOptions options_;
  std::mutex mutex_;
  int64_t operators_ = 0, judged_ = 0;
};

}  // namespace

std::vector<OperatorFault> find_faults(const Case& refinement, const RankTensors& ranks,
                                       uint64_t seed, double family_rate, DType precision,
                                       const ProgressSink& progress) {
  const DeclaredOperators declared(refinement.operator_files);
  std::vector<OperatorFault> faults =
      check_collectives(refinement.ranks, refinement.distributed_groups, ranks, &declared);
  std::ranges::move(
      OperatorJudge(refinement, ranks, seed, family_rate, precision, declared, progress).faults(),
      std::back_inserter(faults));
  std::stable_sort(faults.begin(), faults.end(),
                   [](const OperatorFault& a, const OperatorFault& b) { return a.node < b.node; });
  return faults;
}

Findings find_deviations(const Case& refinement, const Targets& targets,
                         const ReferenceLookup& references, const RankTensors& ranks,
                         const Allowance& allowance, const ProgressSink& progress) {
  Findings findings;
  findings.skipped = targets.skipped;
  findings.compared = targets.repeated;
  if (!allowance.bound) findings.factor = factor_of(refinement, targets, allowance);
  const TargetChecker checker(refinement, ranks,
                              {findings.factor, findings.factor, allowance.bound});
  const auto targets_count = static_cast<int64_t>(targets.list.size());
  for (size_t i = 0; i < targets.list.size(); ++i) {
    tell(progress, "comparison", static_cast<int64_t>(i) + 1, targets_count);
    checker.check(i, targets.list[i], references(i), findings);
  }
  return findings;
}

}  // namespace assay
