#include "shared_ir/memory/moved_views.h"

#include <algorithm>

#include "shared_ir/symbolic/integer.h"

namespace assay::memory {
namespace {

using lowering::Builder;

constexpr size_t kMostPieces = 1024;

CoreId apply(Builder& builder, CoreId x, const Movement& movement) {
  const std::vector<Int>& ints = movement.ints;
  switch (movement.prim) {
    case Prim::kPermute:
      return builder.permute(x, ints);
    case Prim::kReshape:
      return builder.reshape(x, movement.to);
    case Prim::kExpand:
      return builder.expand(x, movement.to);
    default:
      return builder.slice(x, ints[0], ints[1], ints[2], movement.to[ints[0]]);
  }
}

// x with `part` in place of every step-th row from `start` on.
std::optional<CoreId> put_rows(Builder& builder, CoreId x, CoreId part, const Movement& slice) {
  const Int dim = slice.ints[0], start = slice.ints[1], size = slice.from[dim];
  const Int count = slice.to[dim], step = count > 1 ? slice.ints[2] : Int{1};
  std::vector<CoreId> pieces;
  const auto keep = [&](Int from, Int to) {
    if (from < to) pieces.push_back(builder.slice(x, dim, from, 1, to - from));
  };
  keep(0, count == 0 ? size : start);
  if (count == 0) return pieces.empty() ? x : pieces[0];
  if (step == 1) {
    pieces.push_back(part);
    keep(start + count, size);
  } else {
    for (Int i = 0; i < count; ++i) {
      if (pieces.size() > kMostPieces) return std::nullopt;
      const Int row = start + i * step;
      pieces.push_back(builder.slice(part, dim, i, 1, 1));
      keep(row + 1, i + 1 < count ? row + step : size);
    }
  }
  return builder.cat(pieces, dim);
}

std::optional<CoreId> undo_one(Builder& builder, CoreId base, const Movement& movement,
                               CoreId written) {
  switch (movement.prim) {
    case Prim::kPermute: {
      std::vector<Int> inverse(movement.ints.size());
      for (size_t i = 0; i < inverse.size(); ++i) inverse[movement.ints[i]] = static_cast<Int>(i);
      return builder.permute(written, inverse);
    }
    case Prim::kReshape:
      return builder.reshape(written, movement.from);
    case Prim::kSlice:
      return put_rows(builder, base, written, movement);
    default:
      return std::nullopt;
  }
}

}  // namespace

CoreId moved_from(const Builder& builder, CoreId value) {
  while (is_movement(builder.op(value).prim)) value = builder.op(value).operands[0];
  return value;
}

bool repeats(const Movements& movements) {
  return std::any_of(movements.begin(), movements.end(), [](const Movement& movement) {
    return movement.prim == Prim::kExpand && movement.from != movement.to;
  });
}

std::optional<Movements> movements_between(const Builder& builder, CoreId from, CoreId to) {
  Movements result;
  for (CoreId at = to; at != from; at = builder.op(at).operands[0]) {
    const CoreOp& op = builder.op(at);
    if (!is_movement(op.prim)) return std::nullopt;
    result.push_back({op.prim, op.ints, builder.shape(op.operands[0]), op.shape});
  }
  std::reverse(result.begin(), result.end());
  return result;
}

CoreId replay(Builder& builder, CoreId base, const Movements& movements) {
  for (const Movement& movement : movements) base = apply(builder, base, movement);
  return base;
}

std::optional<CoreId> undo(Builder& builder, CoreId base, const Movements& movements,
                           CoreId written) {
  std::vector<CoreId> bases = {base};
  for (size_t i = 0; i + 1 < movements.size(); ++i)
    bases.push_back(apply(builder, bases.back(), movements[i]));
  for (size_t i = movements.size(); i-- > 0;) {
    const std::optional<CoreId> below = undo_one(builder, bases[i], movements[i], written);
    if (!below) return std::nullopt;
    written = *below;
  }
  return written;
}

}  // namespace assay::memory
