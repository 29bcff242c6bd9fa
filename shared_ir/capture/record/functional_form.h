// Operators that write into their arguments, as operators that return new tensors.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <string>
#include <vector>

namespace assay {

// How a call of an operator is written in a graph.
struct FunctionalForm {
  std::string op;                 // "aten.add.Tensor" for aten::add_.Tensor and aten::add.out
  std::vector<size_t> arguments;  // which arguments of the original call are passed
  std::vector<size_t>
      mutated;  // which arguments of the original call are written, in the order of the schema
  // True: the outputs are the new values of `mutated`. False: the operator has no functional twin
  // and keeps its name; its outputs are its own returns, without those that are a mutated argument,
  // then the new values of `mutated`.
  bool has_twin = false;
  bool pointwise =
      false;  // the twin computes element by element, in the common type of its operands
};

// Cached per operator.
const FunctionalForm& functional_form(const c10::OperatorHandle& op);

// "aten.mm.default" for aten::mm.
std::string graph_name(const c10::OperatorName& name);

}  // namespace assay
