#include "gtest_plugin/relations/flat_buffer_relation.h"

#include <algorithm>

namespace assay {
namespace {

using Word = Placement::Word;

bool names_axis(const Placement& placement, const std::string& axis) {
  return std::any_of(placement.words().begin(), placement.words().end(),
                     [&](const Word& word) { return word.axis == axis; });
}

int64_t elements_on(const PlacedTensor& member, const Mesh& mesh, Rank rank) {
  const Shape shape = local_shape(member, mesh, rank);
  return holds(member.placement, mesh, rank) ? element_count(shape) : 0;
}

// The buffer before it is placed, as the ranks know it that hold it together with `rank`.
PlacedTensor whole_buffer(const FlatBuffer& buffer, const Mesh& mesh, Rank rank) {
  for (const PlacedTensor& member : buffer.members) {
    for (const Word& word : buffer.placement.words()) {
      if (!names_axis(member.placement, word.axis)) continue;
      throw UserError(buffer.place,
                      "flat buffer " + buffer.name + " and its member " + member.name +
                          " are both placed on axis \"" + word.axis + "\"",
                      "place the member on the other axes alone");
    }
  }
  int64_t size = 0;
  for (const PlacedTensor& member : buffer.members) size += elements_on(member, mesh, rank);
  PlacedTensor whole{buffer.name, {size}, buffer.placement, buffer.place};
  local_shape(whole, mesh, rank);  // its checks
  int64_t pieces = 1;
  for (const Word& word : buffer.placement.words())
    if (word.kind == Word::Kind::kShard) pieces *= mesh.axis_size(word.axis);
  whole.shape[0] = (size + pieces - 1) / pieces * pieces;
  return whole;
}

// Elements `start` to `end` of `whole`, which has `size` of them, over the ranks that hold them
// alone.
CleanExpr elements_of(CleanExpr whole, int64_t size, int64_t start, int64_t end) {
  if (whole.kind == CleanExpr::Kind::kConcat && start < end) {
    const int64_t piece = size / static_cast<int64_t>(whole.operands.size());
    const int64_t first = start / piece, last = (end - 1) / piece;
    whole.operands = {whole.operands.begin() + first, whole.operands.begin() + last + 1};
    start -= first * piece;
    end -= first * piece;
    size = (last - first + 1) * piece;
    if (first == last) return elements_of(CleanExpr(whole.operands.front()), size, start, end);
  }
  if (start == 0 && end == size) return whole;
  CleanExpr elements;
  elements.kind = CleanExpr::Kind::kSlice;
  elements.start = start;
  elements.end = end;
  elements.operands = {std::move(whole)};
  return elements;
}

// What `rank` holds of the member.
CleanExpr piece_of(const FlatBuffer& buffer, size_t member, const Mesh& mesh, Rank rank) {
  int64_t start = 0;
  for (size_t i = 0; i < member; ++i) start += elements_on(buffer.members[i], mesh, rank);
  const Shape shape = local_shape(buffer.members[member], mesh, rank);
  const PlacedTensor whole = whole_buffer(buffer, mesh, rank);
  CleanExpr piece;
  piece.kind = CleanExpr::Kind::kReshape;
  piece.dims = shape;
  piece.operands = {elements_of(whole_of(whole, mesh, rank), whole.shape[0], start,
                                start + element_count(shape))};
  return piece;
}

void replace_leaves(CleanExpr& expr, const FlatBuffer& buffer, size_t member, const Mesh& mesh) {
  if (expr.kind == CleanExpr::Kind::kTensor) {
    expr = piece_of(buffer, member, mesh, expr.rank);
    return;
  }
  for (CleanExpr& operand : expr.operands) replace_leaves(operand, buffer, member, mesh);
}

}  // namespace

Shape local_shape(const FlatBuffer& buffer, const Mesh& mesh, Rank rank) {
  return local_shape(whole_buffer(buffer, mesh, rank), mesh, rank);
}

std::vector<CleanExpr> relation(const FlatBuffer& buffer, size_t member, const Mesh& mesh) {
  local_shape(buffer, mesh, 0);  // its checks
  std::vector<CleanExpr> replicas;
  for (CleanExpr replica : relation(buffer.members[member], mesh)) {
    replace_leaves(replica, buffer, member, mesh);
    // Ranks that hold different pieces of one buffer all hold the same member together.
    if (std::find(replicas.begin(), replicas.end(), replica) == replicas.end())
      replicas.push_back(std::move(replica));
  }
  return replicas;
}

}  // namespace assay
