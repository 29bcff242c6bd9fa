#include "dynamic_check/run/stages/forward_positions.h"

#include <algorithm>

namespace assay {
namespace {

// An operand this many times smaller than the largest says nothing about where its reader belongs:
// the norm of all gradients, which scales each of them.
constexpr int64_t kSmaller = 64;

class Positions {
 public:
  Positions(const Graph& graph, const std::vector<int64_t>& bytes)
      : bytes_(bytes), made_(graph.tensors.size(), kNone), read_(made_) {}

  // An input is made where it is read first.
  void make(const std::vector<TensorId>& tensors, int32_t position) {
    for (const TensorId id : tensors) {
      if (id == kNone || is_made(id)) continue;
      made_[static_cast<size_t>(id)] = read_[static_cast<size_t>(id)] = position;
    }
  }

  void read_forward(const std::vector<TensorId>& tensors, int32_t position) {
    for (const TensorId id : tensors) read_[static_cast<size_t>(id)] = position;
  }

  // Among those of the operands; `otherwise`, where none has one.
  int32_t beside(const std::vector<TensorId>& operands, bool backward, int32_t otherwise) const {
    int64_t largest = 0;
    for (const TensorId id : operands)
      if (is_made(id)) largest = std::max(largest, bytes_[static_cast<size_t>(id)]);
    int32_t position = kNone;
    for (const TensorId id : operands) {
      if (!is_made(id) || bytes_[static_cast<size_t>(id)] < largest / kSmaller) continue;
      const int32_t own = (backward ? read_ : made_)[static_cast<size_t>(id)];
      if (position == kNone || (backward ? own < position : own > position)) position = own;
    }
    return position == kNone ? otherwise : position;
  }

 private:
  bool is_made(TensorId id) const { return made_[static_cast<size_t>(id)] != kNone; }

  const std::vector<int64_t>& bytes_;
  std::vector<int32_t> made_;  // per tensor: where
  std::vector<int32_t> read_;  // per tensor: where the forward pass reads it last, or else made_
};

}  // namespace

int32_t forward_length(const Graph& graph) {
  const auto first = std::ranges::find_if(graph.nodes, &Node::backward);
  return static_cast<int32_t>(first - graph.nodes.begin());
}

std::vector<int32_t> forward_positions(const Graph& graph, const std::vector<int64_t>& bytes) {
  const int32_t length = forward_length(graph);
  Positions positions(graph, bytes);
  std::vector<int32_t> of_node;
  int32_t last = 0;
  for (const Node& node : graph.nodes) {
    const auto index = static_cast<int32_t>(of_node.size());
    const std::vector<TensorId> operands = operands_of(node);
    last = index < length ? index : positions.beside(operands, node.backward, last);
    positions.make(operands, last);
    if (index < length) positions.read_forward(operands, last);
    positions.make(node.outputs, last);
    of_node.push_back(last);
  }
  return of_node;
}

}  // namespace assay
