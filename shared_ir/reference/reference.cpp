#include "shared_ir/reference/reference.h"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "shared_ir/collective.h"
#include "shared_ir/reference/collective.h"
#include "shared_ir/reference/operation.h"

namespace assay {
namespace {

using namespace reference;

struct Message {
  int64_t tag;
  ReferenceTensor tensor;
};

// Ranks advance in turn, each up to the next collective whose members have not all arrived.
class JointRun {
 public:
  JointRun(const std::vector<CoreProgram>& programs, const ReferenceSources& sources)
      : programs_(programs), sources_(sources), values_(programs.size()) {}

  std::vector<std::vector<ReferenceTensor>> run() {
    bool progress = true;
    while (progress) {
      progress = false;
      for (Rank rank = 0; rank < ranks(); ++rank) progress = advance(rank) || progress;
    }
    for (Rank rank = 0; rank < ranks(); ++rank)
      if (waiting(rank)) fail_stuck(rank);
    return std::move(values_);
  }

 private:
  Rank ranks() const { return static_cast<Rank>(programs_.size()); }

  // The collective that the rank has come to; nullptr when it is elsewhere or done.
  const Collective* waiting(Rank rank) const {
    const CoreProgram& program = programs_[rank];
    size_t next = values_[rank].size();
    if (next == program.ops.size() || program.ops[next].prim != Prim::kCollective) return nullptr;
    return &program.collectives[program.ops[next].collective];
  }

  bool advance(Rank rank) {
    const CoreProgram& program = programs_[rank];
    std::vector<ReferenceTensor>& values = values_[rank];
    size_t before = values.size();
    values.reserve(program.ops.size());
    while (values.size() < program.ops.size()) {
      if (const Collective* what = waiting(rank)) {
        if (!(is_point_to_point(what->kind) ? transfer(rank, *what) : meet(*what))) break;
        continue;
      }
      const CoreOp& op = program.ops[values.size()];
      ReferenceTensor value = evaluate_one(rank, program, op);
      ASSAY_CHECK(value.shape == op.shape, "a value has the shape of its operator");
      values.push_back(std::move(value));
    }
    return values.size() > before;
  }

  ReferenceTensor evaluate_one(Rank rank, const CoreProgram& program, const CoreOp& op) {
    if (op.prim == Prim::kInput) return sources_.input(rank, op);
    if (op.prim == Prim::kRandom)
      return sources_.random ? sources_.random(rank, op) : default_sample(op);
    std::vector<const ReferenceTensor*> operands;
    for (CoreId operand : op.operands) operands.push_back(&values_[rank][operand]);
    return run_operation(program, op, operands);
  }

  // Sends, or receives what has been sent; false when the rank has to wait.
  bool transfer(Rank rank, const Collective& what) {
    std::deque<Message>& messages = messages_[{what.ranks, what.source, what.destination}];
    std::vector<ReferenceTensor>& values = values_[rank];
    const ReferenceTensor& own = values[programs_[rank].ops[values.size()].operands[0]];
    if (what.kind == Collective::Kind::kSend) {
      messages.push_back({what.tag, own});
      values.push_back(messages.back().tensor);
      return true;
    }
    if (messages.empty()) return false;
    Message message = std::move(messages.front());
    messages.pop_front();
    if (message.tag != what.tag || message.tensor.shape != own.shape)
      throw UserError({}, fmt::format("rank {} receives another message of rank {} than it expects",
                                      rank, what.source));
    values.push_back(std::move(message.tensor));
    return true;
  }

  // Runs the collective if every member has come to one of the same members.
  bool meet(const Collective& what) {
    std::vector<Member> members;
    for (Rank rank : what.ranks) {
      const Collective* other = rank < ranks() ? waiting(rank) : nullptr;
      if (!other || is_point_to_point(other->kind) ||
          !std::is_permutation(other->ranks.begin(), other->ranks.end(), what.ranks.begin(),
                               what.ranks.end()))
        return false;
      members.push_back(
          {other, &values_[rank][programs_[rank].ops[values_[rank].size()].operands[0]]});
    }
    if (std::string why = mismatch(members); !why.empty())
      throw UserError({}, fmt::format("collective of group '{}': {}", what.group, why));
    std::vector<ReferenceTensor> received = run_collective(members);
    for (size_t m = 0; m < members.size(); ++m)
      values_[what.ranks[m]].push_back(std::move(received[m]));
    return true;
  }

  [[noreturn]] void fail_stuck(Rank rank) const {
    const Collective& what = *waiting(rank);
    if (is_point_to_point(what.kind))
      throw UserError({}, fmt::format("rank {} waits in group '{}' for what rank {} never sends",
                                      rank, what.group, what.source));
    for (Rank member : what.ranks) {
      const Collective* other = member < ranks() ? waiting(member) : nullptr;
      if (other && other->ranks == what.ranks && !is_point_to_point(other->kind)) continue;
      throw UserError(
          {}, fmt::format(
                  "rank {} waits in a collective of group '{}' for rank {}, which {}", rank,
                  what.group, member,
                  other ? fmt::format("waits in group '{}'", other->group) : "does not call it"));
    }
    throw InternalError("a rank is stuck though all members have arrived");
  }

  const std::vector<CoreProgram>& programs_;
  const ReferenceSources& sources_;
  std::vector<std::vector<ReferenceTensor>> values_;
  // By group, sender and receiver: sent and not received yet.
  std::map<std::tuple<std::vector<Rank>, Rank, Rank>, std::deque<Message>> messages_;
};

}  // namespace

std::vector<std::vector<ReferenceTensor>> evaluate(const std::vector<CoreProgram>& programs,
                                                   const ReferenceSources& sources) {
  return JointRun(programs, sources).run();
}

}  // namespace assay
