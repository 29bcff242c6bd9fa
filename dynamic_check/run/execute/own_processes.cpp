#include "dynamic_check/run/execute/own_processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cstdlib>
#include <torch/csrc/distributed/c10d/FileStore.hpp>

#include "dynamic_check/run/execute/processes/anonymous_file.h"
#include "dynamic_check/run/execute/processes/patience.h"

namespace assay {
namespace {

// RANK,RANKS,SOCKET,STORE: the last two are descriptors.
constexpr const char* kLink = "ASSAY_RANK_LINK";

// A process that does not read for that long is taken for lost.
void limit_sending(int socket) {
  const timeval limit{
      .tv_sec = std::chrono::duration_cast<std::chrono::seconds>(patience()).count(), .tv_usec = 0};
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

}  // namespace

std::vector<MessageSocket*> OwnProcesses::sockets(const Mesh& mesh) {
  const auto ranks = static_cast<Rank>(mesh.world_size());
  if (members_.size() != static_cast<size_t>(ranks)) {
    members_.clear();
    const FileDescriptor store = make_anonymous_file();
    for (Rank rank = 0; rank < ranks; ++rank) start(rank, ranks, store);
  }
  std::vector<MessageSocket*> result;
  for (const Member& member : members_) result.push_back(member.socket.get());
  return result;
}

void OwnProcesses::start(Rank rank, Rank ranks, const FileDescriptor& store) {
  auto [own, theirs] = make_socket_pair();
  limit_sending(own.number());
  ChildCommand command = command_;
  command.inherited = {theirs.number(), store.number()};
  command.environment.push_back(
      fmt::format("{}={},{},{},{}", kLink, rank, ranks, theirs.number(), store.number()));
  Member& member = members_.emplace_back();
  member.socket = std::make_unique<MessageSocket>(std::move(own));
  member.process = std::make_unique<ChildProcess>(command);
  try {
    for (const std::string& report : reports_) member.socket->send(Message::Kind::kReport, report);
  } catch (const SocketClosed&) {
    // The run that they are started for finds it closed, too.
  }
}

std::string OwnProcesses::how_lost(Rank rank) {
  ChildProcess& process = *members_.at(static_cast<size_t>(rank)).process;
  std::string text =
      process.ended(std::chrono::seconds(2)).value_or("has closed its connection and goes on");
  const std::string output = process.last_output(12);
  if (!output.empty()) text += ", after it had printed:\n" + output + "\n";
  return text;
}

RunLimits OwnProcesses::limits(std::chrono::milliseconds timeout) const {
  // After the grace they are killed.
  return {.start = patience(), .run = 2 * timeout};
}

void OwnProcesses::give_up(const std::vector<Rank>&) { members_.clear(); }

void OwnProcesses::conclude(const std::string& report) {
  reports_.push_back(report);
  for (Member& member : members_) {
    try {
      member.socket->send(Message::Kind::kReport, report);
    } catch (const SocketClosed&) {
      return members_.clear();
    }
  }
}

std::optional<RankLink> inherited_link() {
  const char* text = std::getenv(kLink);
  if (text == nullptr) return std::nullopt;
  int rank = 0, ranks = 0, socket = 0, store = 0;
  const int read = std::sscanf(text, "%d,%d,%d,%d", &rank, &ranks, &socket, &store);
  ASSAY_CHECK(read == 4, "a link has four numbers");
  ::unsetenv(kLink);  // not for what this process starts
  for (const int descriptor : {socket, store}) ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  RankLink link;
  link.rank = rank;
  link.local_rank = rank;
  link.leader = std::make_shared<MessageSocket>(FileDescriptor(socket));
  // Stays open as long as the process: it is the only name that the file has.
  static const FileDescriptor meeting(store);
  link.store = c10::make_intrusive<c10d::FileStore>(path_of(meeting), ranks);
  return link;
}

}  // namespace assay
