#include "static_check/problem/problem.h"

namespace assay {

namespace {

const Value* value_in(const CoreProgram& program, const LiftedProgram& lifted, TensorId tensor) {
  const CoreId id = program.value_of[static_cast<size_t>(tensor)];
  if (id == kNone || static_cast<size_t>(id) >= lifted.values.size()) return nullptr;
  return &lifted.values[static_cast<size_t>(id)];
}

}  // namespace

const Value* Problem::sequential_value(TensorId tensor) const {
  return value_in(sequential_program, sequential, tensor);
}

const Value* Problem::rank_value(Rank rank, TensorId tensor) const {
  const auto r = static_cast<size_t>(rank);
  return value_in(rank_programs[r], ranks.ranks[r], tensor);
}

std::string operator_of(const Graph& graph, TensorId tensor) {
  const NodeId producer = graph.tensors[static_cast<size_t>(tensor)].producer;
  return producer == kNone ? "input" : graph.nodes[static_cast<size_t>(producer)].op;
}

SourcePlace source_of(const Graph& graph, TensorId tensor) {
  const NodeId producer = graph.tensors[static_cast<size_t>(tensor)].producer;
  return producer == kNone ? SourcePlace{} : graph.nodes[static_cast<size_t>(producer)].source;
}

}  // namespace assay
