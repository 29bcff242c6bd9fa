// The targets' values of one run of the sequential program, as they are made.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dynamic_check/relate/targets.h"
#include "shared_ir/graph.h"

namespace assay {

// Nothing of a run is copied but what an expression over several tensors waits for.
class TargetValues {
 public:
  // Told each target once, by its index in Targets::list; the value may change after the call.
  using Told = std::function<void(size_t target, const at::Tensor& value)>;

  // Values are told on `device`, wherever they were made.
  TargetValues(const Graph& sequential, const Targets& targets, Told told,
               at::Device device = at::kCPU);

  // A tensor of the run; of several calls for one tensor, the first counts.
  void see(TensorId id, const at::Tensor& tensor);

  // A node's outputs; undefined ones are left out.
  void see_outputs(const Node& node, std::span<const at::Tensor> outputs);

  // The run has ended. Throws UserError when it made no value for a target.
  void finish();

 private:
  struct Expression {
    size_t target;
    CleanExpr value;
    std::map<std::string, TensorId> leaves;
  };

  const Told told_;
  const at::Device device_;
  std::map<TensorId, std::vector<size_t>> plain_;  // targets that are the tensor
  std::vector<Expression> expressions_;            // the other targets
  std::map<TensorId, at::Tensor> leaves_;          // of expressions; undefined before they are seen
  std::map<TensorId, std::string> missing_;        // not seen yet, with names
};

}  // namespace assay
