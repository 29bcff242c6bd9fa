#include "dynamic_check/run/execute/launched_processes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <random>
#include <sstream>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "dynamic_check/run/execute/processes/patience.h"
#include "dynamic_check/run/execute/processes/tcp.h"

namespace assay {
namespace {

// Where all ranks meet: the launcher's, or rank 0's. The launcher's still has what ranks said there
// that it has started earlier.
c10::intrusive_ptr<c10d::Store> meeting(const Launch& launch) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(launch.port);
  options.isServer = launch.rank == 0 && !launch.has_store;
  options.waitWorkers = false;
  options.timeout = patience();
  // LibTorch's own words for a store that is not there are a page long.
  if (!options.isServer) connect_tcp(launch.host, launch.port, patience());
  auto store = c10::make_intrusive<c10d::TCPStore>(launch.host, options);
  return c10::make_intrusive<c10d::PrefixStore>(fmt::format("assay/{}", launch.attempt), store);
}

std::string make_token() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

// Why a connection ended: its other side has not closed it.
bool is_unreachable(int error) {
  return error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH;
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
  const std::chrono::milliseconds wait = patience();
  const auto end = std::chrono::steady_clock::now() + wait;
  for (Rank there = 1; there < launch_.ranks;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    auto connection = accept_tcp(listener, std::max(left, std::chrono::milliseconds(0)), wait);
    if (!connection) break;
    auto socket = std::make_shared<MessageSocket>(*std::move(connection));
    const Rank rank = greeting_of(*socket, token);
    if (rank < 1 || rank >= launch_.ranks) continue;
    const std::string address = local_address(socket->descriptor());
    if (address != kLoopback) address_ = address;
    sockets_[static_cast<size_t>(rank)] = std::move(socket);
    ++there;
  }
  std::vector<size_t> missing;
  for (size_t rank = 1; rank < sockets_.size(); ++rank) {
    if (!sockets_[rank]) missing.push_back(rank);
  }
  if (missing.empty()) return store_->set("address", address_);
  lost_ = fmt::format("of {} ranks that were started, these did not come within {} s: {}",
                      launch_.ranks, wait.count() / 1000, fmt::join(missing, ", "));
}

LaunchedProcesses::~LaunchedProcesses() {
  if (own_rank_.joinable()) own_rank_.detach();
}

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
  link.address = address_;
  link.ends_with_leader = false;
  link.leader = std::make_shared<MessageSocket>(std::move(own));
  link.is_launched = true;
  link.store = store_;
  own_rank_ = std::thread([link, question = question()] {
    try {
      follow_leader(link, question);
    } catch (const SocketClosed&) {
      // The run was given up.
    }
  });
}

std::string LaunchedProcesses::how_lost(Rank rank) {
  return is_unreachable(sockets_[static_cast<size_t>(rank)]->error())
             ? "cannot be reached any more from the machine of rank 0"
             : "is gone";
}

RunLimits LaunchedProcesses::limits(std::chrono::milliseconds timeout) const {
  // Those that wait for a rank that has failed need `timeout` until they give up. When a process
  // has gone, the launcher ends the others: mpirun kills them after a second.
  return {.start = patience(),
          .run = 2 * timeout,
          .grace = timeout + std::chrono::seconds(1),
          .grace_after_loss = std::chrono::milliseconds(300)};
}

void LaunchedProcesses::give_up(const std::vector<Rank>& unfinished) {
  if (unfinished.empty()) return;
  const bool one = unfinished.size() == 1;
  lost_ = fmt::format("{} {} {} lost in an earlier run", one ? "rank" : "ranks",
                      fmt::join(unfinished, ", "), one ? "was" : "were");
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
  link.is_launched = true;
  link.local_rank = launch.local_rank;
  link.store = meeting(launch);
  const std::vector<uint8_t> leader = link.store->get("leader");
  std::istringstream text(std::string(leader.begin(), leader.end()));
  int port = 0;
  std::string token;
  text >> port >> token;
  link.leader = std::make_shared<MessageSocket>(
      connect_tcp(launch.one_host ? kLoopback : launch.host, port, patience()));
  link.leader->send(Message::Kind::kStarted, join_fields({token, std::to_string(launch.rank)}));
  link.address = local_address(link.leader->descriptor());
  if (link.address == kLoopback && !launch.one_host) {
    const std::vector<uint8_t> address = link.store->get("address");
    link.address.assign(address.begin(), address.end());
  }
  return link;
}

}  // namespace assay
