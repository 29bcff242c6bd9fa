// A rank in a process of its own.
#pragma once

#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <map>
#include <string>

#include "dynamic_check/run/execute/backends/process_backend.h"
#include "dynamic_check/run/execute/rank_environment.h"
#include "dynamic_check/run/execute/watched_group.h"

namespace assay {

class ProcessRank final : public RankEnvironment {
 public:
  // Makes the groups of all axes, for which every rank must come. `meeting`: everything but the
  // position in a group.
  ProcessRank(const Mesh& mesh, Rank rank, const ProcessBackend& backend, BackendRequest meeting,
              const CallListener& listener);
  ~ProcessRank() override;
  ProcessRank(const ProcessRank&) = delete;
  ProcessRank& operator=(const ProcessRank&) = delete;

  c10::intrusive_ptr<c10d::ProcessGroup> group(const std::string& axis) override;

 private:
  std::map<std::string, c10::intrusive_ptr<c10d::ProcessGroup>> groups_;  // by axis
};

}  // namespace assay
