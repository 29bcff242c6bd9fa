#include "dynamic_check/execute/launched_processes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <random>
#include <sstream>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "dynamic_check/execute/processes/tcp.h"

namespace assay {
namespace {

constexpr std::chrono::milliseconds kPatience{60'000};

// Where all ranks meet: the launcher's, or rank 0's.
c10::intrusive_ptr<c10d::Store> meeting(const Launch& launch) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(launch.port);
  options.isServer = launch.rank == 0 && !launch.has_store;
  options.waitWorkers = false;
  options.timeout = kPatience;
  auto store = c10::make_intrusive<c10d::TCPStore>(launch.host, options);
  return c10::make_intrusive<c10d::PrefixStore>("assay", store);
}

std::string make_token() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

// The rank that says so with the right token; -1 for anybody else who has found the port.
Rank greeting_of(MessageSocket& socket, const std::string& token) {
  const timeval limit{.tv_sec = 5, .tv_usec = 0}, none{};
  ::setsockopt(socket.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  try {
    const std::vector<std::string> fields = split_fields(socket.receive().payload);
    ::setsockopt(socket.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
    return fields.at(0) == token ? std::stoi(fields.at(1)) : -1;
  } catch (const std::exception&) {
    return -1;
  }
}

}  // namespace

LaunchedProcesses::LaunchedProcesses(const Launch& launch)
    : launch_(launch), sockets_(static_cast<size_t>(launch.ranks)) {
  try {
    meet();
  } catch (const c10::Error& error) {
    lost_ = fmt::format("rank 0 cannot meet the others at port {} of {}: {}", launch.port,
                        launch.host, error.what_without_backtrace());
  } catch (const std::exception& error) {
    lost_ = fmt::format("rank 0 cannot meet the others: {}", error.what());
  }
}

void LaunchedProcesses::meet() {
  store_ = meeting(launch_);
  const Listener listener = listen_tcp(launch_.one_host);
  const std::string token = make_token();
  store_->set("leader", std::to_string(listener.port) + " " + token);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (Rank there = 1; there < launch_.ranks;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    auto connection = accept_tcp(listener, std::max(left, std::chrono::milliseconds(0)));
    if (!connection) break;
    auto socket = std::make_shared<MessageSocket>(*std::move(connection));
    const Rank rank = greeting_of(*socket, token);
    if (rank < 1 || rank >= launch_.ranks) continue;
    sockets_[static_cast<size_t>(rank)] = std::move(socket);
    ++there;
  }
  std::vector<size_t> missing;
  for (size_t rank = 1; rank < sockets_.size(); ++rank) {
    if (!sockets_[rank]) missing.push_back(rank);
  }
  if (missing.empty()) return;
  lost_ = fmt::format("of {} ranks that were started, these did not come within {} s: {}",
                      launch_.ranks, kPatience.count() / 1000, fmt::join(missing, ", "));
}

LaunchedProcesses::~LaunchedProcesses() {
  if (own_rank_.joinable()) own_rank_.detach();
}

void LaunchedProcesses::begin(const RankQuestion& question) { question_ = question; }

std::vector<MessageSocket*> LaunchedProcesses::sockets(const Mesh& mesh) {
  if (!lost_.empty()) throw UserError({}, lost_, "start all ranks again");
  if (mesh.world_size() != launch_.ranks) {
    throw UserError({},
                    fmt::format("this test has {} ranks, and {} were started", mesh.world_size(),
                                launch_.ranks),
                    "start as many, or leave the test out with --gtest_filter");
  }
  if (!own_rank_.joinable()) start_own_rank();
  std::vector<MessageSocket*> result;
  for (const auto& socket : sockets_) result.push_back(socket.get());
  return result;
}

void LaunchedProcesses::start_own_rank() {
  // Its groups are not those of the programs that other threads run.
  c10d::set_thread_isolation_mode(true);
  auto [leader, own] = make_socket_pair();
  sockets_[0] = std::make_shared<MessageSocket>(std::move(leader));
  RankLink link;
  link.local_rank = launch_.local_rank;
  link.one_host = launch_.one_host;
  link.leader = std::make_shared<MessageSocket>(std::move(own));
  link.ends_with_leader = false;
  link.store = store_;
  own_rank_ = std::thread([link, question = question_] {
    try {
      follow_leader(link, question);
    } catch (const SocketClosed&) {
      // The run was given up.
    }
  });
}

std::string LaunchedProcesses::how_lost(Rank) { return "is gone"; }

void LaunchedProcesses::give_up(const std::vector<Rank>& unfinished) {
  if (unfinished.empty()) return;
  lost_ = fmt::format("rank {} was lost in an earlier run", fmt::join(unfinished, ", "));
  for (const Rank rank : unfinished) {
    if (rank == 0) own_rank_.detach();
    sockets_[static_cast<size_t>(rank)].reset();
  }
}

void LaunchedProcesses::conclude(const std::string& report) {
  for (const auto& socket : sockets_) {
    try {
      if (socket) socket->send(Message::Kind::kReport, report);
    } catch (const SocketClosed&) {
      // The next run says so.
    }
  }
  if (own_rank_.joinable()) own_rank_.join();
  sockets_[0].reset();
}

RankLink join_launch(const Launch& launch) {
  RankLink link;
  link.rank = launch.rank;
  link.local_rank = launch.local_rank;
  link.one_host = launch.one_host;
  link.store = meeting(launch);
  const std::vector<uint8_t> leader = link.store->get("leader");
  std::istringstream text(std::string(leader.begin(), leader.end()));
  int port = 0;
  std::string token;
  text >> port >> token;
  link.leader = std::make_shared<MessageSocket>(connect_tcp(launch.host, port));
  link.leader->send(Message::Kind::kStarted, join_fields({token, std::to_string(launch.rank)}));
  return link;
}

}  // namespace assay
