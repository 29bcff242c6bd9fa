// Runs one function per rank, each in its own thread, with process groups between them.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "dynamic_check/execute/rendezvous.h"
#include "dynamic_check/hooks.h"
#include "shared_ir/mesh.h"

namespace c10d {
class ProcessGroup;
}

namespace assay {

class PendingResults;

// What one rank's thread has. Lives as long as the thread.
class RankEnvironment {
 public:
  RankEnvironment(Mesh mesh, Rank rank, at::Device device, std::shared_ptr<Rendezvous> rendezvous,
                  CompletionHook completion);

  Rank rank() const { return rank_; }
  const Mesh& mesh() const { return mesh_; }

  // Made on first use. Throws UserError when the mesh has no such axis.
  c10::intrusive_ptr<c10d::ProcessGroup> group(const std::string& axis);

 private:
  const Mesh mesh_;
  const Rank rank_;
  const at::Device device_;
  std::shared_ptr<Rendezvous> rendezvous_;
  std::shared_ptr<PendingResults> pending_;
  CompletionHook completion_;
  std::map<std::string, c10::intrusive_ptr<c10d::ProcessGroup>> groups_;
};

struct RankThreadOptions {
  std::chrono::milliseconds timeout{60'000};  // of one collective, and of the whole run
  at::Device device = at::kCPU;               // where the tensors of collectives are
  CompletionHook completion;
};

// Calls `body` once per rank of the mesh, and waits for all. Returns the first failure, with the
// rank and its last collective: a body that throws, a collective that not all members join, a
// thread that does not end in time. Such a thread cannot be stopped: it is left alone, so whatever
// `body` refers to must be owned by it (shared pointers).
std::optional<RunFailure> run_rank_threads(const Mesh& mesh, const RankThreadOptions& options,
                                           std::function<void(RankEnvironment&)> body);

}  // namespace assay
