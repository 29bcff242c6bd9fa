#include "static_check/lift/program.h"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "shared_ir/collective.h"
#include "shared_ir/error.h"
#include "static_check/algebra/layout.h"
#include "static_check/lift/discipline.h"
#include "static_check/lift/interpret.h"

namespace assay {

namespace {

class Joint {
 public:
  Joint(Lifting& lifting, const Case& refinement, const std::vector<CoreProgram>& programs,
        const InputValues& inputs)
      : programs_(programs), at_(programs.size(), 0) {
    for (size_t r = 0; r < programs.size(); ++r) {
      interpreters_.emplace_back(lifting, refinement.ranks[r], programs[r], inputs.ranks[r]);
    }
  }

  LiftedRanks run() {
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
    LiftedRanks result;
    for (Interpreter& interpreter : interpreters_) result.ranks.push_back(interpreter.take());
    result.mismatch = std::move(mismatch_);
    return result;
  }

 private:
  // Sender, receiver and their group: what is sent there arrives in order.
  using Channel = std::tuple<std::vector<Rank>, Rank, Rank>;

  Rank ranks() const { return static_cast<Rank>(programs_.size()); }
  const CoreProgram& program(Rank rank) const { return programs_[static_cast<size_t>(rank)]; }
  Interpreter& interpreter(Rank rank) { return interpreters_[static_cast<size_t>(rank)]; }
  CoreId& at(Rank rank) { return at_[static_cast<size_t>(rank)]; }

  bool done(Rank rank) const {
    return rank < 0 || rank >= ranks() ||
           static_cast<size_t>(at_[static_cast<size_t>(rank)]) == program(rank).ops.size();
  }

  bool all_done() const {
    for (Rank rank = 0; rank < ranks(); ++rank)
      if (!done(rank)) return false;
    return true;
  }

  // The collective that a rank, which is not done, has come to.
  RankCall call(Rank rank) const { return {rank, at_[static_cast<size_t>(rank)], &program(rank)}; }

  void join(Meeting& meeting, const RankCall& call) {
    meeting.join(call.what(), interpreter(call.rank).value(call.op().operands.at(0)));
  }

  static Channel channel(const Collective& what) {
    return {what.ranks, what.source, what.destination};
  }

  // Evaluates what needs no other rank, and what a message is there for; false when nothing moved.
  bool advance(Rank rank) {
    const CoreId before = at(rank);
    while (!done(rank)) {
      if (call(rank).op().prim == Prim::kCollective) {
        if (!transfer(call(rank))) break;
      } else {
        interpreter(rank).evaluate(at(rank));
      }
      ++at(rank);
    }
    return at(rank) != before;
  }

