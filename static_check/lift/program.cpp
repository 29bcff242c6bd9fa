#include "static_check/lift/program.h"

#include <algorithm>

#include "shared_ir/error.h"
#include "static_check/algebra/layout.h"
#include "static_check/lift/interpret.h"

namespace assay {

namespace {

// True when both describe the same meeting: members, kind, reduction, source.
bool same_meeting(const Collective& a, const Collective& b) {
  return a.kind == b.kind && a.reduce == b.reduce && a.ranks == b.ranks && a.source == b.source;
}

class Joint {
 public:
  Joint(Lifting& lifting, const Case& refinement, const std::vector<CoreProgram>& programs,
        const InputValues& inputs)
      : lifting_(lifting), programs_(programs), at_(programs.size(), 0) {
    for (size_t r = 0; r < programs.size(); ++r) {
      interpreters_.emplace_back(lifting, refinement.ranks[r], programs[r], inputs.ranks[r]);
    }
  }

  LiftedRanks run() {
    LiftedRanks result;
    while (true) {
      for (size_t r = 0; r < programs_.size(); ++r) advance(r);
      if (std::all_of(at_.begin(), at_.end(),
                      [&, r = size_t{0}](CoreId at) mutable { return done(r++, at); }))
        break;
      if (!meet(result)) break;
    }
    for (Interpreter& interpreter : interpreters_) result.ranks.push_back(interpreter.take());
    return result;
  }

 private:
  bool done(size_t rank, CoreId at) const {
    return static_cast<size_t>(at) == programs_[rank].ops.size();
  }

  const CoreOp* waiting(size_t rank) const {
    return done(rank, at_[rank]) ? nullptr : &programs_[rank].ops[static_cast<size_t>(at_[rank])];
  }

  const Collective& collective(size_t rank) const {
    return programs_[rank].collectives[static_cast<size_t>(waiting(rank)->collective)];
  }

  void advance(size_t rank) {
    while (const CoreOp* op = waiting(rank)) {
      if (op->prim == Prim::kCollective) return;
      interpreters_[rank].evaluate(at_[rank]++);
    }
  }

  // Completes every collective whose members have all arrived; false when nothing moved.
  bool meet(LiftedRanks& result) {
    bool moved = false;
    for (size_t r = 0; r < programs_.size(); ++r) {
      if (waiting(r) == nullptr) continue;
      const Collective meeting = collective(r);
      bool ready = true;
      for (Rank member : meeting.ranks) {
        const auto m = static_cast<size_t>(member);
        if (m >= programs_.size() || waiting(m) == nullptr) {
          ready = false;
          break;
        }
        if (collective(m).ranks != meeting.ranks) {
          ready = false;
          continue;
        }
        if (!agrees(r, m, result)) return false;
      }
      if (!ready) continue;
      if (!every_pair_agrees(meeting, result)) return false;
      complete(meeting);
      for (Rank member : meeting.ranks) advance(static_cast<size_t>(member));
      moved = true;
    }
    if (!moved) stuck(result);
    return moved;
  }

  // What one member sends to another concerns the two alone.
  bool every_pair_agrees(const Collective& meeting, LiftedRanks& result) {
    if (meeting.kind != Collective::Kind::kAllToAll) return true;
    for (const Rank from : meeting.ranks) {
      for (const Rank to : meeting.ranks) {
        if (!agrees(static_cast<size_t>(from), static_cast<size_t>(to), result)) return false;
      }
    }
    return true;
  }

  bool agrees(size_t r, size_t m, LiftedRanks& result) {
    const Shape& a = operand_shape(r);
    const Shape& b = operand_shape(m);
    std::string reason;
    if (!same_meeting(collective(r), collective(m))) {
      reason = "different collectives meet in group " + collective(r).group;
    } else if (collective(r).kind == Collective::Kind::kAllToAll ? !fit_rows(r, m) : a != b) {
      reason = "tensors of different shapes meet in group " + collective(r).group;
    } else if (waiting(r)->dtype != waiting(m)->dtype) {
      reason = "tensors of different dtypes meet in group " + collective(r).group;
    } else {
      return true;
    }
    result.mismatch = {static_cast<Rank>(r), static_cast<Rank>(m), at_[r], at_[m], reason};
    return false;
  }

  // All-to-all: rank m expects the rows that rank r sends it, each of them as long as its own.
  bool fit_rows(size_t r, size_t m) const {
    const auto& ranks = collective(r).ranks;
    const auto position = [&](size_t rank) {
      return static_cast<size_t>(std::find(ranks.begin(), ranks.end(), static_cast<Rank>(rank)) -
                                 ranks.begin());
    };
    const Shape& a = operand_shape(r);
    const Shape& b = operand_shape(m);
    return std::equal(a.begin() + 1, a.end(), b.begin() + 1, b.end()) &&
           collective(r).send_splits[position(m)] == collective(m).receive_splits[position(r)];
  }

  void stuck(LiftedRanks& result) {
    for (size_t r = 0; r < programs_.size(); ++r) {
      if (waiting(r) == nullptr) continue;
      for (Rank member : collective(r).ranks) {
        const auto m = static_cast<size_t>(member);
        if (m < programs_.size() && waiting(m) != nullptr &&
            collective(m).ranks == collective(r).ranks)
          continue;
        const bool finished = m >= programs_.size() || waiting(m) == nullptr;
        result.mismatch = {static_cast<Rank>(r), member, at_[r], finished ? kNone : at_[m],
                           finished
                               ? "rank " + std::to_string(member) + " never joins this collective"
                               : "the ranks wait for each other in different groups"};
        return;
      }
    }
    throw InternalError("ranks are stuck without a reason");
  }

  const Shape& operand_shape(size_t rank) const {
    return programs_[rank].ops[static_cast<size_t>(waiting(rank)->operands.at(0))].shape;
  }

  void complete(const Collective& meeting) {
    std::vector<const Collective*> collectives;
    std::vector<Value> values;
    for (Rank member : meeting.ranks) {
      const auto m = static_cast<size_t>(member);
      collectives.push_back(&collective(m));
      values.push_back(interpreters_[m].value(waiting(m)->operands.at(0)));
    }
    for (size_t i = 0; i < meeting.ranks.size(); ++i) {
      const auto m = static_cast<size_t>(meeting.ranks[i]);
      interpreters_[m].evaluate_collective(at_[m], collectives, i, values);
      ++at_[m];
    }
  }

  Lifting& lifting_;
  const std::vector<CoreProgram>& programs_;
  std::vector<Interpreter> interpreters_;
  std::vector<CoreId> at_;
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
      const Value operand = interpreter.value(op.operands.at(0));
      interpreter.evaluate_collective(static_cast<CoreId>(i),
                                      {{&program.collectives[static_cast<size_t>(op.collective)]}},
                                      0, {operand});
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
