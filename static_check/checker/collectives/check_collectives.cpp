// Collectives on the joint graph: who meets whom, and what each member gets.
#include <algorithm>
#include <deque>
#include <set>

#include "shared_ir/collective.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/arithmetic/boxes.h"
#include "static_check/checker/arithmetic/extrema.h"
#include "static_check/checker/collectives/member_shapes.h"
#include "static_check/checker/joint.h"

namespace assay::checker {
namespace {

class CollectiveCheck {
 public:
  CollectiveCheck(Joint& joint, Rank only) : joint_(joint), only_(only) {}

  // Lets the programs run to the end, from meeting to meeting.
  void run() {
    for (Rank rank : ranks()) begin(rank);
    while (true) {
      bool moved = false, finished = true;
      for (auto& [rank, run] : runs_) {
        while (issue(run)) moved = true;
        moved = complete(rank, run) || moved;
        finished = finished && run.next == run.calls.size() && run.pending.empty();
      }
      if (finished) break;
      if (!moved) report_deadlock();
    }
  }

 private:
  // A collective, and the operator before which its program waits for it.
  struct Call {
    OpRef ref;
    CoreId awaited_before;
  };

  // One program on its way from call to call.
  struct Run {
    std::vector<Call> calls;
    size_t next = 0;
    std::map<GroupStream, std::deque<Call>> pending;  // begun and not done, by group
  };

  void begin(Rank rank) {
    const CoreProgram& program = joint_.program(rank);
    std::map<CoreId, size_t> call_of;
    std::vector<Call>& calls = runs_[rank].calls;
    for (size_t id = 0; id < program.ops.size(); ++id) {
      // A result that is read is waited for.
      for (const CoreId operand : program.ops[id].operands)
        if (const auto read = call_of.find(operand); read != call_of.end())
          calls[read->second].awaited_before =
              std::min(calls[read->second].awaited_before, static_cast<CoreId>(id));
      if (program.ops[id].prim != Prim::kCollective) continue;
      const auto op = static_cast<CoreId>(id);
      call_of[op] = calls.size();
      calls.push_back({{rank, op}, awaited_before(program, op)});
    }
  }

  // Goes on to the next call, unless something holds the program up.
  bool issue(Run& run) {
    if (run.next == run.calls.size()) return false;
    const Call& call = run.calls[run.next];
    for (const auto& [stream, calls] : run.pending)
      for (const Call& earlier : calls)
        if (earlier.awaited_before <= call.ref.op) return false;
    run.pending[stream_of(collective_of(joint_, call.ref))].push_back(call);
    ++run.next;
    return true;
  }

  // Completes the collectives that all members have begun.
  bool complete(Rank rank, Run& run) {
    bool moved = false;
    std::vector<GroupStream> streams;
    for (const auto& [stream, calls] : run.pending) streams.push_back(stream);
    for (const GroupStream& stream : streams) {
      const auto meeting = ready(stream, runs_.at(rank).pending.at(stream).front().ref);
      if (!meeting) continue;
      check(*meeting);
      for (const OpRef& member : meeting->members) {
        auto& pending = runs_.at(member.rank).pending;
        std::deque<Call>& calls = pending.at(stream);
        calls.pop_front();
        if (calls.empty()) pending.erase(stream);
      }
      moved = true;
    }
    return moved;
  }

  std::vector<Rank> ranks() const {
    if (only_ == kNone) return {kNone};
    std::vector<Rank> all;
    for (size_t rank = 0; rank < joint_.ranks.size(); ++rank)
      all.push_back(static_cast<Rank>(rank));
    return all;
  }

  // All members of the group have begun it; a group of one is always ready.
  std::optional<Meeting> ready(const GroupStream& stream, const OpRef& first) const {
    const Collective& collective = collective_of(joint_, first);
    Meeting meeting{&collective, {}};
    if (only_ == kNone) {
      if (collective.ranks.size() != 1)
        throw Rejection{describe(joint_, first) + ": a sequential program has no peers"};
      meeting.members = {first};
      return meeting;
    }
    const std::set<Rank> members(collective.ranks.begin(), collective.ranks.end());
    if (members.size() != collective.ranks.size() || !members.contains(first.rank))
      throw Rejection{describe(joint_, first) + ": its group does not contain it once"};
    if (is_point_to_point(collective.kind) &&
        (!members.contains(collective.source) || !members.contains(collective.destination) ||
         collective.source == collective.destination))
      throw Rejection{describe(joint_, first) + ": no message between two members of its group"};
    for (const Rank rank : members_of(collective)) {
      const auto run = runs_.find(rank);
      if (run == runs_.end())
        throw Rejection{describe(joint_, first) + ": a member that does not run"};
      const auto calls = run->second.pending.find(stream);
      if (calls == run->second.pending.end()) return std::nullopt;
      const OpRef& next = calls->second.front().ref;
      if (collective_of(joint_, next).ranks != collective.ranks) return std::nullopt;
      meeting.members.push_back(next);
    }
    return meeting;
  }

