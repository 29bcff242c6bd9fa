// Runs one function per rank, each in its own thread, with process groups between them.
#pragma once

#include <c10/core/Device.h>

#include <chrono>
#include <functional>
#include <optional>

#include "dynamic_check/question/question.h"
#include "dynamic_check/run/execute/rank_environment.h"
#include "dynamic_check/run/execute/run_failure.h"
#include "shared_ir/mesh.h"

namespace assay {

struct RankThreadOptions {
  std::chrono::milliseconds timeout{60'000};  // of one collective, and of the whole run
  c10::Device device = c10::kCPU;             // where the tensors of collectives are
  CompletionHook completion;
  int kernel_threads = 0;  // of each rank's kernels; 0: ranks share those of the process
};

// Calls `body` once per rank of the mesh, and waits for all. Returns the first failure, with the
// rank and its last collective: a body that throws, a collective that not all members join, a
// thread that does not end in time. Such a thread cannot be stopped: it is left alone, so whatever
// `body` refers to must be owned by it (shared pointers).
std::optional<RunFailure> run_rank_threads(const Mesh& mesh, const RankThreadOptions& options,
                                           std::function<void(RankEnvironment&)> body);

}  // namespace assay
