#include "shared_ir/lower/build/bounds/joint_bounds.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "shared_ir/cast.h"
#include "shared_ir/collective.h"
#include "shared_ir/lower/build/bounds/integer_bounds.h"

namespace assay::lowering {
namespace {

bool wraps(const CoreProgram& program, const CoreOp& op) {
  return op.prim == Prim::kMap && op.operands.size() == 1 && op.fn == cast_function(op.dtype) &&
         program.ops[static_cast<size_t>(op.operands[0])].dtype == op.dtype;
}

// Of what the members of a collective send.
struct Sent {
  DType dtype;
  double low, high;
  bool known;

  bool operator==(const Sent&) const = default;

  void add(const Sent& other) {
    known = known && other.known && dtype == other.dtype;
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
};

// In each stream every member's first meets the others' first, the second the second.
using Meeting = std::pair<GroupStream, size_t>;

// Of one program, in their order.
class Calls {
 public:
  Meeting next(const Collective& what) {
    GroupStream stream = stream_of(what);
    const size_t count = count_[stream]++;
    return {std::move(stream), count};
  }

 private:
  std::map<GroupStream, size_t> count_;
};

class JointBounds {
 public:
  explicit JointBounds(const std::vector<CoreProgram>& ranks) : ranks_(ranks) {
    // What is known of one collective may bound what the next one is sent.
    constexpr int kMostRounds = 4;
    std::map<Meeting, Sent> sent;
    for (int round = 0; round < kMostRounds; ++round) {
      bounds_ = bounds_by(sent);
      std::map<Meeting, Sent> next = sent_by(bounds_);
      if (next == sent) break;
      sent = std::move(next);
    }
  }

  IntegerBounds& of(size_t rank) { return bounds_[rank]; }

 private:
  static const Collective& collective(const CoreProgram& program, const CoreOp& op) {
    return program.collectives[static_cast<size_t>(op.collective)];
  }

  std::map<Meeting, Sent> sent_by(std::vector<IntegerBounds>& bounds) const {
    std::map<Meeting, Sent> sent;
    for (size_t r = 0; r < ranks_.size(); ++r) {
      Calls calls;
      for (const CoreOp& op : ranks_[r].ops) {
        if (op.prim != Prim::kCollective) continue;
        const auto limits = bounds[r].limits(ranks_[r], op.operands[0]);
        const Sent own{op.dtype, limits ? limits->first : 0, limits ? limits->second : 0,
                       limits.has_value()};
        const auto [found, first] = sent.try_emplace(calls.next(collective(ranks_[r], op)), own);
        if (!first) found->second.add(own);
      }
    }
    return sent;
  }

  std::vector<IntegerBounds> bounds_by(const std::map<Meeting, Sent>& sent) const {
    std::vector<IntegerBounds> bounds(ranks_.size());
    for (size_t r = 0; r < ranks_.size(); ++r) {
      const CoreProgram& program = ranks_[r];
      Calls calls;
      for (size_t i = 0; i < program.ops.size(); ++i) {
        const CoreOp& op = program.ops[i];
        const auto limits = op.prim == Prim::kCollective
                                ? received(calls, collective(program, op), op.dtype, sent)
                            : wraps(program, op) ? bounds[r].limits(program, op.operands[0])
                                                 : std::nullopt;
        if (limits) bounds[r].state(program, static_cast<CoreId>(i), limits->first, limits->second);
      }
    }
    return bounds;
  }

  static std::optional<std::pair<double, double>> received(Calls& calls, const Collective& what,
                                                           DType dtype,
                                                           const std::map<Meeting, Sent>& sent) {
    const auto found = sent.find(calls.next(what));
    if (found == sent.end() || !found->second.known) return std::nullopt;
    const bool reduces = is_reduction(what.kind);
    if (reduces &&
        (what.reduce == Collective::Reduce::kAvg || what.reduce == Collective::Reduce::kProduct))
      return std::nullopt;
    const bool sums = reduces && what.reduce == Collective::Reduce::kSum;
    const double times = sums ? static_cast<double>(what.ranks.size()) : 1;
    const double low = times * found->second.low, high = times * found->second.high;
    constexpr double kExact = 0x1p53;
    const auto [least, greatest] = integer_range(dtype);
    if (low < std::max(static_cast<double>(PlainInt{least}), -kExact) ||
        high > std::min(static_cast<double>(PlainInt{greatest}), kExact))
      return std::nullopt;
    return std::pair{low, high};
  }

  const std::vector<CoreProgram>& ranks_;
  std::vector<IntegerBounds> bounds_;
};

bool has_integer_collectives(const CoreProgram& program) {
  return std::ranges::any_of(program.ops, [](const CoreOp& op) {
    return op.prim == Prim::kCollective && is_integer(op.dtype);
  });
}

}  // namespace

void leave_out_wrapping(std::vector<CoreProgram>& ranks) {
  if (std::ranges::none_of(ranks, has_integer_collectives)) return;
  JointBounds joint(ranks);
  std::vector<std::vector<CoreId>> needless(ranks.size());
  bool any = false;
  for (size_t r = 0; r < ranks.size(); ++r) {
    CoreProgram& program = ranks[r];
    IntegerBounds& bounds = joint.of(r);
    for (size_t i = 0; i < program.ops.size(); ++i)
      if (wraps(program, program.ops[i]) && bounds.fits(program, program.ops[i].operands[0]))
        needless[r].push_back(static_cast<CoreId>(i));
    any = any || !needless[r].empty();
    for (size_t tensor = 0; tensor < program.value_of.size(); ++tensor) {
      if (!program.may_wrap[tensor] || !bounds.fits(program, program.value_of[tensor])) continue;
      program.may_wrap[tensor] = false;
      any = true;
    }
  }
  if (!any) return;
  for (size_t r = 0; r < ranks.size(); ++r) {
    std::vector<std::string>& notes = ranks[r].notes;
    if (joint.of(r).takes_sizes_as_small() &&
        std::ranges::find(notes, kSmallSizesNote) == notes.end())
      notes.emplace_back(kSmallSizesNote);
    for (const CoreId id : needless[r]) {
      CoreOp& op = ranks[r].ops[static_cast<size_t>(id)];
      op.prim = Prim::kReshape;
      op.fn.clear();
      op.linear = 0;
    }
  }
}

}  // namespace assay::lowering