  [[noreturn]] void report_deadlock() const {
    std::string text = "collectives that wait for each other for ever:";
    for (const auto& [rank, run] : runs_) {
      for (const auto& [stream, calls] : run.pending)
        text += " " + describe(joint_, calls.front().ref) + ";";
      if (run.next < run.calls.size())
        text += " before " + describe(joint_, run.calls[run.next].ref) + ";";
    }
    throw Rejection{text};
  }

  void check_message(const OpRef& sender, const OpRef& receiver) {
    const Collective &sends = collective_of(joint_, sender),
                     &receives = collective_of(joint_, receiver);
    const CoreOp &sent = operand_of(joint_, sender), &received = operand_of(joint_, receiver);
    if (sends.kind != Collective::Kind::kSend || receives.kind != Collective::Kind::kReceive ||
        sender.rank != sends.source || receiver.rank != receives.destination ||
        sends.tag != receives.tag || sent.shape != received.shape || sent.dtype != received.dtype)
      throw Rejection{describe(joint_, receiver) + " receives another message, " +
                      describe(joint_, sender)};
    check_members({&sends, {sender}}, 0);
    check_members({&receives, {sender, receiver}}, 1);
  }

  void check(const Meeting& meeting) {
    const Collective& collective = *meeting.collective;
    if (is_point_to_point(collective.kind))
      return check_message(meeting.members.at(0), meeting.members.at(1));
    const CoreOp& first = operand_of(joint_, meeting.members[0]);
    for (const OpRef& member : meeting.members) {
      const Collective& theirs = collective_of(joint_, member);
      const CoreOp& operand = operand_of(joint_, member);
      const bool own_rows = collective.kind == Collective::Kind::kAllToAll ||
                            collective.kind == Collective::Kind::kScatter;
      Shape rows = operand.shape, first_rows = first.shape;
      if (own_rows && !rows.empty() && !first_rows.empty()) rows[0] = first_rows[0] = 0;
      if (theirs.kind != collective.kind || theirs.reduce != collective.reduce ||
          theirs.source != collective.source || operand.dtype != first.dtype || rows != first_rows)
        throw Rejection{describe(joint_, member) + " meets another collective, " +
                        describe(joint_, meeting.members[0])};
    }
    check_members(meeting, 0);
  }

  // The claims of the members from number `first` on.
  void check_members(const Meeting& meeting, size_t first) {
    for (size_t i = first; i < meeting.members.size(); ++i) {
      const OpRef& ref = meeting.members[i];
      try {
        check_member_shape(joint_, meeting, i);
        try {
          if (!makes_evaluated_claim(joint_, ref)) check_member(meeting, i);
        } catch (const Rejection&) {
          if (!claims_unknown(joint_, ref)) throw;
        }
      } catch (const Rejection& rejection) {
        throw Rejection{describe(joint_, ref) + ": " + rejection.reason};
      }
    }
  }

  Sum operand(const Meeting& meeting, size_t member, const Region& region,
              const std::vector<Affine>& coords) {
    return as_sum(element_at(region, joint_.step(meeting.members[member]).operand(0), coords));
  }

  // The element of one member's result that is a copy of one member's operand.
  Sum copied(const Meeting& meeting, size_t to, const Region& region, std::vector<Affine> coords) {
    const Collective& collective = *meeting.collective;
    switch (collective.kind) {
      case Collective::Kind::kBroadcast:
        return operand(meeting, source_of(meeting), region, coords);
      case Collective::Kind::kScatter:
        coords[0] =
            shifted(coords[0], static_cast<Int>(to) * op_of(joint_, meeting.members[to]).shape[0]);
        return operand(meeting, source_of(meeting), region, coords);
      case Collective::Kind::kBarrier:
        return operand(meeting, to, region, coords);
      case Collective::Kind::kSend:
      case Collective::Kind::kReceive:
        return operand(meeting, 0, region, coords);
      default:
        return from_pieces(meeting, to, region, std::move(coords));
    }
  }

