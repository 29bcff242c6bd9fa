#include "dynamic_check/localize/collective_check.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "dynamic_check/compare/norms.h"
#include "dynamic_check/interpret/collective_node.h"
#include "dynamic_check/tolerance/rounding.h"
#include "shared_ir/capture/scalar_type.h"

namespace assay {
namespace {

// One member's call: which node, and what it says.
struct MemberCall {
  NodeId node;
  CollectiveNode call;
};

// Per rank and group, the collectives in order.
using Calls = std::map<std::pair<Rank, std::string>, std::vector<MemberCall>>;

Calls collect_calls(const std::vector<Graph>& ranks) {
  Calls calls;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    for (size_t id = 0; id < ranks[rank].nodes.size(); ++id) {
      if (const auto call = collective_of(ranks[rank].nodes[id])) {
        calls[{static_cast<Rank>(rank), call->group}].push_back({static_cast<NodeId>(id), *call});
      }
    }
  }
  return calls;
}

// One collective of one group, over all its members.
class JointCollective {
 public:
  JointCollective(const std::vector<Graph>& ranks, const std::vector<RecordedTensors>& recorded)
      : ranks_(ranks), recorded_(recorded) {}

  void add(Rank member, const MemberCall& call) {
    members_.push_back(member);
    nodes_.push_back(call.node);
    calls_.push_back(call.call);
    inputs_.push_back(recorded_[static_cast<size_t>(member)][static_cast<size_t>(call.call.input)]);
  }

  std::vector<OperatorFault> faults() const {
    const bool complete = std::all_of(inputs_.begin(), inputs_.end(),
                                      [](const at::Tensor& t) { return t.defined(); });
    if (!complete) return {};
    std::vector<at::Tensor> exact;
    for (const at::Tensor& input : inputs_) {
      exact.push_back(input.is_floating_point() && reduces() ? input.to(at::kDouble) : input);
    }
    std::vector<OperatorFault> result;
    for (size_t i = 0; i < members_.size(); ++i) {
      if (auto fault = check_member(i, collective_result(calls_, exact, i)))
        result.push_back(*fault);
    }
    return result;
  }

 private:
  bool reduces() const { return !calls_.front().reduction.empty(); }

  std::optional<OperatorFault> check_member(size_t i, const at::Tensor& expected) const {
    const Graph& graph = ranks_[static_cast<size_t>(members_[i])];
    const TensorId output = graph.nodes[static_cast<size_t>(nodes_[i])].outputs.front();
    if (output == kNone) return std::nullopt;
    const at::Tensor& actual =
        recorded_[static_cast<size_t>(members_[i])][static_cast<size_t>(output)];
    if (!actual.defined()) return std::nullopt;
    OperatorFault fault{.kind = OperatorFault::Kind::kRuntime,
                        .rank = members_[i],
                        .node = nodes_[i],
                        .output = output};
    fault.detail = fmt::format(
        "rank {} got another result than the {} of its members' inputs: it was read before "
        "it was complete, or its inputs before they were ready",
        members_[i], reduces() ? calls_[i].reduction : "movement");
    if (actual.sizes() != expected.sizes()) return fault;
    if (!reduces() || !actual.is_floating_point()) {
      if (at::equal(actual, expected.to(actual.scalar_type()))) return std::nullopt;
      if (!actual.is_floating_point()) return fault;
    }
    const at::Tensor exact = expected.to(at::kDouble);
    const Norms error = difference_norms(actual.to(at::kDouble), exact);
    fault.error = error.whole / std::max(exact.norm().item<double>(), 1e-300);
    if (!reduces()) return fault;
    const double allowed = rounding_of_sum(exact);
    fault.allowed = allowed / std::max(exact.norm().item<double>(), 1e-300);
    if (error.whole > allowed || special_mismatches(actual.to(at::kDouble), exact) > 0)
      return fault;
    return std::nullopt;
  }

  // Norm of: one rounding per member, each at most of the sum of magnitudes.
  double rounding_of_sum(const at::Tensor& exact) const {
    double magnitudes = exact.norm().item<double>();
    for (const at::Tensor& input : inputs_)
      magnitudes += input.to(at::kDouble).norm().item<double>();
    return unit_roundoff(to_dtype(inputs_.front().scalar_type())) *
           static_cast<double>(inputs_.size()) * magnitudes;
  }

  const std::vector<Graph>& ranks_;
  const std::vector<RecordedTensors>& recorded_;
  std::vector<Rank> members_;
  std::vector<NodeId> nodes_;
  std::vector<CollectiveNode> calls_;
  std::vector<at::Tensor> inputs_;
};

}  // namespace

std::vector<OperatorFault> check_collectives(const std::vector<Graph>& ranks, const Groups& groups,
                                             const std::vector<RecordedTensors>& recorded) {
  const Calls calls = collect_calls(ranks);
  std::vector<OperatorFault> faults;
  for (const auto& [group, members] : groups) {
    auto first = calls.find({members.front(), group});
    if (first == calls.end()) continue;
    for (size_t k = 0; k < first->second.size(); ++k) {
      JointCollective joint(ranks, recorded);
      for (Rank member : members) {
        auto found = calls.find({member, group});
        // Members that call less often were a mismatch of the run itself.
        if (found != calls.end() && k < found->second.size()) joint.add(member, found->second[k]);
      }
      for (OperatorFault& fault : joint.faults()) faults.push_back(std::move(fault));
    }
  }
  std::stable_sort(faults.begin(), faults.end(),
                   [](const OperatorFault& a, const OperatorFault& b) { return a.node < b.node; });
  return faults;
}

}  // namespace assay
