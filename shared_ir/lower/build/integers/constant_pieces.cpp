// Functions of integers and a tensor of constants (x >> [0, 4, 8, ...]): piece by piece, each with
// its constant.
#include <utility>

#include "shared_ir/lower/build/builder.h"

namespace assay::lowering {
namespace {

// Where dimension `dim` of a shape is in another one of the same elements; nullopt where none is
// it.
std::optional<size_t> same_dimension(const Shape& from, size_t dim, const Shape& to) {
  const auto before = [](const Shape& shape, size_t end) {
    Int count = 1;
    for (size_t i = 0; i < end; ++i) count *= shape[i];
    return count;
  };
  for (size_t i = 0; i < to.size(); ++i)
    if (to[i] == from[dim] && before(to, i) == before(from, dim)) return i;
  return std::nullopt;
}

}  // namespace

std::optional<Builder::ConstantPieces> Builder::constant_pieces(CoreId id) const {
  constexpr size_t kMostPieces = 64;
  const CoreOp& made = op(id);
  if (made.prim == Prim::kCat) {
    if (made.operands.size() > kMostPieces) return std::nullopt;
    for (const CoreId piece : made.operands)
      if (!constant_integer(piece)) return std::nullopt;
    ConstantPieces pieces{static_cast<size_t>(made.ints[0]), made.operands, {}};
    for (const CoreId piece : made.operands) pieces.sizes.push_back(shape(piece)[pieces.dim]);
    return pieces;
  }
  if (made.prim != Prim::kReshape && made.prim != Prim::kExpand && made.prim != Prim::kPermute)
    return std::nullopt;
  auto pieces = constant_pieces(made.operands[0]);
  if (!pieces) return std::nullopt;
  const Shape& from = shape(made.operands[0]);
  if (made.prim == Prim::kExpand)
    return from[pieces->dim] == made.shape[pieces->dim] ? pieces : std::nullopt;
  if (made.prim == Prim::kReshape) {
    const auto dim = same_dimension(from, pieces->dim, made.shape);
    if (!dim) return std::nullopt;
    pieces->dim = *dim;
    return pieces;
  }
  for (size_t i = 0; i < made.ints.size(); ++i)
    if (made.ints[i] == static_cast<Int>(pieces->dim)) {
      pieces->dim = i;
      return pieces;
    }
  return std::nullopt;
}

// kNone where the second operand is no such tensor.
CoreId Builder::map_of_pieces(const std::string& fn, CoreId x, CoreId constants) {
  const auto pieces = constant_pieces(constants);
  if (!pieces) return kNone;
  std::vector<CoreId> results;
  Int start = 0;
  const Int dim = static_cast<Int>(pieces->dim);
  for (size_t i = 0; i < pieces->constants.size(); ++i) {
    const Int size = pieces->sizes[i];
    const CoreId part = slice(x, dim, start, 1, size);
    const CoreId value = same_constant(pieces->constants[i], dtype(constants), Shape(shape(part)));
    results.push_back(map(fn, {part, value}, dtype(x), 0));
    start += size;
  }
  const CoreId result = cat(results, dim);
  pieces_.insert(result);
  return result;
}

// Of what was made so: (x >> [0, 4, 8, ...]) & 15.
CoreId Builder::map_piece_by_piece(const std::string& fn, CoreId x, const Int& by) {
  if (op(x).prim != Prim::kCat || !pieces_.contains(x)) return kNone;
  const std::vector<CoreId> pieces = op(x).operands;
  const Int dim = op(x).ints[0];
  std::vector<CoreId> results;
  for (const CoreId piece : pieces) {
    const CoreId value = constant(Rational(by), dtype(x), Shape(shape(piece)));
    results.push_back(map(fn, {piece, value}, dtype(x), 0));
  }
  const CoreId result = cat(results, dim);
  pieces_.insert(result);
  return result;
}

}  // namespace assay::lowering
