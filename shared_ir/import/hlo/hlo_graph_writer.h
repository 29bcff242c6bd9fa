// Tensors and nodes of the graph that an HLO module becomes.
#pragma once

#include <string>
#include <vector>

#include "shared_ir/import/hlo/hlo_module.h"

namespace assay::hlo {

// What an instruction makes: a tensor, or a tuple.
struct Result {
  TensorId tensor = kNone;
  std::vector<Result> elements;
};

class GraphWriter {
 public:
  explicit GraphWriter(const Source& source) : source_(source) {
    graph_.name = source.file;
    graph_.functional = true;  // HLO has values, and no memory
  }

  // Another name of a tensor. Throws UserError at the instruction where it names another tensor.
  void add_name(const Instruction& instruction, const std::string& name, TensorId tensor);

  // A parameter of the entry; an element of a tuple is an input of its own, "NAME:INDEX".
  Result add_inputs(const Instruction& parameter, const std::string& name, const TypedShape& shape);
  void add_outputs(const Result& result);

  // Valid until the next node.
  Node& add_node(const Instruction& instruction, std::string op);
  // The results of the last node, named as inputs are.
  Result add_results(const Instruction& instruction, const std::string& name,
                     const TypedShape& shape);

  Graph finish();

 private:
  TensorId add_tensor(const Instruction& instruction, const std::string& name,
                      const TypedShape& shape, NodeId producer, int32_t output);

  const Source& source_;
  Graph graph_;
};

}  // namespace assay::hlo
