// The side of a rank's process: does the runs that the leader of a check asks for.
#pragma once

#include <c10/util/intrusive_ptr.h>

#include <functional>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "dynamic_check/run/execute/processes/message_socket.h"
#include "dynamic_check/run/execute/processes/tcp.h"
#include "dynamic_check/run/options.h"
#include "dynamic_check/run/programs.h"

namespace assay {

// How the process of a rank reaches the others.
struct RankLink {
  Rank rank = 0;
  int local_rank = 0;               // among the ranks on its machine
  std::string address = kLoopback;  // of its machine, for the other ranks
  bool is_launched = false;         // by the user's launcher: it may have other tests than rank 0
  bool ends_with_leader = true;     // the process, when its leader goes away in the middle of a run
  std::shared_ptr<MessageSocket> leader;
  c10::intrusive_ptr<c10d::Store> store;  // of all ranks
};

// What is run, as far as a rank needs it.
struct RankQuestion {
  std::string name;                             // of the check
  std::function<Graph(DType precision)> graph;  // captured of this rank's program
  Programs programs;
  KernelHook kernel;
  // After a run: what the program found wrong without throwing; empty: nothing.
  std::function<std::string()> complaint;
};

// Does every run of one check, and returns its report (JSON) when the leader has it. Throws
// SocketClosed when the leader is gone.
std::string follow_leader(const RankLink& link, const RankQuestion& question);

}  // namespace assay
