// Reference kernels of operators that PyTorch does not have: fused kernels of serving and training
// systems, as found in imported graphs. Written from the operators' documentation, apart from the
// declarations in shared_ir/operators, so that each checks the other.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "shared_ir/graph.h"

namespace assay {

// Arguments of a call, by name or, without one, by schema position.
class CustomCall {
 public:
  CustomCall(const Graph& graph, const Node& node, std::function<at::Tensor(TensorId)> value)
      : graph_(graph), node_(node), value_(std::move(value)) {}

  // Whether the argument is there, and not None.
  bool is_given(size_t position, std::string_view name) const;
  // Throws UserError at the node's source when the argument is missing or of another type.
  at::Tensor tensor(size_t position, std::string_view name) const;
  // The same, or a number as a tensor without dimensions.
  at::Tensor operand(size_t position, std::string_view name) const;
  int64_t integer(size_t position, std::string_view name) const;
  double number(size_t position, std::string_view name) const;
  bool flag(size_t position, std::string_view name, bool absent = false) const;
  std::string text(size_t position, std::string_view name, std::string_view absent) const;
  // Lists; one number for a list of one; empty when the argument is missing.
  std::vector<int64_t> integers(size_t position, std::string_view name) const;
  std::vector<at::Tensor> tensors(size_t position, std::string_view name) const;
  // The numbers of a list of lists, in their order.
  std::vector<double> numbers(size_t position, std::string_view name) const;

  // What was recorded of the first output.
  const Tensor& recorded() const;

  // Throws UserError at the node's source.
  [[noreturn]] void fail(const std::string& why) const;

 private:
  const Arg* look(size_t position, std::string_view name) const;
  const Arg& find(size_t position, std::string_view name) const;

  const Graph& graph_;
  const Node& node_;
  std::function<at::Tensor(TensorId)> value_;
};

struct CustomOperator {
  // Returns, then the new value of each mutated argument.
  std::function<std::vector<at::Tensor>(const CustomCall&)> kernel;
  bool returns = true;  // false: it only writes its arguments
  // PyTorch has the operator, but for other types than float64: it stands in for it there alone.
  bool only_wide = false;
};

// nullptr when there is no such operator. `op` without its overload, e.g. "_C.rms_norm".
const CustomOperator* find_custom_operator(std::string_view op);

}  // namespace assay
