#include "dynamic_check/run/execute/process_rank.h"

#include <algorithm>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace assay {

ProcessRank::ProcessRank(const Mesh& mesh, Rank rank, const ProcessBackend& backend,
                         BackendRequest meeting, const CallListener& listener)
    : RankEnvironment(mesh, rank) {
  const auto store = meeting.store;
  for (const Mesh::Axis& axis : mesh.axes()) {
    const std::string name = mesh.group_name(rank, axis.name);
    const std::vector<Rank> ranks = mesh.group(rank, axis.name);
    meeting.store = c10::make_intrusive<c10d::PrefixStore>(name, store);
    meeting.member = static_cast<int>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
    meeting.size = static_cast<int>(ranks.size());
    auto group = make_watched_group(name, ranks, backend.device, backend.make(meeting), listener);
    c10d::register_process_group(name, group);
    groups_.emplace(axis.name, std::move(group));
  }
}

ProcessRank::~ProcessRank() {
  for (const auto& [axis, group] : groups_) c10d::unregister_process_group(group->getGroupName());
}

c10::intrusive_ptr<c10d::ProcessGroup> ProcessRank::group(const std::string& axis) {
  mesh().axis_size(axis);  // throws where there is none
  return groups_.at(axis);
}

}  // namespace assay
