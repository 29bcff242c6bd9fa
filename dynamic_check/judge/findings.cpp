#include "dynamic_check/judge/findings.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "dynamic_check/judge/rank_noise.h"
#include "dynamic_check/relate/relate.h"
#include "dynamic_check/tolerance/tolerance.h"
#include "shared_ir/case/approximation.h"

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

// Where each element lies, counted from the first.
at::Tensor places_of(const at::Tensor& tensor) {
  return at::arange(tensor.numel(), tensor.options().dtype(at::kLong)).view(tensor.sizes());
}

class TargetChecker {
 public:
  TargetChecker(const Case& refinement, const RankTensors& ranks, const ComparisonFactors& factors)
      : refinement_(refinement), ranks_(ranks), factors_(factors) {}

  // Compares every replica; the first deviation counts.
  void check(size_t index, const Target& target, const ExpectedTensor& reference,
             Findings& findings) {
    const Node* node = sequential_node(target);
    DynamicReport::Tolerance tolerance{
        .tensor = target.name,
        .op = node ? node->op : "",
        .source = node ? to_string(node->source) : "",
    };
    std::optional<Deviation> deviation;
    std::string flips;
    bool undecided = false;
    Merged last, first;  // that were compared
    for (const CleanExpr& replica : target.replicas) {
      const Merged merged = merge(replica, reference.shape,
                                  [&](const RankTensorName& name) { return recorded(name); });
      if (!merged.fault && same_bits(merged, last)) continue;
      last = merged;
      if (!first.value.defined()) first = merged;
      const Comparison comparison = compare_merged(merged, reference, factors_, target.expected);
      tolerance.allowed = comparison.allowed;
      tolerance.error = std::max(tolerance.error, comparison.error);
      if (target.approximated) continue;
      if (flips.empty()) flips = comparison.flips;
      undecided |= comparison.undecided;
      if (!comparison.within && !deviation) deviation = report(target, replica, comparison);
    }
    for (size_t i = 0; i < target.held.size() && !deviation; ++i)
      deviation = check_held(target, target.held[i], first, reference);
    if (target.approximated)
      return findings.approximations.push_back({target.name, tolerance.error});
    if (undecided && !deviation) {
      findings.skipped.push_back(
          fmt::format("{}: decided by rounding alone: {}", target.name, flips));
      return;
    }
    if (target.random && !deviation)
      return findings.skipped.push_back(target.name + ": random numbers");
    if (!target.expected) ++findings.compared;
    for (const auto& [name, rank] : leaves_of(target.sequential)) compared_.insert(name);
    if (!flips.empty() && !deviation)
      findings.flips.push_back(fmt::format("{}: {}", target.name, flips));
    tolerance.within = !deviation;
    tolerance.excess_noise = reference.excess_noise;
    findings.tolerances.push_back(tolerance);
    if (deviation) {
      deviation->target = index;
      findings.deviations.push_back(std::move(*deviation));
    }
  }

  // Sequential tensors of which every element that counts was compared.
  const std::set<std::string>& compared() const { return compared_; }

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

  // Puts what the ranks hold in the place of the elements of `rebuilt` that it should equal. Where
  // another replica is right, it may be wrong by rounding alone: the ranks' rounding may be
  // kSameNoise times what the sequential program justifies.
  std::optional<Deviation> check_held(const Target& target, const std::vector<HeldPart>& parts,
                                      const Merged& rebuilt,
                                      const ExpectedTensor& reference) const {
    if (rebuilt.fault || !rebuilt.value.defined()) return std::nullopt;
    const auto part_of = [](const HeldPart& part, const at::Tensor& whole) {
      return evaluate(part.part, [&](const RankTensorName&) { return whole; });
    };
    Merged patched = rebuilt;
    std::vector<RankTensorName> differ;
    std::string how;
    for (const HeldPart& part : parts) {
      const at::Tensor held = recorded({part.name, part.rank});
      if (!held.defined()) continue;
      const at::Tensor there = part_of(part, rebuilt.value);
      if (there.sizes() != held.sizes() || at::equal(there.to(held.scalar_type()), held)) continue;
      if (differ.empty()) patched.value = rebuilt.value.clone(at::MemoryFormat::Contiguous);
      const at::Tensor places = part_of(part, places_of(patched.value)).reshape({-1});
      patched.value.view({-1}).index_copy_(0, places,
                                           held.reshape({-1}).to(patched.value.scalar_type()));
      differ.emplace_back(part.name, part.rank);
      how += fmt::format("{}{}@{} as {}", how.empty() ? "held in " : ", in ", part.name, part.rank,
                         to_string(part.part));
    }
    if (differ.empty()) return std::nullopt;
    ComparisonFactors factors = factors_;
    factors.block *= kSameNoise;
    factors.whole *= kSameNoise;
    const Comparison comparison = compare_merged(patched, reference, factors, false);
    if (comparison.within) return std::nullopt;
    return report(target, differ, how, comparison);
  }

