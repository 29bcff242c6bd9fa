// What one rank of a run has, whatever it runs in.
#pragma once

#include <c10/util/intrusive_ptr.h>

#include <map>
#include <string>

#include "shared_ir/mesh.h"

namespace c10d {
class ProcessGroup;
}

namespace assay {

// Lives as long as the rank's run; used in the rank's thread.
class RankEnvironment {
 public:
  RankEnvironment(Mesh mesh, Rank rank) : mesh_(std::move(mesh)), rank_(rank) {}
  virtual ~RankEnvironment() = default;

  Rank rank() const { return rank_; }
  const Mesh& mesh() const { return mesh_; }

  // The same for the same axis. Throws UserError when the mesh has no such axis.
  virtual c10::intrusive_ptr<c10d::ProcessGroup> group(const std::string& axis) = 0;

 private:
  const Mesh mesh_;
  const Rank rank_;
};

// Makes this thread a rank's: its kernels take so many threads. Autograd has one worker thread per
// device and process, in which ranks would wait for each other's collectives for ever: backward
// passes stay in the rank's own.
void enter_rank_thread(int kernel_threads);

}  // namespace assay
