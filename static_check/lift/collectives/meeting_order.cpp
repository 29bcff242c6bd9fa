#include "static_check/lift/collectives/meeting_order.h"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "shared_ir/base/error.h"
#include "shared_ir/collective.h"
#include "static_check/lift/collectives/discipline.h"

namespace assay {

namespace {

class Joint {
 public:
  Joint(const std::vector<CoreProgram>& programs, RankEvaluation& evaluation)
      : programs_(programs), evaluation_(evaluation), ranks_(programs.size()) {}

  std::optional<CollectiveMismatch> run() {
    while (!mismatch_) {
      bool moved = false;
      for (Rank rank = 0; rank < ranks(); ++rank) moved = advance(rank) || moved;
      if (all_done()) {
        find_unreceived();
        break;
      }
      moved = meet() || moved;
      if (!moved && !mismatch_) find_deadlock();
    }
    return std::move(mismatch_);
  }

 private:
  // Sender, receiver and their group: what is sent there arrives in order.
  using Channel = std::tuple<std::vector<Rank>, Rank, Rank>;

  struct Progress {
    CoreId at = 0;                                    // the next operator
    std::map<GroupStream, std::deque<CoreId>> begun;  // and not done, in the order of their calls
  };

  Rank ranks() const { return static_cast<Rank>(programs_.size()); }
  bool is_rank(Rank rank) const { return rank >= 0 && rank < ranks(); }
  const CoreProgram& program(Rank rank) const { return programs_[static_cast<size_t>(rank)]; }
  Progress& progress(Rank rank) { return ranks_[static_cast<size_t>(rank)]; }
  const Progress& progress(Rank rank) const { return ranks_[static_cast<size_t>(rank)]; }
  CoreId& at(Rank rank) { return progress(rank).at; }

  // The program has come to its end, though collectives that it has begun may go on.
  bool ended(Rank rank) const {
    return !is_rank(rank) || static_cast<size_t>(progress(rank).at) == program(rank).ops.size();
  }
  bool done(Rank rank) const { return ended(rank) && progress(rank).begun.empty(); }

  bool all_done() const {
    for (Rank rank = 0; rank < ranks(); ++rank)
      if (!done(rank)) return false;
    return true;
  }

  RankCall call(Rank rank, CoreId id) const { return {rank, id, &program(rank)}; }

  void join(Meeting& meeting, const RankCall& call) {
    meeting.join(call.what(), evaluation_.value(call.rank, call.op().operands.at(0)));
  }

  static Channel channel(const Collective& what) {
    return {what.ranks, what.source, what.destination};
  }

  // The collective that a rank waits for before it goes on: one that it said it needs now, or whose
  // result the next operator reads. nullopt when there is none.
  std::optional<RankCall> awaited(Rank rank) const {
    const CoreId next = progress(rank).at;
    const bool reads = !ended(rank);
    for (const auto& [stream, calls] : progress(rank).begun) {
      for (const CoreId id : calls) {
        if (awaited_before(program(rank), id) <= next) return call(rank, id);
        if (!reads) continue;
        const std::vector<CoreId>& operands = program(rank).ops[static_cast<size_t>(next)].operands;
        if (std::find(operands.begin(), operands.end(), id) != operands.end())
          return call(rank, id);
      }
    }
    return std::nullopt;
  }

  // Evaluates what needs no other rank, and what a message is there for, and begins collectives;
  // false when nothing moved.
  bool advance(Rank rank) {
    const CoreId before = at(rank);
    for (; !ended(rank) && !awaited(rank); ++at(rank)) {
      const RankCall next = call(rank, at(rank));
      if (next.op().prim != Prim::kCollective) {
        evaluation_.evaluate(rank, at(rank));
      } else if (is_point_to_point(next.what().kind)) {
        if (!transfer(next)) break;
      } else {
        progress(rank).begun[stream_of(next.what())].push_back(next.id);
      }
    }
    return at(rank) != before;
  }

  // Sends, or receives what has been sent; false when the rank has to wait.
  bool transfer(const RankCall& call) {
    const Collective& what = call.what();
    std::deque<RankCall>& messages = messages_[channel(what)];
    if (what.kind == Collective::Kind::kSend) {
      messages.push_back(call);
      Meeting alone;
      join(alone, call);
      evaluation_.evaluate_collective(call.rank, call.id, alone, 0);
      return true;
    }
    if (messages.empty()) return false;
    const RankCall sent = messages.front();
    const std::string reason = message_disagreement(sent, call);
    if (!reason.empty()) {
      mismatch_ = {sent.rank, call.rank, sent.id, call.id, reason};
      return false;
    }
    messages.pop_front();
    Meeting message;
    join(message, sent);
    join(message, call);
    evaluation_.evaluate_collective(call.rank, call.id, message, 1);
    return true;
  }

  // Completes every collective that all members have begun; false when nothing moved.
  bool meet() {
    bool moved = false;
    for (Rank rank = 0; rank < ranks() && !mismatch_; ++rank) {
      std::vector<GroupStream> streams;
      for (const auto& [stream, calls] : progress(rank).begun) streams.push_back(stream);
      for (const GroupStream& stream : streams) {
        if (mismatch_) break;
        const auto found = progress(rank).begun.find(stream);
        if (found == progress(rank).begun.end() ||
            !all_arrived(stream, call(rank, found->second.front())))
          continue;
        complete(stream, call(rank, found->second.front()).what().ranks);
        moved = true;
      }
    }
    return moved;
  }

