#include "dynamic_check/run/interpret/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "dynamic_check/kernels/kernels.h"
#include "dynamic_check/run/interpret/collective_node.h"
#include "dynamic_check/run/interpret/rank_interpreter.h"
#include "dynamic_check/run/stages/stage_plan.h"

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
    begun_.resize(graphs.size());
  }

  std::vector<Values> run() {
    while (true) {
      bool moved = false, ended = true;
      for (size_t rank = 0; rank < ranks_.size(); ++rank) moved = advance(rank) || moved;
      for (const Begun& begun : begun_) ended = ended && begun.empty();
      for (size_t rank = 0; rank < ranks_.size(); ++rank) ended = ended && node_at(rank) == nullptr;
      if (ended) break;
      for (size_t rank = 0; rank < ranks_.size(); ++rank) moved = meet(rank) || moved;
      if (!moved) report_deadlock();
    }
    std::vector<Values> result;
    for (RankInterpreter& rank : ranks_) result.push_back(rank.values().take());
    return result;
  }

 private:
  // A collective that a rank has begun, with what it gives the others.
  struct Call {
    NodeId node;
    CollectiveNode what;
    std::vector<at::Tensor> offers;
    std::vector<at::Tensor> memory;  // that its results are written into; empty: they are new
  };
  // Of one rank, by group: each group's collectives run in the order of their calls.
  using Begun = std::map<std::string, std::deque<Call>>;

  // One side of a message.
  struct Party {
    size_t rank;
    Call call;
  };
  // From one rank of a group to another: sent and not received yet, or waited for.
  struct Channel {
    std::deque<Party> sent, expected;
  };

  using Stop = RankInterpreter::Stop;

  const Node& node(size_t rank, NodeId id) const {
    return graphs_[rank].nodes[static_cast<size_t>(id)];
  }

  // nullptr at the end of the graph.
  const Node* node_at(size_t rank) const {
    const NodeId next = ranks_[rank].next();
    return static_cast<size_t>(next) < graphs_[rank].nodes.size() ? &node(rank, next) : nullptr;
  }

  Call call_at(size_t rank) {
    Call call{ranks_[rank].next(), *collective_of(*node_at(rank), declared_), {}, {}};
    for (const TensorId id : call.what.offers) call.offers.push_back(ranks_[rank].offer(id));
    if (!graphs_[rank].functional)
      for (const TensorId id : call.what.memory) call.memory.push_back(ranks_[rank].value(id));
    return call;
  }

  // Runs what needs no other rank, and begins collectives; false when none was come by.
  bool advance(size_t rank) {
    bool moved = false;
    for (; ranks_[rank].advance() == Stop::kCollective; moved = true) {
      Call call = call_at(rank);
      if (is_point_to_point(call.what)) {
        transfer(rank, std::move(call));
      } else {
        begun_[rank][call.what.group].push_back(std::move(call));
        ranks_[rank].begin();
      }
    }
    return moved;
  }

  // A message goes on without its receiver, whose receiving waits for it.
  void transfer(size_t rank, Call call) {
    const bool sends = call.what.kind == CollectiveNode::Kind::kSend;
    const auto own = static_cast<Rank>(rank);
    const Rank peer = members_of(call, rank).at(static_cast<size_t>(call.what.source));
    Channel& channel = channels_[{call.what.group, sends ? own : peer, sends ? peer : own}];
    if (!sends) call.offers = {ranks_[rank].offer(call.what.input)};  // of its shape and dtype
    ranks_[rank].begin();
    if (sends) ranks_[rank].complete(call.node, call.offers);
    (sends ? channel.sent : channel.expected).push_back({rank, std::move(call)});
    while (!channel.sent.empty() && !channel.expected.empty()) {
      deliver(channel.sent.front().call, channel.expected.front());
      channel.sent.pop_front();
      channel.expected.pop_front();
    }
  }

  void deliver(const Call& message, const Party& receiver) {
    const auto& [rank, call] = receiver;
    if (message.what.tag != call.what.tag)
      throw UnmetCollectives{
          fmt::format("{}, and is sent tag {} where it expects {}", describe(rank, call.node),
                      message.what.tag, call.what.tag),
          {node(rank, call.node).op}};
    const at::Tensor &sent = message.offers.at(0), &memory = call.offers.at(0);
    if (sent.sizes() != memory.sizes() || sent.is_floating_point() != memory.is_floating_point())
      throw UnmetCollectives{describe(rank, call.node) + ", and is sent another tensor",
                             {node(rank, call.node).op}};
    const CollectiveNode calls[] = {message.what, call.what};
    const std::vector<at::Tensor> offers[] = {message.offers, {}};
    ranks_[rank].complete(call.node, collective_results(calls, offers, 1));
  }

  // Completes every collective that the rank has begun and all other members too, the oldest of
  // each group; false when there was none.
  bool meet(size_t rank) {
    std::vector<std::string> groups;
    for (const auto& [group, calls] : begun_[rank]) groups.push_back(group);
    bool moved = false;
    for (const std::string& group : groups) moved = meet(rank, group) || moved;
    return moved;
  }

  // The oldest collective of the group that the rank has begun; nullptr when there is none.
  const Call* oldest(size_t rank, const std::string& group) const {
    const auto found = begun_[rank].find(group);
    return found == begun_[rank].end() ? nullptr : &found->second.front();
  }

  bool meet(size_t rank, const std::string& group) {
    const Call& call = *oldest(rank, group);
    const std::vector<Rank> members = members_of(call, rank);
    std::vector<CollectiveNode> calls;
    std::vector<std::vector<at::Tensor>> offers;
    for (Rank member : members) {
      const auto index = static_cast<size_t>(member);
      const Call* theirs = oldest(index, group);
      if (!theirs) return false;
      calls.push_back(theirs->what);
      offers.push_back(theirs->offers);
      if (!can_meet(calls.back(), call.what) ||
          !same_types(call.what, offers.back(), offers.front()))
        report_mismatch(rank, index, group);
    }
    if (const auto pair = rows_that_disagree(calls, offers))
      report_mismatch(static_cast<size_t>(members[pair->first]),
                      static_cast<size_t>(members[pair->second]), group);
    std::vector<std::vector<at::Tensor>> results;  // all of them, before memory is written
    for (size_t i = 0; i < members.size(); ++i)
      results.push_back(collective_results(calls, offers, i));
    for (size_t i = 0; i < members.size(); ++i) {
      const auto member = static_cast<size_t>(members[i]);
      std::deque<Call>& queue = begun_[member].at(group);
      const Call& done = queue.front();
      for (size_t k = 0; k < done.memory.size(); ++k) done.memory[k].copy_(results[i].at(k));
      ranks_[member].complete(done.node, done.memory.empty() ? results[i] : done.memory);
      queue.pop_front();
      if (queue.empty()) begun_[member].erase(group);
    }
    return true;
  }

  static bool same_types(const CollectiveNode& call, const std::vector<at::Tensor>& a,
                         const std::vector<at::Tensor>& b) {
    if (call.kind == CollectiveNode::Kind::kScatter) return true;
    const bool any_shape = call.kind == CollectiveNode::Kind::kAllToAll ||
                           call.kind == CollectiveNode::Kind::kAllToAllList ||
                           call.kind == CollectiveNode::Kind::kAllGatherList;
    return std::equal(
        a.begin(), a.end(), b.begin(), b.end(), [&](const at::Tensor& x, const at::Tensor& y) {
          return x.scalar_type() == y.scalar_type() && (any_shape || x.sizes() == y.sizes());
        });
  }

  std::vector<Rank> members_of(const Call& call, size_t rank) const {
    auto found = groups_.find(call.what.group);
    if (found != groups_.end()) {
      const auto& members = found->second;
      if (std::find(members.begin(), members.end(), static_cast<Rank>(rank)) != members.end())
        return members;
    }
    const Node& of = node(rank, call.node);
    throw UserError(of.source, fmt::format("{}: {} is called on group {}, which rank {} is not in",
                                           graphs_[rank].name, of.op, call.what.group, rank));
  }

  std::string describe(size_t rank, NodeId collective) const {
    if (collective == kNone) return fmt::format("rank {} has ended", rank);
    const Node& of = node(rank, collective);
    return fmt::format("rank {} is in {} on {} ({})", rank, of.op,
                       collective_of(of, declared_)->group, to_string(of.source));
  }

  [[noreturn]] void report_mismatch(size_t a, size_t b, const std::string& group) const {
    const NodeId left = oldest(a, group)->node, right = oldest(b, group)->node;
    throw UnmetCollectives{fmt::format("{}; {}", describe(a, left), describe(b, right)),
                           {node(a, left).op, node(b, right).op}};
  }

  // What holds up a rank; kNone: it has ended.
  NodeId stuck_in(size_t rank) const {
    if (const NodeId awaited = ranks_[rank].awaits(); awaited != kNone) return awaited;
    return begun_[rank].empty() ? kNone : begun_[rank].begin()->second.front().node;
  }

  [[noreturn]] void report_deadlock() const {
    UnmetCollectives mismatch;
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      const NodeId stuck = stuck_in(rank);
      mismatch.message += (rank ? "; " : "") + describe(rank, stuck);
      if (stuck != kNone) mismatch.nodes.push_back(node(rank, stuck).op);
    }
    throw mismatch;
  }

  const std::vector<Graph>& graphs_;
  const Groups& groups_;
  const DeclaredOperators* const declared_;
  std::vector<RankInterpreter> ranks_;
  std::vector<Begun> begun_;                                         // per rank
  std::map<std::tuple<std::string, Rank, Rank>, Channel> channels_;  // by group, from and to
};

}  // namespace

std::vector<Values> interpret(const std::vector<Graph>& graphs, const Groups& groups,
                              const std::map<RankTensorName, at::Tensor>& inputs,
                              const OutputFilter& filter, const Wanted& wanted,
                              const DeclaredOperators* declared, const Seen& seen) {
  return Lockstep(graphs, groups, inputs, filter, wanted, declared, seen).run();
}

}  // namespace assay
