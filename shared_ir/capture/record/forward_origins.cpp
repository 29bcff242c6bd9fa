#include "shared_ir/capture/record/forward_origins.h"

#include <ATen/SequenceNumber.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/graph_task.h>

namespace assay {
namespace {

// Nodes of LibTorch's own operators have their virtual table in LibTorch; autograd functions of the
// user do not.
bool is_builtin(const torch::autograd::Node& node) {
  return in_system_library(*reinterpret_cast<const uintptr_t*>(&node));
}

}  // namespace

Origin ForwardOrigins::resolve(Origin here, const Origin* last_operand) const {
  if (torch::autograd::get_current_graph_task_id() == -1) return here;
  const auto node = torch::autograd::get_current_node();
  if (node && !is_builtin(*node)) {
    here.backward = true;
    return here;
  }
  const Origin* forward = last_operand;
  if (node) {
    const auto entry = by_sequence_number_.find(node->sequence_nr());
    if (entry != by_sequence_number_.end()) forward = &entry->second;
  }
  Origin origin = forward != nullptr ? *forward : here;
  origin.backward = true;
  return origin;
}

void ForwardOrigins::remember(const Origin& origin) {
  const uint64_t next = at::sequence_number::peek();
  // The first operator after a node was made is the one that it differentiates.
  if (next > 0) by_sequence_number_.try_emplace(next - 1, origin);
}

}  // namespace assay
