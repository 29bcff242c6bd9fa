#include "dynamic_check/localize/collective_check.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "dynamic_check/numbers/numbers.h"
#include "dynamic_check/run/run.h"
#include "shared_ir/capture/torch/scalar_type.h"

namespace assay {
namespace {

// One member's call: which node, and what it says.
struct MemberCall {
  NodeId node;
  CollectiveNode call;
};

// Who meets: a group, or the sender and the receiver of a message there.
struct Meeting {
  std::string group;
  bool message;
  std::vector<Rank> members;
  auto operator<=>(const Meeting&) const = default;
};

// Per meeting, each member's calls in order.
using Calls = std::map<Meeting, std::map<Rank, std::vector<MemberCall>>>;

Meeting meeting_of(const CollectiveNode& call, Rank rank, const std::vector<Rank>& group) {
  if (!is_point_to_point(call)) return {call.group, /*message=*/false, group};
  const Rank peer = group.at(static_cast<size_t>(call.source));
  const bool sends = call.kind == CollectiveNode::Kind::kSend;
  return {call.group, /*message=*/true, {sends ? rank : peer, sends ? peer : rank}};
}

Calls collect_calls(const std::vector<Graph>& ranks, const Groups& groups,
                    const DeclaredOperators* declared) {
  Calls calls;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    for (size_t id = 0; id < ranks[rank].nodes.size(); ++id) {
      const auto call = collective_of(ranks[rank].nodes[id], declared);
      if (!call) continue;
      const auto own = static_cast<Rank>(rank);
      calls[meeting_of(*call, own, groups.at(call->group))][own].push_back(
          {static_cast<NodeId>(id), *call});
    }
  }
  return calls;
}

// One collective of one group, over all its members.
class JointCollective {
 public:
  JointCollective(const std::vector<Graph>& ranks, const RankTensors& recorded)
      : ranks_(ranks), recorded_(recorded) {}

  void add(Rank member, const MemberCall& call) {
    members_.push_back(member);
    nodes_.push_back(call.node);
    calls_.push_back(call.call);
    std::vector<at::Tensor>& offers = offers_.emplace_back();
    // What is recorded of memory that the call writes may be what it has written.
    const bool in_place = !call.call.memory.empty();
    for (const TensorId id : call.call.offers)
      offers.push_back(in_place ? at::Tensor() : recorded_[static_cast<size_t>(member)](id));
  }

  // Of each member's call, the first fault counts.
  void judge(CollectiveJudgements& judgements) const {
    const bool known = all_recorded();
    for (size_t i = 0; i < members_.size(); ++i)
      judgements[{members_[i], nodes_[i]}] =
          known ? Judgement{.by = JudgedBy::kMembersInputs}
                : Judgement{.why_not = "inputs of its members were not recorded"};
    if (!known) return;
    for (OperatorFault& fault : faults()) {
      std::optional<OperatorFault>& first = judgements[{fault.rank, fault.node}].fault;
      if (!first) first = std::move(fault);
    }
  }

 private:
  bool all_recorded() const {
    return std::ranges::all_of(offers_, [](const std::vector<at::Tensor>& offers) {
      return std::ranges::all_of(offers, [](const at::Tensor& one) { return one.defined(); });
    });
  }

  std::vector<OperatorFault> faults() const {
    std::vector<std::vector<at::Tensor>> exact = offers_;
    for (std::vector<at::Tensor>& offers : exact) {
      for (at::Tensor& offer : offers) {
        if (offer.is_floating_point() && reduces()) offer = offer.to(at::kDouble);
      }
    }
    std::vector<OperatorFault> result;
    for (size_t i = 0; i < members_.size(); ++i) {
      const std::vector<at::Tensor> expected = collective_results(calls_, exact, i);
      for (size_t k = 0; k < expected.size(); ++k) {
        if (auto fault = check_output(i, k, expected[k])) result.push_back(*fault);
      }
    }
    if (result.empty()) result = disagreements();
    return result;
  }

