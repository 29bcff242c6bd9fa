// A program that a launcher (torchrun, mpirun, srun) has started once per rank. Needs no LibTorch.
// Those that Assay starts itself: own_processes.h, by child_process.h.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "shared_ir/mesh.h"

namespace assay {

struct Launch {
  Rank rank = 0;
  Rank ranks = 1;
  int local_rank = 0;      // among those on this machine
  bool one_host = false;   // all ranks are on this machine
  std::string host;        // of rank 0
  int port = 0;            // where a c10d store is, or rank 0 is to make one
  bool has_store = false;  // the launcher has made it
  int attempt = 0;         // how often the launcher has started all ranks anew, at the same store
};

// From the variables that launchers set: RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE of
// torchrun; OMPI_COMM_WORLD_* of Open MPI; PMI_* of MPICH and its kin; SLURM_* of srun. MASTER_ADDR
// and MASTER_PORT say where rank 0 is; on one machine neither mpirun nor srun needs them. Nothing
// when no launcher, or one of a single rank, has set them. A launcher that runs within the job of
// another one leaves that one's variables in place: the first in this order counts whose ranks know
// their places on their machines. Throws UserError for what cannot be.
// `parent`: the parent process, the same for all ranks on one machine.
using Variables = std::function<const char*(const char* name)>;
std::optional<Launch> launch_of(const Variables& variables, int parent);

// Of this process.
std::optional<Launch> launch_of_this_process();

}  // namespace assay