  // An inner tensor may have its relation to what the ranks hold before or after a cast: then its
  // value counts alone. An output has the dtype that it should have.
  Comparison compare_merged(const Merged& merged, const ExpectedTensor& reference,
                            const ComparisonFactors& factors, bool is_output) const {
    if (merged.fault) {
      return {
          .within = false, .kind = merged.fault->kind, .error = 1, .detail = merged.fault->detail};
    }
    Comparison comparison = compare(merged.value, merged.dtype, reference, factors);
    if (comparison.kind == "dtype" && !is_output && reference.spread &&
        at::isFloatingType(merged.dtype)) {
      const Comparison of_values = compare(merged.value, reference.dtype, reference, factors);
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
    return report(
        target, leaves_of(replica),
        fmt::format("{} {}", target.expected ? "expected to be" : "rebuilt as", to_string(replica)),
        comparison);
  }

  // `of`: the ranks' tensors that deviate. `how` they should make up the target.
  Deviation report(const Target& target, const std::vector<RankTensorName>& of,
                   const std::string& how, const Comparison& comparison) const {
    Deviation deviation;
    deviation.node = kNone;
    for (const RankTensorName& name : of) deviation.node = std::max(deviation.node, producer(name));
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
    for (const auto& [name, rank] : of) ranks.insert(rank);
    result.ranks.assign(ranks.begin(), ranks.end());
    result.detail = how;
    if (!comparison.detail.empty()) result.detail += "; " + comparison.detail;
    return deviation;
  }

  const Case& refinement_;
  const RankTensors& ranks_;
  const ComparisonFactors factors_;
  std::set<std::string> compared_;
};

// The outputs of the case that nothing compared, with the reason. What depends on an accepted
// approximation is compared by the search for a witness.
std::vector<Uncompared> uncompared_outputs(const Case& refinement, const Targets& targets,
                                           const std::set<std::string>& compared,
                                           const Findings& findings) {
  const Graph& graph = refinement.sequential;
  const std::vector<bool> approximated = approximated_tensors(refinement);
  std::set<TensorId> ids;
  for (const std::string& name : compared) ids.insert(graph.find(name));
  std::vector<Uncompared> result;
  for (const std::string& name : refinement.outputs) {
    const TensorId id = graph.find(name);
    if (id == kNone || ids.contains(id) || approximated[static_cast<size_t>(id)]) continue;
    const auto why = std::ranges::find_if(
        findings.skipped, [&](const std::string& one) { return one.starts_with(name + ": "); });
    result.push_back(
        {name, why == findings.skipped.end() ? "it has no relation" : why->substr(name.size() + 2),
         targets.random.contains(id)});
  }
  return result;
}

}  // namespace

Findings find_deviations(const Case& refinement, const Targets& targets,
                         const ReferenceLookup& references, const RankTensors& ranks,
                         const Allowance& allowance, const ProgressSink& progress) {
  Findings findings;
  findings.skipped = targets.skipped;
  findings.compared = static_cast<int64_t>(targets.repeated.size());
  if (!allowance.bound) findings.factor = factor_of(refinement, targets, allowance);
  const auto targets_count = static_cast<int64_t>(targets.list.size());
  TargetChecker checker(
      refinement, ranks,
      {findings.factor, findings.factor, allowance.bound,
       allowance.family_rate / static_cast<double>(std::max<int64_t>(targets_count, 1))});
  for (size_t i = 0; i < targets.list.size(); ++i) {
    tell(progress, "comparison", static_cast<int64_t>(i) + 1, targets_count);
    checker.check(i, targets.list[i], references(i), findings);
  }
  std::set<std::string> compared = checker.compared();
  compared.insert(targets.repeated.begin(), targets.repeated.end());
  findings.uncompared = uncompared_outputs(refinement, targets, compared, findings);
  return findings;
}

}  // namespace assay