  // Sends, or receives what has been sent; false when the rank has to wait.
  bool transfer(const RankCall& call) {
    const Collective& what = call.what();
    if (!is_point_to_point(what.kind)) return false;
    std::deque<RankCall>& messages = messages_[channel(what)];
    if (what.kind == Collective::Kind::kSend) {
      messages.push_back(call);
      Meeting alone;
      join(alone, call);
      interpreter(call.rank).evaluate_collective(call.id, alone, 0);
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
    interpreter(call.rank).evaluate_collective(call.id, message, 1);
    return true;
  }

  // Completes every collective whose members have all arrived; false when nothing moved.
  bool meet() {
    bool moved = false;
    for (Rank rank = 0; rank < ranks() && !mismatch_; ++rank) {
      if (done(rank) || !all_arrived(call(rank))) continue;
      complete(call(rank).what().ranks);
      moved = true;
    }
    return moved;
  }

  // A member that waits in a collective of the same group has come to this one; whether it is the
  // same collective is held against it.
  bool has_arrived(Rank member, const Collective& what) const {
    if (done(member)) return false;
    const Collective& theirs = call(member).what();
    return !is_point_to_point(theirs.kind) &&
           std::is_permutation(theirs.ranks.begin(), theirs.ranks.end(), what.ranks.begin(),
                               what.ranks.end());
  }

  bool all_arrived(const RankCall& first) {
    const Collective& what = first.what();
    if (is_point_to_point(what.kind)) return false;
    bool all = true;
    for (const Rank member : what.ranks) {
      if (!has_arrived(member, what)) {
        all = false;
        continue;
      }
      const std::string reason = disagreement(first, call(member));
      if (reason.empty()) continue;
      mismatch_ = {first.rank, member, first.id, call(member).id, reason};
      return false;
    }
    // What one member sends to another concerns the two alone.
    for (const Rank from : what.ranks) {
      for (const Rank to : what.ranks) {
        if (!all || what.kind != Collective::Kind::kAllToAll) return all;
        const std::string reason = disagreement(call(from), call(to));
        if (reason.empty()) continue;
        mismatch_ = {from, to, call(from).id, call(to).id, reason};
        return false;
      }
    }
    return all;
  }

  void complete(const std::vector<Rank>& members) {
    Meeting meeting;
    for (const Rank member : members) join(meeting, call(member));
    for (size_t i = 0; i < members.size(); ++i)
      interpreter(members[i]).evaluate_collective(at(members[i]), meeting, i);
    for (const Rank member : members) ++at(member);
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

  // Whom a stuck rank waits for.
  Rank awaited(Rank rank) const {
    const Collective& what = call(rank).what();
    if (is_point_to_point(what.kind)) return what.source;
    for (const Rank member : what.ranks)
      if (!has_arrived(member, what)) return member;
    throw InternalError("a rank is stuck though all members have arrived");
  }

  // Follows who waits for whom, to a rank that has ended or to one that was seen before.
  void find_deadlock() {
    Rank rank = 0;
    while (done(rank)) ++rank;
    std::vector<Rank> path;
    while (std::find(path.begin(), path.end(), rank) == path.end()) {
      path.push_back(rank);
      const Rank next = awaited(rank);
      if (!done(next)) {
        rank = next;
        continue;
      }
      const bool receives = is_point_to_point(call(rank).what().kind);
      mismatch_ = {rank, next, at(rank), kNone,
                   "rank " + std::to_string(next) +
                       (receives ? " never sends what rank " + std::to_string(rank) + " waits for"
                                 : " never joins this collective")};
      return;
    }
    path.erase(path.begin(), std::find(path.begin(), path.end(), rank));
    std::string circle;
    for (const Rank member : path)
      circle += (circle.empty() ? "" : ", ") + std::to_string(member) + " for " +
                std::to_string(awaited(member));
    const Rank other = awaited(rank);
    mismatch_ = {rank, other, at(rank), at(other),
                 "ranks wait for each other for ever (" + circle + ")"};
  }

  const std::vector<CoreProgram>& programs_;
  std::vector<Interpreter> interpreters_;
  std::vector<CoreId> at_;
  std::map<Channel, std::deque<RankCall>> messages_;  // sent and not received yet
  std::optional<CollectiveMismatch> mismatch_;
};

}  // namespace

LiftedProgram lift_sequential(Lifting& lifting, const Graph& graph, const CoreProgram& program,
                              const InputValues& inputs) {
  lifting.set_sequential(true);
  Interpreter interpreter(lifting, graph, program, inputs.sequential);
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const CoreOp& op = program.ops[i];
    if (op.prim == Prim::kCollective) {
      // One rank: every collective is over itself.
      Meeting alone;
      alone.join(program.collectives[static_cast<size_t>(op.collective)],
                 interpreter.value(op.operands.at(0)));
      interpreter.evaluate_collective(static_cast<CoreId>(i), alone, 0);
    } else {
      interpreter.evaluate(static_cast<CoreId>(i));
    }
  }
  return interpreter.take();
}

LiftedRanks lift_ranks(Lifting& lifting, const Case& refinement,
                       const std::vector<CoreProgram>& programs, const InputValues& inputs) {
  lifting.set_sequential(false);
  return Joint(lifting, refinement, programs, inputs).run();
}

}  // namespace assay
