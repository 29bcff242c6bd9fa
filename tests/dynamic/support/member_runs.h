// Bodies on the threads of a group's members, over plain memory.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "dynamic_check/run/execute/threads/thread_collectives.h"

namespace assay::test {

inline constexpr size_t kMembers = 4;

inline Destination destination(DType dtype, const Shape& shape) {
  return {make_buffer(dtype, shape, true), {}};
}

using Body = std::function<void(GroupMember&)>;

// Runs a body on the thread of each member, and ends the run when one throws, as the backend does.
inline std::optional<RunFailure> run_members(
    const Body& body, CompletionHook completion = {},
    std::chrono::milliseconds timeout = std::chrono::seconds(20), size_t members = kMembers) {
  auto rendezvous = std::make_shared<Rendezvous>(timeout);
  std::vector<Rank> ranks;  // not in order, and not all
  for (size_t i = 0; i < members; ++i) ranks.push_back(static_cast<Rank>(20 - 3 * i));
  std::vector<std::thread> threads;
  for (const Rank rank : ranks) {
    threads.emplace_back([&, rank] {
      GroupMember member("tp:0", ranks, rank, rendezvous, completion);
      try {
        body(member);
      } catch (const RunAborted&) {
      } catch (const std::exception& error) {
        rendezvous->fail({RunFailure::Kind::kError, rank, error.what()});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return rendezvous->failure();
}

}  // namespace assay::test
