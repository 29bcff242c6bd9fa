#include "dynamic_check/interpret/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "dynamic_check/interpret/boxed_call.h"
#include "dynamic_check/interpret/collective_node.h"

namespace assay {
namespace {

// One rank on its way through its graph.
class RankInterpreter {
 public:
  RankInterpreter(const Graph& graph, Rank rank, const std::map<RankTensorName, at::Tensor>& inputs,
                  const OutputFilter& filter, const Wanted& wanted)
      : graph_(graph), rank_(rank), filter_(filter), values_(graph.tensors.size()) {
    if (wanted) find_last_readers(wanted);
    for (size_t id = 0; id < graph.tensors.size(); ++id) {
      auto found = inputs.find({graph.tensors[id].name, rank});
      if (found != inputs.end()) values_[id] = widened(found->second);
    }
    for (TensorId id : graph.inputs) {
      if (!values_[static_cast<size_t>(id)].defined()) {
        throw UserError({}, fmt::format("{}: input {} has no value", graph.name, tensor_name(id)));
      }
    }
  }

  // Runs up to the next collective. nullptr at the end of the graph.
  const Node* advance() {
    for (; next_ < graph_.nodes.size(); ++next_) {
      const Node& node = graph_.nodes[next_];
      if (collective_of(node)) return &node;
      store(node, filtered(run_operator(graph_, node, lookup(), Arithmetic::kFloat64)));
      drop_read();
    }
    return nullptr;
  }

  at::Tensor value(TensorId id) const {
    const at::Tensor& tensor = values_[static_cast<size_t>(id)];
    if (!tensor.defined())
      throw UserError({}, fmt::format("{}: {} has no value", graph_.name, tensor_name(id)));
    return tensor;
  }

  // The collective that advance() stopped at gave this.
  void complete(const std::vector<at::Tensor>& results) {
    store(graph_.nodes[next_], results);
    drop_read();
    ++next_;
  }

  Values take() { return std::move(values_); }

 private:
  void find_last_readers(const Wanted& wanted) {
    std::vector<size_t> last(values_.size(), 0);
    for (size_t index = 0; index < graph_.nodes.size(); ++index) {
      const Node& node = graph_.nodes[index];
      for (const TensorId id : node.outputs)
        if (id != kNone) last[static_cast<size_t>(id)] = index;
      for (const TensorId id : tensor_arguments(node)) last[static_cast<size_t>(id)] = index;
    }
    last_read_.resize(graph_.nodes.size());
    if (graph_.nodes.empty()) return;
    for (size_t id = 0; id < last.size(); ++id)
      if (!wanted(rank_, static_cast<TensorId>(id)))
        last_read_[last[id]].push_back(static_cast<TensorId>(id));
  }

  // What no later node reads.
  void drop_read() {
    if (last_read_.empty()) return;
    for (const TensorId id : last_read_[next_]) values_[static_cast<size_t>(id)].reset();
  }

  const std::string& tensor_name(TensorId id) const {
    return graph_.tensors[static_cast<size_t>(id)].name;
  }

  TensorLookup lookup() const {
    return [this](TensorId id) { return value(id); };
  }

  std::vector<at::Tensor> filtered(std::vector<at::Tensor> outputs) const {
    for (size_t i = 0; filter_ && i < outputs.size(); ++i) {
      if (outputs[i].defined())
        outputs[i] = filter_(rank_, static_cast<NodeId>(next_), i, outputs[i]);
    }
    return outputs;
  }

  void store(const Node& node, const std::vector<at::Tensor>& outputs) {
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const TensorId id = node.outputs[i];
      if (id == kNone || values_[static_cast<size_t>(id)].defined()) continue;
      if (i >= outputs.size()) {
        throw UserError(node.source, fmt::format("{}: {} has {} outputs, output {} is used",
                                                 graph_.name, node.op, outputs.size(), i));
      }
      values_[static_cast<size_t>(id)] = outputs[i];
    }
  }

  const Graph& graph_;
  const Rank rank_;
  const OutputFilter& filter_;
  Values values_;
  std::vector<std::vector<TensorId>> last_read_;  // per node: what goes after it
  size_t next_ = 0;
};

struct Message {
  CollectiveNode call;
  std::vector<at::Tensor> tensors;
};

class Lockstep {
 public:
  Lockstep(const std::vector<Graph>& graphs, const Groups& groups,
           const std::map<RankTensorName, at::Tensor>& inputs, const OutputFilter& filter,
           const Wanted& wanted)
      : graphs_(graphs), groups_(groups) {
    for (size_t rank = 0; rank < graphs.size(); ++rank)
      ranks_.emplace_back(graphs[rank], static_cast<Rank>(rank), inputs, filter, wanted);
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
    for (RankInterpreter& rank : ranks_) result.push_back(rank.take());
    return result;
  }

 private:
  std::vector<at::Tensor> offers_of(size_t rank, const CollectiveNode& call) const {
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
    const CollectiveNode call = *collective_of(*waiting_[rank]);
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
      throw CollectiveMismatch{fmt::format("{}, and is sent tag {} where it expects {}",
                                           describe(rank), message.call.tag, call.tag),
                               {waiting_[rank]->op}};
    const at::Tensor memory = ranks_[rank].value(call.input);
    const at::Tensor& sent = message.tensors.at(0);
    if (sent.sizes() != memory.sizes() || sent.is_floating_point() != memory.is_floating_point())
      throw CollectiveMismatch{describe(rank) + ", and is sent another tensor",
                               {waiting_[rank]->op}};
    const CollectiveNode calls[] = {message.call, call};
    const std::vector<at::Tensor> offers[] = {message.tensors, {}};
    complete(rank, collective_results(calls, offers, 1));
    return true;
  }

  // Executes the collective that `rank` waits in, when all its members wait in it.
  bool try_meet(size_t rank) {
    if (!waiting_[rank]) return false;
    const CollectiveNode call = *collective_of(*waiting_[rank]);
    if (is_point_to_point(call)) return false;
    const std::vector<Rank> members = members_of(call, rank);
    std::vector<CollectiveNode> calls;
    std::vector<std::vector<at::Tensor>> offers;
    for (Rank member : members) {
      const auto index = static_cast<size_t>(member);
      if (!waiting_[index]) return false;
      calls.push_back(*collective_of(*waiting_[index]));
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
    return fmt::format("rank {} is in {} on {} ({})", rank, node->op, collective_of(*node)->group,
                       to_string(node->source));
  }

  [[noreturn]] void report_mismatch(size_t a, size_t b) const {
    throw CollectiveMismatch{fmt::format("{}; {}", describe(a), describe(b)),
                             {waiting_[a]->op, waiting_[b]->op}};
  }

  [[noreturn]] void report_deadlock() const {
    CollectiveMismatch mismatch;
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      mismatch.message += (rank ? "; " : "") + describe(rank);
      if (waiting_[rank]) mismatch.nodes.push_back(waiting_[rank]->op);
    }
    throw mismatch;
  }

  const std::vector<Graph>& graphs_;
  const Groups& groups_;
  std::vector<RankInterpreter> ranks_;
  std::vector<const Node*> waiting_;  // the collective that each rank waits in
  std::map<std::tuple<std::string, Rank, Rank>, std::deque<Message>> messages_;  // not received yet
};

}  // namespace

std::vector<Values> interpret(const std::vector<Graph>& graphs, const Groups& groups,
                              const std::map<RankTensorName, at::Tensor>& inputs,
                              const OutputFilter& filter, const Wanted& wanted) {
  return Lockstep(graphs, groups, inputs, filter, wanted).run();
}

}  // namespace assay
