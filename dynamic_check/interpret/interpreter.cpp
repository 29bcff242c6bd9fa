#include "dynamic_check/interpret/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "dynamic_check/interpret/boxed_call.h"
#include "dynamic_check/interpret/collective_node.h"
#include "dynamic_check/interpret/rank_interpreter.h"
#include "dynamic_check/stages/stage_plan.h"

namespace assay {
namespace {

StagedValues values_of(const Graph& graph, Rank rank,
                       const std::map<RankTensorName, at::Tensor>& inputs, const Wanted& wanted,
                       const Seen& seen, at::Device device) {
  const auto kept = [&](TensorId id) { return !wanted || wanted(rank, id); };
  StagedValues values(plan_of(graph, std::vector<int32_t>(graph.nodes.size(), 0), 1, kept),
                      {device}, graph.tensors.size());
  std::vector<bool> given(graph.tensors.size());
  for (size_t id = 0; id < graph.tensors.size(); ++id) {
    const auto found = inputs.find({graph.tensors[id].name, rank});
    if (found == inputs.end()) continue;
    at::Tensor value = widened(found->second);
    // Ranks' parts may be views of one tensor, into which none of them writes.
    if (!graph.functional && value.is_same(found->second)) value = value.clone();
    if (seen) seen(rank, static_cast<TensorId>(id), value);
    values.put(static_cast<TensorId>(id), value);
    given[id] = true;
  }
  for (const TensorId id : graph.inputs) {
    if (!given[static_cast<size_t>(id)]) {
      throw UserError({}, fmt::format("{}: input {} has no value", graph.name,
                                      graph.tensors[static_cast<size_t>(id)].name));
    }
  }
  return values;
}

RankInterpreter::Kernel kernel_of(const Graph& graph, Rank rank, const OutputFilter& filter,
                                  const DeclaredOperators* declared) {
  return [&graph, rank, &filter, declared](NodeId node, const TensorLookup& operands,
                                           at::Device device) {
    std::vector<at::Tensor> outputs = run_operator(graph, graph.nodes[static_cast<size_t>(node)],
                                                   operands, Arithmetic::kFloat64, declared);
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i].defined()) continue;
      outputs[i] = outputs[i].to(device);  // what is made of numbers alone is on the CPU
      if (filter) outputs[i] = filter(rank, node, i, outputs[i]);
    }
    return outputs;
  };
}

struct Message {
  CollectiveNode call;
  std::vector<at::Tensor> tensors;
};

class Lockstep {
 public:
  Lockstep(const std::vector<Graph>& graphs, const Groups& groups,
           const std::map<RankTensorName, at::Tensor>& inputs, const OutputFilter& filter,
           const Wanted& wanted, const DeclaredOperators* declared, const Seen& seen)
      : graphs_(graphs), groups_(groups), declared_(declared) {
    const at::Device device = inputs.empty() ? at::kCPU : inputs.begin()->second.device();
    for (size_t index = 0; index < graphs.size(); ++index) {
      const auto rank = static_cast<Rank>(index);
      const auto made = [&seen, rank](TensorId id, const at::Tensor& value) {
        if (seen) seen(rank, id, value);
      };
      ranks_.emplace_back(graphs[index],
                          values_of(graphs[index], rank, inputs, wanted, seen, device),
                          kernel_of(graphs[index], rank, filter, declared), declared, made);
    }
    waiting_.assign(graphs.size(), nullptr);
  }

  std::vector<Values> run() {
    for (size_t rank = 0; rank < ranks_.size(); ++rank) waiting_[rank] = ranks_[rank].advance();
    while (std::any_of(waiting_.begin(), waiting_.end(),
                       [](const Node* node) { return node != nullptr; })) {
      bool met = false;
      for (size_t rank = 0; rank < ranks_.size(); ++rank)
        met = try_transfer(rank) || try_meet(rank) || met;
      if (!met) report_deadlock();
    }
    std::vector<Values> result;
    for (RankInterpreter& rank : ranks_) result.push_back(rank.values().take());
    return result;
  }

 private:
  // What the rank waits in.
  CollectiveNode call_of(size_t rank) const { return *collective_of(*waiting_[rank], declared_); }

  std::vector<at::Tensor> offers_of(size_t rank, const CollectiveNode& call) {
    std::vector<at::Tensor> offers;
    for (const TensorId id : call.offers) offers.push_back(ranks_[rank].value(id));
    return offers;
  }

  void complete(size_t rank, const std::vector<at::Tensor>& results) {
    ranks_[rank].complete(results);
    waiting_[rank] = ranks_[rank].advance();
  }

