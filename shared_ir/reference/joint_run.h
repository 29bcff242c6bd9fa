// All ranks' programs together, over whatever stands for numbers.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "shared_ir/base/error.h"
#include "shared_ir/collective.h"
#include "shared_ir/core.h"
#include "shared_ir/reference/collective.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::reference {

// Runs the ranks' programs together, over an algebra:
//
//   using Number = ...;
//   TensorOf<Number> value(Rank, const CoreProgram&, const CoreOp&,
//                          const std::vector<const TensorOf<Number>*>& operands);
//       // of what is no collective; sources have no operands
//   Number add(a, b), multiply(a, b), maximum(a, b, DType), minimum(a, b, DType), share(a, Int
//   parts);
//   bool is_wanted(Rank, CoreId);         // optional: whether the operator's value is asked for
//   const TensorOf<Number>* given(Rank, CoreId);  // with it: what its value is taken for, or
//                                                 // nullptr. All members of a collective that is
//                                                 // asked for run it, or none: then it is given
//
// Ranks advance in turn, each up to what another one has yet to send. Collectives are begun, and
// done when all members have begun them; a rank goes on until it waits for one.
template <class Algebra>
class JointRun {
 public:
  using Tensor = TensorOf<typename Algebra::Number>;

  // programs[r] runs as rank r. Both must outlive this.
  JointRun(const std::vector<CoreProgram>& programs, Algebra& algebra)
      : programs_(programs), algebra_(algebra), values_(programs.size()), begun_(programs.size()) {}

  // Values of all operators, by rank and CoreId. Throws UserError as evaluate() does.
  std::vector<std::vector<Tensor>> run() {
    bool progress = true;
    while (progress) {
      progress = false;
      for (Rank rank = 0; rank < ranks(); ++rank) {
        progress = advance(rank) || progress;
        progress = meet(rank) || progress;
      }
    }
    for (Rank rank = 0; rank < ranks(); ++rank)
      if (!ended(rank) || !begun_[rank].empty()) fail_stuck(rank);
    return std::move(values_);
  }

 private:
  Rank ranks() const { return static_cast<Rank>(programs_.size()); }

  bool ended(Rank rank) const { return values_[rank].size() == programs_[rank].ops.size(); }

  const Collective& collective(Rank rank, CoreId id) const {
    const CoreProgram& program = programs_[rank];
    return program.collectives[program.ops[id].collective];
  }

  // The collective that the rank waits for before it goes on.
  std::optional<CoreId> awaited(Rank rank) const {
    const CoreProgram& program = programs_[rank];
    const auto next = static_cast<CoreId>(values_[rank].size());
    for (const auto& [stream, calls] : begun_[rank]) {
      for (const CoreId id : calls) {
        if (awaited_before(program, id) <= next) return id;
        if (ended(rank)) continue;
        const std::vector<CoreId>& operands = program.ops[next].operands;
        if (std::find(operands.begin(), operands.end(), id) != operands.end()) return id;
      }
    }
    return std::nullopt;
  }

  bool advance(Rank rank) {
    const CoreProgram& program = programs_[rank];
    std::vector<Tensor>& values = values_[rank];
    size_t before = values.size();
    values.reserve(program.ops.size());
    while (!ended(rank) && !awaited(rank)) {
      const auto id = static_cast<CoreId>(values.size());
      const CoreOp& op = program.ops[id];
      const bool wanted = is_wanted(rank, id);
      const Tensor* known = wanted ? given(rank, id) : nullptr;
      if (!wanted) {
        values.push_back({op.shape, {}});
      } else if (op.prim == Prim::kCollective && known == nullptr) {
        begun_[rank][stream_of(collective(rank, id))].push_back(id);
        values.emplace_back();
      } else {
        Tensor value = known == nullptr ? evaluate_one(rank, program, op) : *known;
        ASSAY_CHECK(value.shape == op.shape, "a value has the shape of its operator");
        values.push_back(std::move(value));
      }
    }
    return values.size() > before;
  }

  bool is_wanted(Rank rank, CoreId id) {
    if constexpr (requires { algebra_.is_wanted(rank, id); }) return algebra_.is_wanted(rank, id);
    return true;
  }

  const Tensor* given(Rank rank, CoreId id) {
    if constexpr (requires { algebra_.given(rank, id); }) return algebra_.given(rank, id);
    return nullptr;
  }

  Tensor evaluate_one(Rank rank, const CoreProgram& program, const CoreOp& op) {
    std::vector<const Tensor*> operands;
    for (CoreId operand : op.operands) operands.push_back(&values_[rank][operand]);
    return algebra_.value(rank, program, op, operands);
  }

  // The oldest collective of the stream that the rank has begun.
  std::optional<CoreId> begun(Rank rank, const GroupStream& stream) const {
    if (rank >= ranks()) return std::nullopt;
    const auto found = begun_[rank].find(stream);
    if (found == begun_[rank].end()) return std::nullopt;
    return found->second.front();
  }

  // Runs the rank's collectives that every member has begun.
  bool meet(Rank rank) {
    std::vector<GroupStream> streams;
    for (const auto& [stream, calls] : begun_[rank]) streams.push_back(stream);
    bool any = false;
    for (const GroupStream& stream : streams)
      while (meet_one(rank, stream)) any = true;
    return any;
  }

  bool meet_one(Rank rank, const GroupStream& stream) {
    const auto first = begun(rank, stream);
    if (!first) return false;
    const Collective& what = collective(rank, *first);
    std::vector<Member<typename Algebra::Number>> members;
    std::vector<CoreId> calls;
    const std::vector<Rank> ranks = members_of(what);
    for (Rank member : ranks) {
      const auto call = begun(member, stream);
      if (!call) return false;
      calls.push_back(*call);
      const CoreOp& op = programs_[member].ops[*call];
      members.push_back({&collective(member, *call), &values_[member][op.operands[0]], op.dtype});
    }
    if (std::string why = mismatch(members); !why.empty())
      throw UserError({}, fmt::format("collective of group '{}': {}", what.group, why));
    std::vector<Tensor> received = run_collective(algebra_, members);
    for (size_t m = 0; m < members.size(); ++m) {
      const Rank member = ranks[m];
      values_[member][calls[m]] = std::move(received[m]);
      const auto queue = begun_[member].find(stream);
      queue->second.pop_front();
      if (queue->second.empty()) begun_[member].erase(queue);
    }
    return true;
  }

  [[noreturn]] void fail_stuck(Rank rank) const {
    const auto held = awaited(rank);
    const Collective& what = collective(rank, held ? *held : begun_[rank].begin()->second.front());
    for (Rank member : members_of(what)) {
      if (begun(member, stream_of(what))) continue;
      if (is_point_to_point(what.kind))
        throw UserError(
            {}, fmt::format("rank {} waits in group '{}' for what rank {} never {}", rank,
                            what.group, member, member == what.source ? "sends" : "receives"));
      const auto other = member < ranks() ? awaited(member) : std::nullopt;
      throw UserError(
          {},
          fmt::format("rank {} waits in a collective of group '{}' for rank {}, which {}", rank,
                      what.group, member,
                      other ? fmt::format("waits in group '{}'", collective(member, *other).group)
                            : "does not call it"));
    }
    throw InternalError("a rank is stuck though all members have arrived");
  }

  const std::vector<CoreProgram>& programs_;
  Algebra& algebra_;
  std::vector<std::vector<Tensor>> values_;
  std::vector<std::map<GroupStream, std::deque<CoreId>>> begun_;  // and not done, by rank
};

}  // namespace assay::reference