  // The oldest collective of the group that the rank has begun; nullopt when there is none.
  std::optional<RankCall> arrived(Rank rank, const GroupStream& stream) const {
    if (!is_rank(rank)) return std::nullopt;
    const auto found = progress(rank).begun.find(stream);
    if (found == progress(rank).begun.end()) return std::nullopt;
    return call(rank, found->second.front());
  }

  // Whether every member has begun a collective of the group; that it is the same one is held
  // against each of them.
  bool all_arrived(const GroupStream& stream, const RankCall& first) {
    bool all = true;
    std::vector<RankCall> calls;
    for (const Rank member : first.what().ranks) {
      const auto theirs = arrived(member, stream);
      if (!theirs) {
        all = false;
        continue;
      }
      calls.push_back(*theirs);
      if (!agree(first, *theirs)) return false;
    }
    if (!all || first.what().kind != Collective::Kind::kAllToAll) return all;
    // What one member sends to another concerns the two alone.
    for (const RankCall& from : calls)
      for (const RankCall& to : calls)
        if (!agree(from, to)) return false;
    return true;
  }

  bool agree(const RankCall& a, const RankCall& b) {
    const std::string reason = disagreement(a, b);
    if (!reason.empty()) mismatch_ = {a.rank, b.rank, a.id, b.id, reason};
    return reason.empty();
  }

  void complete(const GroupStream& stream, const std::vector<Rank>& members) {
    Meeting meeting;
    std::vector<RankCall> calls;
    for (const Rank member : members) calls.push_back(*arrived(member, stream));
    for (const RankCall& call : calls) join(meeting, call);
    for (size_t i = 0; i < calls.size(); ++i) {
      evaluation_.evaluate_collective(calls[i].rank, calls[i].id, meeting, i);
      auto& begun = progress(calls[i].rank).begun;
      auto& queue = begun[stream];
      queue.pop_front();
      if (queue.empty()) begun.erase(stream);
    }
    for (const Rank member : members) advance(member);
  }

  void find_unreceived() {
    for (const auto& [channel, messages] : messages_) {
      if (messages.empty()) continue;
      const RankCall& sent = messages.front();
      const Rank receiver = sent.what().destination;
      mismatch_ = {sent.rank, receiver, sent.id, kNone,
                   "rank " + std::to_string(receiver) + " never receives what rank " +
                       std::to_string(sent.rank) + " sends"};
      return;
    }
  }

  // What holds up a rank that is not done.
  RankCall stuck_in(Rank rank) const {
    if (const auto collective = awaited(rank)) return *collective;
    if (!ended(rank)) return call(rank, progress(rank).at);  // a message
    return call(rank, progress(rank).begun.begin()->second.front());
  }

  // Whom a stuck rank waits for: the group's collectives run one after the other.
  Rank waits_for(Rank rank) const {
    const Collective& what = stuck_in(rank).what();
    if (is_point_to_point(what.kind)) return what.source;
    const GroupStream stream = stream_of(what);
    for (const Rank member : what.ranks)
      if (!arrived(member, stream)) return member;
    throw InternalError("a rank is stuck though all members have arrived");
  }

  // Follows who waits for whom, to a rank that has ended or to one that was seen before.
  void find_deadlock() {
    Rank rank = 0;
    while (done(rank)) ++rank;
    std::vector<Rank> path;
    while (std::find(path.begin(), path.end(), rank) == path.end()) {
      path.push_back(rank);
      const Rank next = waits_for(rank);
      if (!ended(next)) {
        rank = next;
        continue;
      }
      const RankCall stuck = stuck_in(rank);
      mismatch_ = {rank, next, stuck.id, kNone,
                   "rank " + std::to_string(next) +
                       (is_point_to_point(stuck.what().kind)
                            ? " never sends what rank " + std::to_string(rank) + " waits for"
                            : " never joins this collective")};
      return;
    }
    path.erase(path.begin(), std::find(path.begin(), path.end(), rank));
    std::string circle;
    for (const Rank member : path)
      circle += (circle.empty() ? "" : ", ") + std::to_string(member) + " for " +
                std::to_string(waits_for(member));
    const Rank other = waits_for(rank);
    mismatch_ = {rank, other, stuck_in(rank).id, stuck_in(other).id,
                 "ranks wait for each other for ever (" + circle + ")"};
    for (const Rank member : path)
      if (member != rank && member != other)
        mismatch_->others.emplace_back(member, stuck_in(member).id);
  }

  const std::vector<CoreProgram>& programs_;
  RankEvaluation& evaluation_;
  std::vector<Progress> ranks_;
  std::map<Channel, std::deque<RankCall>> messages_;  // sent and not received yet
  std::optional<CollectiveMismatch> mismatch_;
};

}  // namespace

std::optional<CollectiveMismatch> run_in_order(const std::vector<CoreProgram>& programs,
                                               RankEvaluation& evaluation) {
  return Joint(programs, evaluation).run();
}

}  // namespace assay