  // Sends what the rank sends, or receives what has been sent to it.
  bool try_transfer(size_t rank) {
    if (!waiting_[rank]) return false;
    const CollectiveNode call = call_of(rank);
    if (!is_point_to_point(call)) return false;
    const bool sends = call.kind == CollectiveNode::Kind::kSend;
    const auto own = static_cast<Rank>(rank);
    const Rank peer = members_of(call, rank).at(static_cast<size_t>(call.source));
    auto& messages = messages_[{call.group, sends ? own : peer, sends ? peer : own}];
    if (sends) {
      messages.push_back({call, offers_of(rank, call)});
      complete(rank, {});
      return true;
    }
    if (messages.empty()) return false;
    const Message message = std::move(messages.front());
    messages.pop_front();
    if (message.call.tag != call.tag)
      throw UnmetCollectives{fmt::format("{}, and is sent tag {} where it expects {}",
                                         describe(rank), message.call.tag, call.tag),
                             {waiting_[rank]->op}};
    const at::Tensor memory = ranks_[rank].value(call.input);
    const at::Tensor& sent = message.tensors.at(0);
    if (sent.sizes() != memory.sizes() || sent.is_floating_point() != memory.is_floating_point())
      throw UnmetCollectives{describe(rank) + ", and is sent another tensor", {waiting_[rank]->op}};
    const CollectiveNode calls[] = {message.call, call};
    const std::vector<at::Tensor> offers[] = {message.tensors, {}};
    complete(rank, collective_results(calls, offers, 1));
    return true;
  }

  // Executes the collective that `rank` waits in, when all its members wait in it.
  bool try_meet(size_t rank) {
    if (!waiting_[rank]) return false;
    const CollectiveNode call = call_of(rank);
    if (is_point_to_point(call)) return false;
    const std::vector<Rank> members = members_of(call, rank);
    std::vector<CollectiveNode> calls;
    std::vector<std::vector<at::Tensor>> offers;
    for (Rank member : members) {
      const auto index = static_cast<size_t>(member);
      if (!waiting_[index]) return false;
      calls.push_back(call_of(index));
      if (calls.back().group != call.group || is_point_to_point(calls.back())) return false;
      offers.push_back(offers_of(index, calls.back()));
      if (!can_meet(calls.back(), call) || !same_shapes(call, offers.back(), offers.front()))
        report_mismatch(rank, index);
    }
    if (const auto pair = rows_that_disagree(calls, offers))
      report_mismatch(static_cast<size_t>(members[pair->first]),
                      static_cast<size_t>(members[pair->second]));
    for (size_t i = 0; i < members.size(); ++i)
      ranks_[static_cast<size_t>(members[i])].complete(collective_results(calls, offers, i));
    for (Rank member : members) {
      waiting_[static_cast<size_t>(member)] = ranks_[static_cast<size_t>(member)].advance();
    }
    return true;
  }

  static bool same_shapes(const CollectiveNode& call, const std::vector<at::Tensor>& a,
                          const std::vector<at::Tensor>& b) {
    if (call.kind == CollectiveNode::Kind::kScatter) return true;
    const bool any = call.kind == CollectiveNode::Kind::kAllToAll ||
                     call.kind == CollectiveNode::Kind::kAllToAllList ||
                     call.kind == CollectiveNode::Kind::kAllGatherList;
    return std::equal(
        a.begin(), a.end(), b.begin(), b.end(),
        [&](const at::Tensor& x, const at::Tensor& y) { return any || x.sizes() == y.sizes(); });
  }

  std::vector<Rank> members_of(const CollectiveNode& call, size_t rank) const {
    auto found = groups_.find(call.group);
    if (found != groups_.end()) {
      const auto& members = found->second;
      if (std::find(members.begin(), members.end(), static_cast<Rank>(rank)) != members.end())
        return members;
    }
    throw UserError(waiting_[rank]->source,
                    fmt::format("{}: {} is called on group {}, which rank {} is not in",
                                graphs_[rank].name, waiting_[rank]->op, call.group, rank));
  }

  std::string describe(size_t rank) const {
    const Node* node = waiting_[rank];
    if (!node) return fmt::format("rank {} has ended", rank);
    return fmt::format("rank {} is in {} on {} ({})", rank, node->op, call_of(rank).group,
                       to_string(node->source));
  }

  [[noreturn]] void report_mismatch(size_t a, size_t b) const {
    throw UnmetCollectives{fmt::format("{}; {}", describe(a), describe(b)),
                           {waiting_[a]->op, waiting_[b]->op}};
  }

  [[noreturn]] void report_deadlock() const {
    UnmetCollectives mismatch;
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      mismatch.message += (rank ? "; " : "") + describe(rank);
      if (waiting_[rank]) mismatch.nodes.push_back(waiting_[rank]->op);
    }
    throw mismatch;
  }

  const std::vector<Graph>& graphs_;
  const Groups& groups_;
  const DeclaredOperators* const declared_;
  std::vector<RankInterpreter> ranks_;
  std::vector<const Node*> waiting_;  // the collective that each rank waits in
  std::map<std::tuple<std::string, Rank, Rank>, std::deque<Message>> messages_;  // not received yet
};

}  // namespace

std::vector<Values> interpret(const std::vector<Graph>& graphs, const Groups& groups,
                              const std::map<RankTensorName, at::Tensor>& inputs,
                              const OutputFilter& filter, const Wanted& wanted,
                              const DeclaredOperators* declared, const Seen& seen) {
  return Lockstep(graphs, groups, inputs, filter, wanted, declared, seen).run();
}

}  // namespace assay
