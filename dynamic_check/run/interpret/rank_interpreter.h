// One rank of a run of captured graphs, from collective to collective.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "dynamic_check/kernels/kernels.h"
#include "dynamic_check/run/interpret/staged_values.h"

namespace assay {

class RankInterpreter {
 public:
  // What a node's outputs are, given its operands on the device of its stage.
  using Kernel =
      std::function<std::vector<at::Tensor>(NodeId, const TensorLookup& operands, at::Device)>;

  // Told what nodes and collectives make.
  using Made = std::function<void(TensorId, const at::Tensor&)>;

  // Why advance() stopped.
  enum class Stop {
    kCollective,  // it is at one that it has not begun
    kAwaits,      // what comes next waits for one that it has begun: awaits()
    kEnd,         // of the graph
  };

  // `graph` and `declared` must outlive this.
  RankInterpreter(const Graph& graph, StagedValues values, Kernel kernel,
                  const DeclaredOperators* declared = nullptr, Made made = {});

  // Runs up to the next stop. Throws UserError for a tensor without a value, an output that a node
  // does not have, and what the kernel throws.
  Stop advance();

  // The node that it is at.
  NodeId next() const { return next_; }

  // An operand of the node that it is at.
  at::Tensor value(TensorId id);

  // An operand of the collective that advance() stopped at, as it is now: the program may write
  // into it before the collective is done.
  at::Tensor offer(TensorId id);

  // Goes on behind the collective that advance() stopped at, up to where its result is waited for
  // (awaited.h).
  void begin();

  // A collective that was begun gave this.
  void complete(NodeId collective, const std::vector<at::Tensor>& results);

  // A collective that was begun, for which what comes next waits; kNone: none.
  NodeId awaits() const;

  StagedValues& values() { return values_; }

 private:
  void make_again(NodeId collective, const std::vector<at::Tensor>& results);
  void store(NodeId of, const std::vector<at::Tensor>& outputs);

  const Graph& graph_;
  StagedValues values_;
  Kernel kernel_;
  const DeclaredOperators* declared_;
  Made made_;
  std::vector<NodeId> awaited_before_;  // per node; awaited.h
  std::set<NodeId> begun_;              // collectives that are not complete
  NodeId next_ = 0;
};

}  // namespace assay
