#include "gtest_plugin/relations/placement_relation.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace assay {
namespace {

using Word = Placement::Word;

[[noreturn]] void fail(const PlacedTensor& tensor, const std::string& what,
                       const std::string& hint) {
  throw UserError(tensor.place,
                  tensor.name + " is placed " + to_string(tensor.placement) + ": " + what, hint);
}

// Checks one word and takes the piece of that coordinate out of its dimension of `shape` (what the
// words before it left).
void apply(const Word& word, int64_t ranks, int64_t coordinate, const PlacedTensor& tensor,
           Shape& shape) {
  if (word.kind == Word::Kind::kPartial) return;
  if (word.kind == Word::Kind::kOn) {
    if (word.coordinate >= 0 && word.coordinate < ranks) return;
    fail(tensor, "axis \"" + word.axis + "\" has no coordinate " + std::to_string(word.coordinate),
         "coordinates are 0 to " + std::to_string(ranks - 1));
  }
  if (word.dim < 0 || word.dim >= static_cast<int64_t>(shape.size())) {
    fail(tensor, "it has no dimension " + std::to_string(word.dim),
         "dimensions are 0 to " + std::to_string(static_cast<int64_t>(shape.size()) - 1));
  }
  int64_t& size = shape[static_cast<size_t>(word.dim)];
  const int64_t packed = std::accumulate(word.blocks.begin(), word.blocks.end(), int64_t{0});
  if (!word.blocks.empty() && packed != size) {
    fail(tensor,
         "its blocks have " + std::to_string(packed) + " elements, dimension " +
             std::to_string(word.dim) + " has " + std::to_string(size),
         "give the sizes of everything that is packed there");
  }
  const auto divides = [&](int64_t part) { return part >= 0 && part % ranks == 0; };
  if (!std::all_of(word.blocks.begin(), word.blocks.end(), divides)) {
    fail(tensor,
         "its blocks do not split evenly over " + std::to_string(ranks) + " ranks of " + word.axis,
         "choose block sizes that the axis divides");
  }
  const int64_t piece = (size + ranks - 1) / ranks;
  size = std::clamp<int64_t>(size - coordinate * piece, 0, piece);
}

CleanExpr combine(CleanExpr::Kind kind, int64_t dim, std::vector<CleanExpr> operands) {
  if (operands.size() == 1) return std::move(operands.front());
  CleanExpr expr;
  expr.kind = kind;
  expr.dim = dim;
  expr.operands = std::move(operands);
  return expr;
}

CleanExpr slice(CleanExpr operand, int64_t dim, int64_t start, int64_t end) {
  CleanExpr expr;
  expr.kind = CleanExpr::Kind::kSlice;
  expr.dim = dim;
  expr.start = start;
  expr.end = end;
  expr.operands.push_back(std::move(operand));
  return expr;
}

CleanExpr leaf(const std::string& name, Rank rank) {
  CleanExpr expr;
  expr.name = name;
  expr.rank = rank;
  return expr;
}

// What `word` makes of its pieces, which are in order of their coordinate.
CleanExpr join(const Word& word, std::vector<CleanExpr> pieces) {
  if (word.kind == Word::Kind::kPartial)
    return combine(CleanExpr::Kind::kSum, 0, std::move(pieces));
  if (word.blocks.size() <= 1 || pieces.size() == 1) {
    return combine(CleanExpr::Kind::kConcat, word.dim, std::move(pieces));
  }
  const auto ranks = static_cast<int64_t>(pieces.size());
  std::vector<CleanExpr> blocks;
  int64_t start = 0;
  for (int64_t size : word.blocks) {
    std::vector<CleanExpr> parts;
    for (const CleanExpr& piece : pieces)
      parts.push_back(slice(piece, word.dim, start, start + size / ranks));
    blocks.push_back(combine(CleanExpr::Kind::kConcat, word.dim, std::move(parts)));
    start += size / ranks;
  }
  return combine(CleanExpr::Kind::kConcat, word.dim, std::move(blocks));
}

// The tensor that is left when the first `depth` words have picked the ranks that differ from
// `rank` in later words.
CleanExpr expression(const PlacedTensor& tensor, const Mesh& mesh, size_t depth, Rank rank) {
  const auto& words = tensor.placement.words();
  if (depth == words.size()) return leaf(tensor.name, rank);
  const std::vector<Rank> members = mesh.group(rank, words[depth].axis);
  if (words[depth].kind == Word::Kind::kOn)
    return expression(tensor, mesh, depth + 1,
                      members[static_cast<size_t>(words[depth].coordinate)]);
  std::vector<CleanExpr> pieces;
  for (Rank member : members) {
    pieces.push_back(expression(tensor, mesh, depth + 1, member));
  }
  return join(words[depth], std::move(pieces));
}

}  // namespace

bool holds(const Placement& placement, const Mesh& mesh, Rank rank) {
  if (mesh.axes().empty()) return true;
  return std::all_of(placement.words().begin(), placement.words().end(), [&](const Word& word) {
    return word.kind != Word::Kind::kOn || mesh.coordinate(rank, word.axis) == word.coordinate;
  });
}

Shape local_shape(const PlacedTensor& tensor, const Mesh& mesh, Rank rank) {
  Shape shape = tensor.shape;
  std::set<std::string> seen;
  for (const Word& word : tensor.placement.words()) {
    const auto axis =
        std::find_if(mesh.axes().begin(), mesh.axes().end(),
                     [&](const Mesh::Axis& candidate) { return candidate.name == word.axis; });
    if (axis == mesh.axes().end()) {
      fail(tensor, "the mesh has no axis \"" + word.axis + "\"",
           "name an axis that distributed(...) gives");
    }
    if (!seen.insert(word.axis).second) {
      fail(tensor, "axis \"" + word.axis + "\" is named twice", "name each axis once");
    }
    apply(word, axis->size, mesh.coordinate(rank, word.axis), tensor, shape);
  }
  return shape;
}

CleanExpr whole_of(const PlacedTensor& tensor, const Mesh& mesh, Rank rank) {
  return expression(tensor, mesh, 0, rank);
}

std::vector<CleanExpr> relation(const PlacedTensor& tensor, const Mesh& mesh) {
  local_shape(tensor, mesh, 0);  // its checks
  const auto& words = tensor.placement.words();
  std::vector<CleanExpr> replicas;
  for (Rank rank = 0; rank < mesh.world_size(); ++rank) {
    // One replica per choice of coordinates on the axes that the placement does not name.
    const bool first_of_its_set = std::all_of(words.begin(), words.end(), [&](const Word& word) {
      return mesh.coordinate(rank, word.axis) == 0;
    });
    if (first_of_its_set) replicas.push_back(whole_of(tensor, mesh, rank));
  }
  return replicas;
}

Placement gradient_placement(const Placement& placement) {
  Placement gradient;
  for (const Word& word : placement.words()) {
    if (word.kind != Word::Kind::kPartial) gradient = {gradient, Placement(word)};
  }
  return gradient;
}

}  // namespace assay
