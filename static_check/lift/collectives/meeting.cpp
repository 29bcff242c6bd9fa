#include "static_check/lift/collectives/meeting.h"

#include <algorithm>
#include <numeric>

#include "shared_ir/base/error.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/lift/arithmetic/parts.h"
#include "static_check/lift/operators.h"

namespace assay {

void Meeting::join(const Collective& what, const Value& operand) {
  members_.push_back({&what, &operand});
}

std::optional<Value> Meeting::result(Lifting& lifting, size_t member, const CoreOp& op) {
  const Collective& what = *members_[member].what;
  const auto piece_of = [&](const Value& all) {
    return slice(all, 0, static_cast<Int>(member) * op.shape[0], op.shape[0]);
  };
  const auto from_source = [&]() -> const Value& {
    const auto source = std::find(what.ranks.begin(), what.ranks.end(), what.source);
    return *members_[static_cast<size_t>(source - what.ranks.begin())].operand;
  };
  switch (what.kind) {
    case Collective::Kind::kAllReduce:
    case Collective::Kind::kReduce:
    case Collective::Kind::kAllGather:
    case Collective::Kind::kGather:
      return whole(lifting, op);
    case Collective::Kind::kReduceScatter: {
      const std::optional<Value>& all = whole(lifting, op);
      return all ? std::optional(piece_of(*all)) : std::nullopt;
    }
    case Collective::Kind::kBroadcast:
      return from_source();
    case Collective::Kind::kScatter:
      return piece_of(from_source());
    case Collective::Kind::kAllToAll:
      return received(member);
    case Collective::Kind::kBarrier:
    case Collective::Kind::kSend:
      return *members_[member].operand;
    case Collective::Kind::kReceive:
      return *members_[0].operand;
  }
  throw InternalError("a collective of no kind");
}

const std::optional<Value>& Meeting::whole(Lifting& lifting, const CoreOp& op) {
  if (made_) return whole_;
  const Collective& what = *members_[0].what;
  const bool gathers =
      what.kind == Collective::Kind::kAllGather || what.kind == Collective::Kind::kGather;
  whole_ = gathers ? concat(operands(), 0) : reduced(lifting, what, op.dtype);
  made_ = true;
  return whole_;
}

std::optional<Value> Meeting::reduced(Lifting& lifting, const Collective& what, DType dtype) const {
  switch (what.reduce) {
    case Collective::Reduce::kMax:
      return extremum(lifting, Instance::Kind::kMax, operands(), dtype);
    case Collective::Reduce::kMin:
      return extremum(lifting, Instance::Kind::kMin, operands(), dtype);
    case Collective::Reduce::kProduct: {
      Value product = *members_[0].operand;
      for (size_t i = 1; i < members_.size(); ++i) {
        refuse_infinite_product(lifting, product, *members_[i].operand);
        refuse_zero_times_unwritten(lifting, product, *members_[i].operand);
        product = multiply(lifting, product, *members_[i].operand, dtype);
      }
      return product;
    }
    case Collective::Reduce::kSum:
    case Collective::Reduce::kAvg:
      break;
  }
  std::vector<Value> values = operands();
  for (Value& value : values) as_terms(lifting, value, dtype);
  refuse_infinite_sum(lifting, values);
  refuse_unwritten_difference(lifting, values);
  Value sum = sum_of(lifting, std::move(values));
  join_known_sums(lifting, sum, dtype);
  if (what.reduce == Collective::Reduce::kAvg)
    sum = scale(std::move(sum), Rational(1, static_cast<Int>(members_.size())));
  merge_tiles(sum);
  name_sums(lifting, sum, dtype);
  return sum;
}

Value Meeting::received(size_t member) const {
  std::vector<Value> pieces;
  for (const auto& [what, operand] : members_) {
    const auto mine = what->send_splits.begin() + static_cast<ptrdiff_t>(member);
    if (*mine == 0) continue;
    pieces.push_back(
        slice(*operand, 0, std::accumulate(what->send_splits.begin(), mine, Int{0}), *mine));
  }
  return pieces.empty() ? slice(*members_[member].operand, 0, 0, 0) : concat(pieces, 0);
}

std::vector<Value> Meeting::operands() const {
  std::vector<Value> values;
  values.reserve(members_.size());
  for (const Member& member : members_) values.push_back(*member.operand);
  return values;
}

}  // namespace assay
