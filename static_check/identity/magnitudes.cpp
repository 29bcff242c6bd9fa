#include "static_check/identity/magnitudes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "shared_ir/cast.h"
#include "shared_ir/collective.h"

namespace assay::identity {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

// Of those that meet: the greatest absolute value that one of them is sent.
struct SentTogether {
  DType dtype;
  double greatest;
};
// In each stream every member's first meets the others' first, the second the second.
using Meetings = std::map<std::pair<GroupStream, size_t>, SentTogether>;

// Bounds of the absolute values, rounded up by less than they are held apart from the range.
class Magnitudes {
 public:
  Magnitudes(const CoreProgram& program, const Meetings& meetings) : program_(program) {
    std::map<GroupStream, size_t> count;
    for (const CoreOp& op : program.ops) {
      double magnitude = is_integer(op.dtype) ? of(op) : kUnknown;
      if (op.prim == Prim::kCollective) {
        const GroupStream stream = stream_of(called(op));
        calls_.emplace_back(&op, std::pair{stream, count[stream]++});
        magnitude = received(op, meetings);
      }
      if (is_bool(op.dtype)) magnitude = 1;
      if (magnitude > limit(op.dtype)) magnitude = kUnknown;
      magnitudes_.push_back(magnitude);
    }
  }

  // Of members whose types differ nothing is known.
  void add_to(Meetings& meetings) const {
    for (const auto& [op, meeting] : calls_) {
      SentTogether& sent = meetings.try_emplace(meeting, SentTogether{op->dtype, 0}).first->second;
      sent.greatest = sent.dtype == op->dtype ? std::max(sent.greatest, operand(*op, 0)) : kUnknown;
    }
  }

  bool known(size_t op) const { return std::isfinite(magnitudes_[op]); }

 private:
  // Unsigned ones have no negatives.
  static double limit(DType dtype) {
    if (!is_integer(dtype)) return 1;
    const auto [least, greatest] = integer_range(dtype);
    return least == 0 ? -1 : static_cast<double>(greatest) / 2;
  }

  const Collective& called(const CoreOp& op) const {
    return program_.collectives[static_cast<size_t>(op.collective)];
  }

  double received(const CoreOp& op, const Meetings& meetings) const {
    const auto known = meetings.find(calls_.back().second);
    if (!is_integer(op.dtype) || known == meetings.end()) return kUnknown;
    const Collective& what = called(op);
    if (!is_reduction(what.kind)) return known->second.greatest;
    switch (what.reduce) {
      case Collective::Reduce::kSum:
        return known->second.greatest * static_cast<double>(what.ranks.size());
      case Collective::Reduce::kMax:
      case Collective::Reduce::kMin:
        return known->second.greatest;
      default:
        return kUnknown;
    }
  }

  double operand(const CoreOp& op, size_t i) const {
    return magnitudes_[static_cast<size_t>(op.operands[i])];
  }

  double greatest_operand(const CoreOp& op) const {
    double greatest = 0;
    for (size_t i = 0; i < op.operands.size(); ++i) greatest = std::max(greatest, operand(op, i));
    return greatest;
  }

  double of(const CoreOp& op) const {
    switch (op.prim) {
      case Prim::kConst:
        return op.fn.empty() ? std::abs(op.constant.to_double()) : kUnknown;
      case Prim::kIota:
        return static_cast<double>(element_count(op.shape));
      case Prim::kOneHot:
        return 1;
      case Prim::kPermute:
      case Prim::kReshape:
      case Prim::kExpand:
      case Prim::kSlice:
      case Prim::kCat:
      case Prim::kReduceMax:
      case Prim::kReduceMin:
        return greatest_operand(op);
      case Prim::kKeep:
        return operand(op, 1);
      case Prim::kCast: {
        const DType from = program_.ops[static_cast<size_t>(op.operands[0])].dtype;
        if (!is_integer(from) || !cast_keeps_values(from, op.dtype)) return operand(op, 0);
        const auto [least, greatest] = integer_range(from);
        return std::min(operand(op, 0),
                        std::max(static_cast<double>(greatest), -static_cast<double>(least)));
      }
      case Prim::kMul:
        return operand(op, 0) * operand(op, 1);
      case Prim::kLinear: {
        double sum = 0;
        for (size_t i = 0; i < op.operands.size(); ++i)
          sum += std::abs(op.coefs[i].to_double()) * operand(op, i);
        return sum;
      }
      case Prim::kReduceSum: {
        const auto results = static_cast<double>(std::max<int64_t>(element_count(op.shape), 1));
        const CoreOp& summed = program_.ops[static_cast<size_t>(op.operands[0])];
        return operand(op, 0) * static_cast<double>(element_count(summed.shape)) / results;
      }
      default:
        return kUnknown;
    }
  }

  const CoreProgram& program_;
  std::vector<double> magnitudes_;
  std::vector<std::pair<const CoreOp*, Meetings::key_type>> calls_;
};

}  // namespace

std::vector<std::vector<bool>> stay_in_range(const std::vector<CoreProgram>& programs) {
  // What is known of one collective may bound what the next one is sent.
  constexpr int kMostRounds = 4;
  Meetings meetings;
  std::vector<std::vector<bool>> result;
  for (int round = 0; round < kMostRounds; ++round) {
    Meetings next;
    std::vector<std::vector<bool>> stay;
    for (const CoreProgram& program : programs) {
      const Magnitudes magnitudes(program, meetings);
      magnitudes.add_to(next);
      std::vector<bool>& fits = stay.emplace_back(program.ops.size());
      for (size_t i = 0; i < fits.size(); ++i)
        fits[i] = is_integer(program.ops[i].dtype) && magnitudes.known(i);
      for (const CoreId id : program.unwrapped) fits[static_cast<size_t>(id)] = true;
    }
    if (stay == result) break;
    result = std::move(stay);
    meetings = std::move(next);
  }
  return result;
}

}  // namespace assay::identity
