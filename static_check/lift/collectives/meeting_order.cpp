#include "static_check/lift/collectives/meeting_order.h"

#include <algorithm>
#include <deque>
#include <map>

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
      if (all_done()) break;
      moved = meet() || moved;
      if (!moved && !mismatch_) find_deadlock();
    }
    return std::move(mismatch_);
  }

 private:
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

  // Evaluates what needs no other rank, and begins collectives; false when nothing moved.
  bool advance(Rank rank) {
    const CoreId before = at(rank);
    for (; !ended(rank) && !awaited(rank); ++at(rank)) {
      const RankCall next = call(rank, at(rank));
      if (next.op().prim == Prim::kCollective)
        progress(rank).begun[stream_of(next.what())].push_back(next.id);
      else
        evaluation_.evaluate(rank, at(rank));
    }
    return at(rank) != before;
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
        complete(stream, members_of(call(rank, found->second.front()).what()));
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
    const bool message = is_point_to_point(first.what().kind);
    bool all = true;
    std::vector<RankCall> calls;
    for (const Rank member : members_of(first.what())) {
      const auto theirs = arrived(member, stream);
      if (!theirs) {
        all = false;
        continue;
      }
      calls.push_back(*theirs);
      if (!message && !agree(first, *theirs)) return false;
    }
    if (message) return all && agree(calls[0], calls[1]);
    if (!all || first.what().kind != Collective::Kind::kAllToAll) return all;
    // What one member sends to another concerns the two alone.
    for (const RankCall& from : calls)
      for (const RankCall& to : calls)
        if (!agree(from, to)) return false;
    return true;
  }

  bool agree(const RankCall& a, const RankCall& b) {
    const bool message = is_point_to_point(a.what().kind);
    const std::string reason = message ? message_disagreement(a, b) : disagreement(a, b);
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

  // What holds up a rank that is not done.
  RankCall stuck_in(Rank rank) const {
    if (const auto collective = awaited(rank)) return *collective;
    return call(rank, progress(rank).begun.begin()->second.front());
  }

  // Whom a stuck rank waits for: the group's collectives run one after the other.
  Rank waits_for(Rank rank) const {
    const Collective& what = stuck_in(rank).what();
    const GroupStream stream = stream_of(what);
    for (const Rank member : members_of(what))
      if (!arrived(member, stream)) return member;
    throw InternalError("a rank is stuck though all members have arrived");
  }

  // What the member that a rank waits for leaves undone.
  static std::string never_does(const Collective& what, Rank waiting) {
    const std::string rank = std::to_string(waiting);
    if (what.kind == Collective::Kind::kSend) return " never receives what rank " + rank + " sends";
    if (what.kind == Collective::Kind::kReceive)
      return " never sends what rank " + rank + " waits for";
    return " never joins this collective";
  }

  // Follows who waits for whom, to a rank that has ended or to one that was seen before.
  void find_deadlock() {
    Rank rank = 0;
    while (rank < ranks() && ended(rank)) ++rank;
    if (rank == ranks())  // what was begun goes on for ever
      for (rank = 0; done(rank);) ++rank;
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
                   "rank " + std::to_string(next) + never_does(stuck.what(), rank)};
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
  std::optional<CollectiveMismatch> mismatch_;
};

}  // namespace

std::optional<CollectiveMismatch> run_in_order(const std::vector<CoreProgram>& programs,
                                               RankEvaluation& evaluation) {
  return Joint(programs, evaluation).run();
}

}  // namespace assay
