// Collectives as nodes of captured graphs: which nodes they are, and what they compute on the
// members' tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shared_ir/graph.h"

namespace assay {

struct CollectiveNode {
  enum class Kind { kAllReduce, kAllGather, kReduceScatter, kBroadcast, kAllToAll };
  Kind kind = Kind::kAllReduce;
  std::string group;  // as the program names it
  TensorId input = kNone;
  std::string reduction;       // "sum", "avg", ...; empty for movements
  int64_t source = 0;          // kBroadcast: member
  std::vector<int64_t> sends;  // kAllToAll: rows to each member; empty: even
};

// nullopt when the node is no collective. Throws UserError when it is one that is not supported.
std::optional<CollectiveNode> collective_of(const Node& node);

// True when the nodes can meet: same kind, reduction and source.
bool can_meet(const CollectiveNode& a, const CollectiveNode& b);

// What `member` gets, from the members' calls and inputs, both in group order.
at::Tensor collective_result(std::span<const CollectiveNode> calls,
                             std::span<const at::Tensor> inputs, size_t member);

}  // namespace assay
