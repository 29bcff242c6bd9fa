#include "static_check/cover/cover.h"

#include <algorithm>

#include "shared_ir/base/error.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/layout.h"
#include "static_check/algebra/restriction.h"
#include "static_check/cover/evaluate.h"
#include "static_check/cover/pieces.h"
#include "static_check/lift/arithmetic/parts.h"

namespace assay {

namespace {

CleanExpr leaf_of(const Candidate& candidate) {
  CleanExpr leaf;
  leaf.name = candidate.name;
  leaf.rank = candidate.rank;
  return leaf;
}

// A part of a candidate's tile.
struct Block {
  TileBox box;
  Layout layout;
};

// Outer digits with more steps than this are left to reshapes.
constexpr Int kMostBlocks = 16;

// The tile in blocks of one digit a dimension, where few outer digits stand in the way: packed
// tensors then read as slices, as their authors think of them.
std::vector<Block> blocks_of(const Layout& layout, const TileBox& box) {
  std::vector<Block> blocks{{box, layout}};
  for (size_t d = 0; d < layout.dims.size(); ++d) {
    const auto& modes = layout.dims[d];
    if (modes.size() != 2 || modes[0].size > kMostBlocks) continue;
    std::vector<Block> split;
    for (const Block& block : blocks) {
      for (Int i = 0; i < modes[0].size; ++i) {
        Block part = block;
        part.box.start[d] += i * modes[1].size;
        part.box.size[d] = modes[1].size;
        slice(part.layout, static_cast<Int>(d), i * modes[1].size, modes[1].size);
        split.push_back(std::move(part));
      }
    }
    blocks = std::move(split);
  }
  return blocks;
}

// Where a tile steps to the next value of a dimension's outermost digit: the blocks of a packed
// tensor, each a slice of something else.
Grid outer_digit_cuts(const Value& value) {
  Grid positions(value.shape.size());
  for (size_t t = 0; t < value.tiles.size(); ++t) {
    const TileBox box = tile_box(value, t);
    for (const Term& term : value.tiles[t].terms) {
      for (size_t d = 0; d < positions.size(); ++d) {
        const auto& modes = term.layout.dims[d];
        if (modes.size() < 2 || modes[0].size > kMostBlocks) continue;
        const Int block = box.size[d] / modes[0].size;
        for (Int i = 1; i < modes[0].size; ++i) positions[d].push_back(box.start[d] + i * block);
      }
    }
  }
  return positions;
}

// Replicas of a grid of tiles, each with its own replicas.
std::vector<CleanExpr> concat_grid(const Value& target,
                                   const std::vector<std::vector<CleanExpr>>& tiles) {
  size_t most = 0;
  for (const auto& replicas : tiles) {
    if (replicas.empty()) return {};
    most = std::max(most, replicas.size());
  }
  std::vector<CleanExpr> result;
  for (size_t k = 0; k < most; ++k) {
    std::vector<CleanExpr> row;
    for (const auto& replicas : tiles) row.push_back(replicas[std::min(k, replicas.size() - 1)]);
    for (size_t d = target.cuts.size(); d-- > 0;) {
      const size_t cells = target.cuts[d].size() - 1;
      std::vector<CleanExpr> next;
      for (size_t i = 0; i < row.size(); i += cells) {
        next.push_back(make_concat({row.begin() + static_cast<ptrdiff_t>(i),
                                    row.begin() + static_cast<ptrdiff_t>(i + cells)},
                                   static_cast<Int>(d)));
      }
      row = std::move(next);
    }
    result.push_back(std::move(row[0]));
  }
  return result;
}

}  // namespace

CoverIndex::CoverIndex(Lifting& lifting, std::vector<Candidate> candidates)
    : lifting_(lifting), candidates_(std::move(candidates)) {
  for (size_t c = 0; c < candidates_.size(); ++c) {
    by_name_.emplace(std::pair(candidates_[c].name, candidates_[c].rank), c);
    const Value& value = *candidates_[c].value;
    for (size_t t = 0; t < value.tiles.size(); ++t) {
      const Tile& tile = value.tiles[t];
      if (!tile.integer.empty()) by_atom_[tile.integer[0].atom].push_back({c, t});
      AtomId last = kNone;
      for (const Term& term : tile.terms) {
        if (term.atom != last) by_atom_[term.atom].push_back({c, t});
        last = term.atom;
      }
      if (tile.terms.empty() && tile.integer.empty()) constant_.push_back({c, t});
    }
  }
}

const Value& CoverIndex::value(const std::string& name, Rank rank) const {
  const auto known = by_name_.find({name, rank});
  if (known == by_name_.end())
    throw NotLifted{name + "@" + std::to_string(rank) + " is never computed"};
  return *candidates_[known->second].value;
}

bool CoverIndex::fits(const Candidate& candidate, const Target& target) const {
  return !target.type || alike(candidate.type, *target.type);
}

std::vector<size_t> CoverIndex::preferred(const std::vector<Use>& uses,
                                          const Target& target) const {
  std::vector<size_t> order;
  for (size_t i = 0; i < uses.size(); ++i)
    if (fits(candidates_[uses[i].candidate], target)) order.push_back(i);
  const auto rest = std::stable_partition(order.begin(), order.end(), [&](size_t i) {
    const Candidate& candidate = candidates_[uses[i].candidate];
    return candidate.op == target.op &&
           (!target.type || candidate.type.dtype == target.type->dtype);
  });
  std::stable_partition(order.begin(), rest, [&](size_t i) {
    return candidates_[uses[i].candidate].name == target.name;
  });
  std::stable_partition(rest, order.end(), [&](size_t i) {
    return target.type && candidates_[uses[i].candidate].type.dtype == target.type->dtype;
  });
  return order;
}

std::vector<CleanExpr> CoverIndex::cover_term(const Term& wanted, const Shape& size,
                                              const Target& target) const {
  const auto uses = by_atom_.find(wanted.atom);
  if (uses == by_atom_.end()) return {};
  std::vector<Piece> in_dims, in_rows;
  std::vector<std::pair<Axes, std::vector<Piece>>> in_digits;
  const Shape elements{element_count(size)};
  const auto rows = size.size() > 1 ? reshape(wanted.layout, elements) : std::nullopt;
  for (size_t i : preferred(uses->second, target)) {
    const Use& use = uses->second[i];
    const Candidate& candidate = candidates_[use.candidate];
    const Tile& tile = candidate.value->tiles[use.tile];
    if (tile.terms.size() != 1) continue;
    const Term& term = tile.terms[0];
    if (term.coef != wanted.coef || !all_are(term.restrictions, Restriction::Kind::kBox)) continue;
    const CleanExpr leaf = leaf_of(candidate);
    const auto add = [&](Piece piece, std::vector<Piece>& pieces) {
      piece.restrictions = term.restrictions;
      piece.rank = candidate.rank;
      pieces.push_back(std::move(piece));
    };
    const TileBox box = tile_box(*candidate.value, use.tile);
    const auto place = [&](const Block& block) {
      auto piece = place_in_dims(wanted.layout, size, block.layout, block.box.start, block.box.size,
                                 leaf, candidate.value->shape);
      if (piece) add(std::move(*piece), in_dims);
      return piece.has_value();
    };
    if (place({box, term.layout})) continue;
    const std::vector<Block> blocks = blocks_of(term.layout, box);
    if (blocks.size() > 1 &&
        std::count_if(blocks.begin(), blocks.end(), place) == std::ssize(blocks))
      continue;
    // A shard of a flat buffer runs through the target's rows.
    if (rows && candidate.value->shape.size() == 1) {
      auto piece = place_in_dims(*rows, elements, term.layout, box.start, box.size, leaf,
                                 candidate.value->shape);
      if (piece) add(std::move(*piece), in_rows);
    }
    Axes axes;
    auto piece = place_in_digits(wanted.layout, size, term.layout, box.start, box.size, leaf,
                                 candidate.value->shape, axes);
    if (!piece) continue;
    auto group = std::find_if(in_digits.begin(), in_digits.end(),
                              [&](const auto& g) { return g.first == axes; });
    if (group == in_digits.end()) group = in_digits.insert(in_digits.end(), {axes, {}});
    add(std::move(*piece), group->second);
  }
  if (auto replicas = cover_boxes(lifting_, size, in_dims, wanted); !replicas.empty())
    return replicas;
  for (const auto& [axes, pieces] : in_digits) {
    auto replicas = cover_boxes(lifting_, axes.sizes, pieces, wanted);
    for (CleanExpr& replica : replicas)
      replica = make_reshape(std::move(replica), axes.sizes, size);
    if (!replicas.empty()) return replicas;
  }
  auto replicas = cover_boxes(lifting_, elements, in_rows, wanted);
  for (CleanExpr& replica : replicas) replica = make_reshape(std::move(replica), elements, size);
  return replicas;
}

// A sum of several terms: candidates that hold the same terms, or parts of them, tile by tile of
// the same size.
std::vector<CleanExpr> CoverIndex::cover_sum(const Tile& target, const Shape& size) const {
  if (target.terms.empty()) return {};
  const auto uses = by_atom_.find(target.terms[0].atom);
  if (uses == by_atom_.end()) return {};
  std::vector<const Candidate*> parts;
  std::vector<const Tile*> seen;
  for (const Use& use : uses->second) {
    const Candidate& candidate = candidates_[use.candidate];
    if (candidate.value->shape != size || candidate.value->tiles.size() != 1) continue;
    const Tile& tile = candidate.value->tiles[0];
    if (tile == target) return {leaf_of(candidate)};
    const bool matches = std::all_of(tile.terms.begin(), tile.terms.end(), [&](const Term& term) {
      return std::any_of(target.terms.begin(), target.terms.end(), [&](const Term& wanted) {
        return term.atom == wanted.atom && term.layout == wanted.layout && term.coef == wanted.coef;
      });
    });
    if (!matches ||
        std::any_of(seen.begin(), seen.end(), [&](const Tile* t) { return *t == tile; }))
      continue;
    parts.push_back(&candidate);
    seen.push_back(&tile);
  }
  std::vector<Term> total;
  for (const Tile* tile : seen) total.insert(total.end(), tile->terms.begin(), tile->terms.end());
  combine(total);
  unite_parts(lifting_, total);
  if (total != target.terms) return {};
  std::vector<CleanExpr> operands;
  for (const Candidate* part : parts) operands.push_back(leaf_of(*part));
  return {make_sum(std::move(operands))};
}

std::vector<CleanExpr> CoverIndex::cover_tile(const Tile& tile, const Shape& size,
                                              const Target& target) const {
  if (!tile.integer.empty() || tile.terms.empty()) {
    // Integer maps and zeros: the same tile elsewhere.
    const auto& uses = tile.integer.empty()                      ? constant_
                       : by_atom_.contains(tile.integer[0].atom) ? by_atom_.at(tile.integer[0].atom)
                                                                 : constant_;
    std::vector<CleanExpr> replicas;
    std::vector<Rank> ranks;
    for (size_t i : preferred(uses, target)) {
      const Candidate& candidate = candidates_[uses[i].candidate];
      if (candidate.value->shape != size || candidate.value->tiles.size() != 1 ||
          !(candidate.value->tiles[0] == tile))
        continue;
      if (std::find(ranks.begin(), ranks.end(), candidate.rank) != ranks.end()) continue;
      ranks.push_back(candidate.rank);
      replicas.push_back(leaf_of(candidate));
    }
    return replicas;
  }
  if (tile.terms.size() > 1) return cover_sum(tile, size);
  auto replicas = cover_term(tile.terms[0], size, target);
  if (!replicas.empty()) return replicas;
  // The name of a sum whose parts are still spread over ranks.
  if (auto unfolded = lifting_.unfold(tile.terms[0])) {
    Tile sum;
    sum.terms = std::move(*unfolded);
    return cover_sum(sum, size);
  }
  return {};
}

std::vector<CleanExpr> CoverIndex::same_values(const Target& target) const {
  std::vector<CleanExpr> replicas;
  std::vector<Rank> ranks;
  for (const bool same_name : {true, false}) {
    for (const Candidate& candidate : candidates_) {
      if ((candidate.name == target.name) != same_name || !(*candidate.value == target.value))
        continue;
      if (std::find(ranks.begin(), ranks.end(), candidate.rank) != ranks.end()) continue;
      ranks.push_back(candidate.rank);
      replicas.push_back(leaf_of(candidate));
    }
  }
  return replicas;
}

std::vector<CleanExpr> CoverIndex::cover_tiles(const Value& wanted, const Target& target) const {
  std::vector<std::vector<CleanExpr>> tiles;
  for (size_t t = 0; t < wanted.tiles.size(); ++t) {
    tiles.push_back(cover_tile(wanted.tiles[t], tile_size(wanted, t), target));
    if (tiles.back().empty()) return {};
  }
  return concat_grid(wanted, tiles);
}

std::vector<CleanExpr> CoverIndex::cover(const Target& target) const {
  lifting_.check_deadline();
  const Value& wanted = target.value;
  auto replicas = cover_tiles(wanted, target);
  if (replicas.empty()) {
    const Value finer = cut(wanted, outer_digit_cuts(wanted));
    if (finer.tiles.size() > wanted.tiles.size()) replicas = cover_tiles(finer, target);
  }
  if (replicas.empty()) replicas = same_values(target);
  if (replicas.empty()) replicas = namesakes(target);
  for (CleanExpr& replica : replicas) {
    const TensorSize size_of = [&](const CleanExpr& tensor, Int dim) {
      return value(tensor.name, tensor.rank).shape[static_cast<size_t>(dim)];
    };
    replica = neighbours_joined(sum_of_wholes(std::move(replica), size_of), size_of);
  }
  // What the search proposes is evaluated before it is believed.
  std::erase_if(replicas, [&](const CleanExpr& expr) {
    const auto type_of = [&](const CleanExpr& leaf) {
      return candidates_[by_name_.at({leaf.name, leaf.rank})].type;
    };
    return (target.type && !is_of_type(expr, *target.type, type_of)) || !holds(expr, wanted);
  });
  return replicas;
}

bool CoverIndex::holds(const CleanExpr& expr, const Value& wanted) const {
  try {
    return equivalent(lifting_,
                      evaluate(lifting_, expr,
                               [&](const std::string& name, Rank rank) -> const Value& {
                                 return value(name, rank);
                               }),
                      wanted);
  } catch (const NotLifted&) {
    return false;
  }
}

std::vector<CleanExpr> CoverIndex::namesakes(const Target& target) const {
  const Shape& shape = target.value.shape;
  std::vector<const Candidate*> parts;
  for (const Candidate& candidate : candidates_)
    if (candidate.name == target.name && candidate.value->shape.size() == shape.size())
      parts.push_back(&candidate);
  if (parts.size() < 2) return {};
  std::vector<CleanExpr> found;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    CleanExpr expr;
    expr.kind = CleanExpr::Kind::kConcat;
    expr.dim = static_cast<Int>(dim);
    Int total = 0;
    bool fits = true;
    for (const Candidate* part : parts) {
      CleanExpr leaf;
      leaf.name = part->name;
      leaf.rank = part->rank;
      expr.operands.push_back(std::move(leaf));
      total += part->value->shape[dim];
      for (size_t d = 0; d < shape.size(); ++d)
        fits = fits && (d == dim || part->value->shape[d] == shape[d]);
    }
    if (fits && total == shape[dim]) found.push_back(std::move(expr));
  }
  return found;
}

std::vector<const Candidate*> CoverIndex::related(const Value& target) const {
  std::vector<const Candidate*> result;
  const auto add = [&](AtomId atom) {
    const auto uses = by_atom_.find(atom);
    if (uses == by_atom_.end()) return;
    for (const Use& use : uses->second) {
      const Candidate* candidate = &candidates_[use.candidate];
      if (std::find(result.begin(), result.end(), candidate) == result.end())
        result.push_back(candidate);
    }
  };
  for (const Tile& tile : target.tiles) {
    for (const Term& term : tile.terms) {
      add(term.atom);
      if (const auto unfolded = lifting_.unfold(term)) {
        for (const Term& inner : *unfolded) add(inner.atom);
      }
    }
  }
  return result;
}

}  // namespace assay
