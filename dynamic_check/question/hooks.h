// Seams through which a test makes the distributed run go wrong, or makes it take a legal but
// unusual order.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "shared_ir/graph.h"
#include "shared_ir/mesh.h"

namespace at {
class Tensor;
}

namespace assay {

// One member's part in one collective.
struct CollectiveStart {
  Rank rank;          // the member, as a global rank
  std::string group;  // Mesh::group_name
  std::string op;  // "all_reduce", "reduce", "all_gather", "gather", "reduce_scatter", "broadcast",
                   // "scatter", "all_to_all", "barrier", "send", "recv"
  int64_t index;   // counts the collectives of this group, from 0
};

enum class Completion {
  kAtOnce,  // the result is in place when the call returns
  kAtWait,  // the result is in place only when the program waits for it: legal, and what a missing
            // wait trips over
  // This member's input is read as if the kernel that writes it were still running: the second half
  // of its elements is still zero. What a collective on a stream that does not wait for its
  // producer reads.
  kInputUnready,
};

// Decides for every member of every collective how it completes. Called from the rank's thread.
using CompletionHook = std::function<Completion(const CollectiveStart&)>;

// Delays a random half of all collectives until they are waited for: the same ones for the same
// seed.
CompletionHook delayed_completion(uint64_t seed);

// One operator of one rank that has just run.
struct KernelCall {
  Rank rank;
  const Graph& graph;                   // the rank's captured one
  const Node& node;                     // of it
  std::span<const at::Tensor> inputs;   // its tensor arguments, flattened, in order
  std::span<const at::Tensor> outputs;  // to be overwritten in place, before anything reads them
};

// Stands in for a faulty kernel: overwrites an operator's outputs. Called from the rank's thread.
using KernelHook = std::function<void(const KernelCall&)>;

}  // namespace assay
