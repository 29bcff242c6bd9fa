#include "dynamic_check/traces/traced_inputs.h"

#include <fmt/format.h>

#include "shared_ir/base/error.h"

namespace assay {
namespace {

at::Tensor read_input(const Graph& graph, TensorId id, TensorTrace& trace) {
  const std::string& name = graph.tensors[static_cast<size_t>(id)].name;
  at::Tensor value = trace.read(name);
  if (!value.defined())
    throw UserError({trace.file()}, fmt::format("there is no input '{}'", name),
                    "record the inputs of the program too");
  return value;
}

}  // namespace

RunInputs traced_inputs(const Case& refinement, const TraceSet& traces) {
  RunInputs inputs;
  for (const TensorId id : refinement.sequential.inputs) {
    const std::string& name = refinement.sequential.tensors[static_cast<size_t>(id)].name;
    inputs.whole[name] = read_input(refinement.sequential, id, traces.base());
  }
  for (size_t rank = 0; rank < refinement.ranks.size(); ++rank) {
    const Graph& graph = refinement.ranks[rank];
    for (const TensorId id : graph.inputs) {
      const std::string& name = graph.tensors[static_cast<size_t>(id)].name;
      inputs.parts[{name, static_cast<Rank>(rank)}] = read_input(graph, id, *traces.ranks()[rank]);
    }
  }
  return inputs;
}

}  // namespace assay