  // The same where the result is put together of rows of several members.
  Sum from_pieces(const Meeting& meeting, size_t to, const Region& region,
                  std::vector<Affine> coords) {
    const bool gather = meeting.collective->kind != Collective::Kind::kAllToAll;
    std::vector<Int> starts{0};
    std::vector<size_t> pieces;
    for (size_t from = 0; from < meeting.members.size(); ++from) {
      const Int rows = gather ? operand_of(joint_, meeting.members[from]).shape[0]
                              : collective_of(joint_, meeting.members[to]).receive_splits[from];
      if (rows == 0) continue;
      starts.push_back(starts.back() + rows);
      pieces.push_back(from);
    }
    const size_t piece = locate(region, coords[0], starts);
    coords[0] = shifted(coords[0], -starts[piece]);
    if (!gather) {
      const std::vector<Int>& sent =
          collective_of(joint_, meeting.members[pieces[piece]]).send_splits;
      for (size_t i = 0; i < to; ++i) coords[0].base += sent[i];
    }
    return operand(meeting, pieces[piece], region, coords);
  }

  void check_member(const Meeting& meeting, size_t i) {
    const Step step = joint_.step(meeting.members[i]);
    const Collective& collective = *meeting.collective;
    if (!is_reduction(collective.kind))
      return check_everywhere(step, [&](const Region& region, const std::vector<Affine>& coords) {
        return copied(meeting, i, region, coords);
      });
    for_each_region(region_of(step.op().shape), 0, [&](const Region& region) {
      std::vector<Affine> coords = region.coords;
      if (collective.kind == Collective::Kind::kReduceScatter)
        coords[0] = shifted(coords[0], static_cast<Int>(i) * step.op().shape[0]);
      check_reduced(meeting, step, region, coords);
      ++step.probes;
    });
  }

  void check_reduced(const Meeting& meeting, const Step& step, const Region& region,
                     const std::vector<Affine>& coords) {
    const Sum claimed = as_sum(element_at(region, step.claim(), region.coords));
    const auto members = static_cast<Int>(meeting.members.size());
    const Collective::Reduce reduce = meeting.collective->reduce;
    const bool extremum = reduce == Collective::Reduce::kMax || reduce == Collective::Reduce::kMin;
    std::vector<Sum> parts;
    for (size_t member = 0; member < meeting.members.size(); ++member)
      parts.push_back(operand(meeting, member, region, coords));
    if (reduce == Collective::Reduce::kProduct)  // what is 0 first: nothing is left to multiply
      std::stable_partition(parts.begin(), parts.end(),
                            [](const Sum& part) { return part.empty(); });
    // The extremum of one number is that number.
    if (extremum && std::all_of(parts.begin(), parts.end(), [&](const Sum& part) {
          return equal(joint_.facts, region, part, parts.front());
        }))
      parts.resize(1);
    const bool replicas = extremum && parts.size() == 1;
    const auto kind =
        reduce == Collective::Reduce::kMax ? Instance::Kind::kMax : Instance::Kind::kMin;
    Sum follows;
    for (const Sum& part : parts) {
      if (reduce == Collective::Reduce::kProduct && &part != &parts.front()) {
        follows = with_parts_united(multiply(joint_.facts, region, follows, part, claimed));
        continue;
      }
      follows.insert(follows.end(), part.begin(), part.end());
      if (extremum && !replicas && !is_extremum_part(joint_.facts, kind, part))
        throw Rejection{"an extremum of sums, or of extrema of another kind"};
    }
    check_infinities(joint_.facts, follows);
    if (reduce == Collective::Reduce::kAvg)
      for (Product& product : follows) product.coef = product.coef * Rational(1, members);
    const bool same = extremum && !replicas
                          ? equal_unions(joint_.facts, region, claimed, follows) ||
                                is_extremum_of(joint_.facts, region, kind, claimed, parts)
                          : equal_in_elements(joint_.facts, region, claimed, follows);
    if (!same) reject_difference(region.coords, claimed, follows);
  }

  Joint& joint_;
  Rank only_;
  std::map<Rank, Run> runs_;
};

}  // namespace

void check_collectives(Joint& joint) {
  CollectiveCheck(joint, kNone).run();
  if (!joint.ranks.empty()) CollectiveCheck(joint, 0).run();
}

}  // namespace assay::checker