  // What every member gets is the same to the last bit: it comes from one reduction or one memory.
  std::vector<OperatorFault> disagreements() const {
    const CollectiveNode::Kind kind = calls_.front().kind;
    if (kind != CollectiveNode::Kind::kAllReduce && kind != CollectiveNode::Kind::kAllGather &&
        kind != CollectiveNode::Kind::kBroadcast)
      return {};
    std::vector<OperatorFault> result;
    for (size_t i = 1; i < members_.size(); ++i) {
      const at::Tensor first = result_of(0), own = result_of(i);
      if (!first.defined() || !own.defined() || first.sizes() != own.sizes()) continue;
      if (at::equal(first.nan_to_num(), own.nan_to_num())) continue;
      OperatorFault& fault = result.emplace_back();
      fault = {.kind = OperatorFault::Kind::kRuntime, .rank = members_[i], .node = nodes_[i]};
      fault.output = first_output(i);
      fault.deviation = "replicas_disagree";
      fault.detail = fmt::format(
          "ranks {} and {} got different bits from one collective: {} of {} "
          "elements differ",
          members_[0], members_[i], first.ne(own).sum().item<int64_t>(), first.numel());
    }
    return result;
  }

  TensorId first_output(size_t i) const {
    const Graph& graph = ranks_[static_cast<size_t>(members_[i])];
    const std::vector<TensorId>& outputs = graph.nodes[static_cast<size_t>(nodes_[i])].outputs;
    return outputs.empty() ? kNone : outputs[0];
  }

  at::Tensor result_of(size_t i) const {
    const TensorId output = first_output(i);
    if (output == kNone) return {};
    return recorded_[static_cast<size_t>(members_[i])](output);
  }

  bool reduces() const { return !calls_.front().reduction.empty(); }

  std::optional<OperatorFault> check_output(size_t i, size_t k, const at::Tensor& expected) const {
    const Graph& graph = ranks_[static_cast<size_t>(members_[i])];
    const std::vector<TensorId>& outputs = graph.nodes[static_cast<size_t>(nodes_[i])].outputs;
    if (k >= outputs.size() || outputs[k] == kNone) return std::nullopt;
    const TensorId output = outputs[k];
    const at::Tensor actual = recorded_[static_cast<size_t>(members_[i])](output);
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
    const Norms error = difference_norms(actual, exact);
    fault.error = error.whole / std::max(exact.norm().item<double>(), 1e-300);
    if (!reduces()) return fault;
    const double allowed = rounding_of_sum(exact);
    fault.allowed = allowed / std::max(exact.norm().item<double>(), 1e-300);
    if (error.whole > allowed || special_mismatches(actual, exact) > 0) return fault;
    return std::nullopt;
  }

  // Norm of: one rounding per member, each at most of the sum of magnitudes.
  double rounding_of_sum(const at::Tensor& exact) const {
    double magnitudes = exact.norm().item<double>();
    for (const std::vector<at::Tensor>& offers : offers_) {
      for (const at::Tensor& offer : offers)
        magnitudes += offer.to(at::kDouble).norm().item<double>();
    }
    return unit_roundoff(to_dtype(offers_.front().front().scalar_type())) *
           static_cast<double>(offers_.size()) * magnitudes;
  }

  const std::vector<Graph>& ranks_;
  const RankTensors& recorded_;
  std::vector<Rank> members_;
  std::vector<NodeId> nodes_;
  std::vector<CollectiveNode> calls_;
  std::vector<std::vector<at::Tensor>> offers_;  // per member
};

}  // namespace

CollectiveJudgements check_collectives(const std::vector<Graph>& ranks, const Groups& groups,
                                       const RankTensors& recorded,
                                       const DeclaredOperators* declared) {
  CollectiveJudgements judgements;
  for (const auto& [meeting, calls] : collect_calls(ranks, groups, declared)) {
    const auto first = calls.find(meeting.members.front());
    if (first == calls.end()) continue;
    for (size_t k = 0; k < first->second.size(); ++k) {
      JointCollective joint(ranks, recorded);
      for (Rank member : meeting.members) {
        auto found = calls.find(member);
        // Members that call less often were a mismatch of the run itself.
        if (found != calls.end() && k < found->second.size()) joint.add(member, found->second[k]);
      }
      joint.judge(judgements);
    }
  }
  return judgements;
}

}  // namespace assay
