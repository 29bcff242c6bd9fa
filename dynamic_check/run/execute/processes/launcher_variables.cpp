#include "dynamic_check/run/execute/processes/launcher_variables.h"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "shared_ir/base/error.h"

namespace assay {
namespace {

// The names that one launcher gives its variables.
struct Launcher {
  const char* rank;
  const char* ranks;
  const char* local_rank;
  const char* local_ranks;  // how many are on this machine
};

constexpr Launcher kLaunchers[] = {
    {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    // SLURM_NTASKS is also set where no rank runs: in the script of a batch job.
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE"},
};

int number(const char* name, std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0) return value;
  throw UserError({}, std::string(name) + " is '" + std::string(text) + "', which is no number",
                  "start the ranks with torchrun, mpirun or srun, or none of their variables");
}

const Launcher* launcher_of(const Variables& variables) {
  for (const bool with_places : {true, false}) {
    for (const Launcher& launcher : kLaunchers) {
      const bool ranks = variables(launcher.rank) && variables(launcher.ranks);
      const bool places = variables(launcher.local_rank) && variables(launcher.local_ranks);
      if (ranks && (places || !with_places)) return &launcher;
    }
  }
  return nullptr;
}

// The same on all ranks of one machine, and seldom that of another program.
int port_of(int parent) { return 20'000 + parent % 10'000; }

}  // namespace

std::optional<Launch> launch_of(const Variables& variables, int parent) {
  const Launcher* found = launcher_of(variables);
  if (found == nullptr) return std::nullopt;
  const Launcher& launcher = *found;
  const char* rank = variables(launcher.rank);
  const char* ranks = variables(launcher.ranks);
  Launch launch;
  launch.rank = number(launcher.rank, rank);
  launch.ranks = number(launcher.ranks, ranks);
  if (launch.ranks <= 1) return std::nullopt;
  if (launch.rank >= launch.ranks) {
    throw UserError({}, std::string(launcher.rank) + " is " + rank + " of " + ranks + " ranks");
  }
  const char* local_rank = variables(launcher.local_rank);
  launch.local_rank = local_rank == nullptr ? 0 : number(launcher.local_rank, local_rank);
  const char* local_ranks = variables(launcher.local_ranks);
  launch.one_host = local_ranks != nullptr && std::string_view(local_ranks) == ranks;
  const char* host = variables("MASTER_ADDR");
  const char* port = variables("MASTER_PORT");
  if (!launch.one_host && (host == nullptr || port == nullptr)) {
    throw UserError({}, "ranks on several machines do not know where rank 0 is",
                    "set MASTER_ADDR to its machine and MASTER_PORT to a free port there");
  }
  launch.host = host == nullptr ? "127.0.0.1" : host;
  launch.port = port == nullptr ? port_of(parent) : number("MASTER_PORT", port);
  const char* agent = variables("TORCHELASTIC_USE_AGENT_STORE");
  launch.has_store = agent != nullptr && std::string_view(agent) == "True";
  const char* attempt = variables("TORCHELASTIC_RESTART_COUNT");
  launch.attempt = attempt == nullptr ? 0 : number("TORCHELASTIC_RESTART_COUNT", attempt);
  return launch;
}

std::optional<Launch> launch_of_this_process() {
  return launch_of([](const char* name) { return std::getenv(name); }, ::getppid());
}

}  // namespace assay
