// One rank of a run of captured graphs, from collective to collective.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dynamic_check/interpret/boxed_call.h"
#include "dynamic_check/interpret/staged_values.h"

namespace assay {

class RankInterpreter {
 public:
  // What a node's outputs are, given its operands on the device of its stage.
  using Kernel =
      std::function<std::vector<at::Tensor>(NodeId, const TensorLookup& operands, at::Device)>;

  // Told what nodes and collectives make.
  using Made = std::function<void(TensorId, const at::Tensor&)>;

  // `graph` and `declared` must outlive this.
  RankInterpreter(const Graph& graph, StagedValues values, Kernel kernel,
                  const DeclaredOperators* declared = nullptr, Made made = {});

  // Runs up to the next collective, which it returns; nullptr at the end of the graph. Throws
  // UserError for a tensor without a value, an output that a node does not have, and what the
  // kernel throws.
  const Node* advance();

  // An operand of the collective that advance() stopped at.
  at::Tensor value(TensorId id);

  // That collective gave this.
  void complete(const std::vector<at::Tensor>& results);

  StagedValues& values() { return values_; }

 private:
  void store(const std::vector<at::Tensor>& outputs);

  const Graph& graph_;
  StagedValues values_;
  Kernel kernel_;
  const DeclaredOperators* declared_;
  Made made_;
  NodeId next_ = 0;
};

}  // namespace assay
