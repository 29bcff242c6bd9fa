// The graph that a recording writes, and who is told the values of its nodes.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shared_ir/capture/places/call_site.h"
#include "shared_ir/graph.h"

namespace assay {

// What called an operator.
struct Origin {
  CallSite site = kNone;
  std::string module;
  bool backward = false;  // site and module are those of the forward operator
};

class Tape {
 public:
  using Observer = std::function<void(NodeId, std::span<const at::Tensor>)>;

  // `expected`: a graph whose sources and modules the nodes get that are of the same operators; may
  // be null, else must outlive this.
  Tape(std::string graph_name, Observer observer, const Graph* expected);

  // The next nodes belong to this origin, but those that were expected.
  void set_origin(Origin origin) { origin_ = std::move(origin); }
  // They were expected, or whoever calls then is their origin.
  void expect_origin() { origin_.reset(); }
  bool expects() const { return expected_ != nullptr; }
  const Origin& origin() const { return *origin_; }
  // The origin of the node that made a tensor; nullptr for inputs. Valid until the next node is
  // added.
  const Origin* origin_of(TensorId tensor) const;
  CallSites& call_sites() { return call_sites_; }

  // The user's line that called the operator being recorded.
  SourcePlace place();

  // Throws UserError when the name is taken.
  TensorId add_input(const std::string& name, const at::Tensor& tensor);

  // Appends a node. One output per tensor; an undefined one is kNone. The observer is told at once.
  NodeId add(std::string op, ArgList args, std::vector<std::pair<std::string, Arg>> kwargs,
             std::vector<at::Tensor> outputs);
  // The same, for outputs that an asynchronous operation may still be writing: the observer is told
  // when an operator first reads one of them, or when the recording ends.
  NodeId add_pending(std::string op, ArgList args, std::vector<at::Tensor> outputs,
                     std::function<void()> wait);

  // An operator is about to read this tensor.
  void before_read(TensorId tensor);

  // Of nodes.
  NodeId count() const { return static_cast<NodeId>(graph_.nodes.size()); }
  const Node& node(NodeId id) const { return graph_.nodes.at(static_cast<size_t>(id)); }
  const Tensor& tensor(TensorId id) const { return graph_.tensors.at(static_cast<size_t>(id)); }

  // The collective that this node records goes on until the program waits for it.
  void set_pending(NodeId collective);
  // The program has waited for it before `node`, which may be the next one.
  void set_awaited(NodeId collective, NodeId node);
  // The node that is recorded next, now and later; also when this tape is gone.
  std::shared_ptr<const NodeId> next() const { return next_; }

  // Throws UserError when the name is taken.
  void add_output(const std::string& name, TensorId tensor);

  // Names what has no name yet, resolves source places, reports pending outputs after waiting for
  // them.
  Graph finish();

 private:
  struct Pending {
    NodeId node;
    std::vector<at::Tensor> outputs;
    std::function<void()> wait;
  };

  const Origin& found_origin();
  NodeId append(Node node, const std::vector<at::Tensor>& outputs);
  void name_results();

  Graph graph_;
  Observer observer_;
  CallSites call_sites_;
  const Graph* const expected_;
  std::optional<Origin> origin_;  // none: not looked for yet
  std::vector<Origin> origins_;   // per node
  std::shared_ptr<NodeId> next_ = std::make_shared<NodeId>(0);
  std::vector<std::pair<NodeId, NodeId>>
      awaited_;  // collectives, each with what comes behind the wait
  std::unordered_map<TensorId, size_t> pending_of_tensor_;  // index into pending_
  std::vector<Pending> pending_;
};

}  // namespace assay
