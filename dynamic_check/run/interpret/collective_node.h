// Collectives as nodes of captured graphs: which nodes they are, and what they compute on the
// members' tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shared_ir/graph.h"

namespace assay {

class DeclaredOperators;  // declared_operators.h

struct CollectiveNode {
  enum class Kind {
    kAllReduce,
    kReduce,
    kAllGather,
    kAllGatherList,  // the members' tensors one by one; so in the other lists
    kGather,
    kReduceScatter,
    kReduceScatterList,
    kBroadcast,
    kScatter,
    kAllToAll,
    kAllToAllList,
    kBarrier,
    kSend,
    kReceive,
  };
  Kind kind = Kind::kAllReduce;
  std::string group;             // as the program names it
  TensorId input = kNone;        // its first tensor; kNone where it has lists alone, or nothing
  std::vector<TensorId> offers;  // what this member gives the others
  std::vector<TensorId> memory;  // that its results are written into; empty: they are new tensors
  std::string reduction;         // "sum", "avg", ...; empty for movements
  int64_t source = 0;            // the root's, or the peer's, position in the group
  int64_t tag = 0;               // kSend, kReceive
  int64_t dimension = 0;         // that is gathered, scattered or exchanged
  std::vector<int64_t> sends;    // kAllToAll: rows to each member; empty: even
  std::vector<int64_t> expects;  // kAllToAll: rows from each member; empty: even
};

// nullopt when the node is no collective; what the user `declared` as one is one. Throws UserError
// when it is one that is not supported.
std::optional<CollectiveNode> collective_of(const Node& node,
                                            const DeclaredOperators* declared = nullptr);

// A message between two ranks: not a meeting of all members.
bool is_point_to_point(const CollectiveNode& call);

// True when the nodes can meet: same kind, reduction, source and dimension.
bool can_meet(const CollectiveNode& a, const CollectiveNode& b);

// The first pair of members (sender, receiver) of an all_to_all of which one expects other rows
// than it is sent; nullopt when all agree, and for other collectives. Arguments as
// collective_results has them.
std::optional<std::pair<size_t, size_t>> rows_that_disagree(
    std::span<const CollectiveNode> calls, std::span<const std::vector<at::Tensor>> offers);

// What `member` gets, one tensor for each output of its node, from the members' calls and what they
// offer, both in group order. Of a message: the sender's call, then the receiver's.
std::vector<at::Tensor> collective_results(std::span<const CollectiveNode> calls,
                                           std::span<const std::vector<at::Tensor>> offers,
                                           size_t member);

}  // namespace assay
