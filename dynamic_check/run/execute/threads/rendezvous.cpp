#include "dynamic_check/run/execute/threads/rendezvous.h"

#include <fmt/format.h>

namespace assay {
namespace {

std::string receive_text(const Rendezvous::Channel& channel, const std::string& signature) {
  return fmt::format("recv {} from rank {} on {}", signature, channel.source, channel.group);
}

}  // namespace

std::vector<std::any> Rendezvous::exchange(const std::string& group, const std::vector<Rank>& ranks,
                                           Rank rank, const std::string& signature,
                                           std::any offer) {
  std::unique_lock lock(mutex_);
  if (failure_) abort_locked();
  const int64_t index = next_index_[{group, rank}]++;
  last_[rank] = fmt::format("{} on {} (number {} there)", signature, group, index + 1);
  Meeting& meeting = meetings_[{group, index}];
  for (const auto& [other, entry] : meeting.offers) {
    if (entry.first != signature) {
      fail_locked({RunFailure::Kind::kMismatch, rank,
                   fmt::format("rank {} calls {}, rank {} calls {} as number {} on {}", rank,
                               signature, other, entry.first, index + 1, group)});
      abort_locked();
    }
  }
  meeting.offers.emplace(rank, std::pair(signature, std::move(offer)));
  changed_.notify_all();

  const bool in_time = changed_.wait_for(
      lock, timeout_, [&] { return failure_ || meeting.offers.size() == ranks.size(); });
  if (failure_) abort_locked();
  if (!in_time) {
    Rank missing = rank;
    for (Rank member : ranks) {
      if (!meeting.offers.contains(member)) missing = member;
    }
    fail_locked(
        {RunFailure::Kind::kTimeout, missing,
         fmt::format("rank {} waited {} ms in {}; rank {} did not come (its last collective: {})",
                     rank, timeout_.count(), last_[rank], missing,
                     last_collective_locked(missing))});
    abort_locked();
  }

  std::vector<std::any> result;
  for (Rank member : ranks) result.push_back(meeting.offers.at(member).second);
  if (++meeting.left == ranks.size()) meetings_.erase({group, index});
  return result;
}

void Rendezvous::send(const Channel& channel, const std::string& signature, std::any message) {
  std::lock_guard lock(mutex_);
  if (failure_) abort_locked();
  last_[channel.source] =
      fmt::format("send {} to rank {} on {}", signature, channel.destination, channel.group);
  Mailbox& box = messages_[channel];
  box.messages.try_emplace(box.sent++, signature, std::move(message));
  changed_.notify_all();
}

int64_t Rendezvous::begin_receive(const Channel& channel, const std::string& signature) {
  std::lock_guard lock(mutex_);
  if (failure_) abort_locked();
  last_[channel.destination] = receive_text(channel, signature);
  return messages_[channel].expected++;
}

std::any Rendezvous::receive(const Channel& channel, int64_t place, const std::string& signature) {
  std::unique_lock lock(mutex_);
  if (failure_) abort_locked();
  const auto& [group, source, destination] = channel;
  auto& messages = messages_[channel].messages;
  const bool in_time =
      changed_.wait_for(lock, timeout_, [&] { return failure_ || messages.contains(place); });
  if (failure_) abort_locked();
  if (!in_time) {
    fail_locked({RunFailure::Kind::kTimeout, source,
                 fmt::format("rank {} waited {} ms in {}; rank {} did not send (its last "
                             "collective: {})",
                             destination, timeout_.count(), receive_text(channel, signature),
                             source, last_collective_locked(source))});
    abort_locked();
  }
  auto [sent, message] = std::move(messages.extract(place).mapped());
  if (sent != signature) {
    fail_locked({RunFailure::Kind::kMismatch, destination,
                 fmt::format("rank {} expects {} of rank {}, which sends {}, on {}", destination,
                             signature, source, sent, group)});
    abort_locked();
  }
  return message;
}

void Rendezvous::fail(RunFailure failure) {
  std::lock_guard lock(mutex_);
  fail_locked(std::move(failure));
}

std::optional<RunFailure> Rendezvous::failure() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

std::string Rendezvous::last_collective(Rank rank) const {
  std::lock_guard lock(mutex_);
  return last_collective_locked(rank);
}

void Rendezvous::abort_locked() const { throw RunAborted(failure_->message); }

void Rendezvous::fail_locked(RunFailure failure) {
  if (!failure_) failure_ = std::move(failure);
  changed_.notify_all();
}

std::string Rendezvous::last_collective_locked(Rank rank) const {
  auto found = last_.find(rank);
  return found == last_.end() ? "none" : found->second;
}

}  // namespace assay
