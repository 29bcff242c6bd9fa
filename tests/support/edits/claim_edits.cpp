// Edits of whole tiles and of integer maps; claims that become another rank's.
#include <algorithm>

#include "tests/support/edits/edit_list.h"

namespace assay::test {
namespace {

using Piece = PiecewiseAffine::Piece;

int64_t at(const Piece& piece, int64_t x) { return piece.a * x + piece.b; }

void add_piece_edits(EditList& list, const Place& place, const PiecewiseAffine& map) {
  const Atom& of = list.atom(map.atom);
  if (of.kind != Atom::Kind::kInput || is_bool(of.dtype)) return;
  for (size_t p = 0; p < map.pieces.size(); ++p) {
    for (const int64_t by : {-1, 1})
      if (list.may_be_in(map.atom, map.pieces[p].x))
        list.add(EditKind::kOffset, place, "a piece moved by " + std::to_string(by),
                 [p, by](Tile& tile) { tile.integer[0].pieces[p].b += by; });
    if (p == 0) continue;
    const Piece &left = map.pieces[p - 1], &right = map.pieces[p];
    const int64_t bound = right.x.lo;
    const bool grows = bound + 1 < right.x.hi && at(left, bound) != at(right, bound) &&
                       list.may_be(map.atom, bound);
    const bool shrinks = left.x.lo < bound - 1 && at(left, bound - 1) != at(right, bound - 1) &&
                         list.may_be(map.atom, bound - 1);
    for (const int64_t by : {-1, 1})
      if (by > 0 ? grows : shrinks)
        list.add(EditKind::kBox, place, "the next piece begins " + std::to_string(by) + " later",
                 [p, by](Tile& tile) {
                   tile.integer[0].pieces[p - 1].x.hi += by;
                   tile.integer[0].pieces[p].x.lo += by;
                 });
  }
}

void add_tile_pairs(EditList& list, const Place& place, const Value& value) {
  const auto extents = [&](size_t tile) {
    Shape result(value.shape.size());
    for (size_t d = value.shape.size(); d-- > 0;) {
      const size_t cells = value.cuts[d].size() - 1;
      result[d] = value.cuts[d][tile % cells + 1] - value.cuts[d][tile % cells];
      tile /= cells;
    }
    return result;
  };
  for (size_t other = place.tile + 1; other < value.tiles.size(); ++other)
    if (!(value.tiles[place.tile] == value.tiles[other]) && extents(place.tile) == extents(other))
      list.add(EditKind::kOrder, "tiles exchanged", [place, other](Replay& replay) {
        std::vector<Tile>& tiles = claims(replay, place.rank)[place.op].tiles;
        std::swap(tiles[place.tile], tiles[other]);
      });
}

void add_edits_of(EditList& list, Rank rank, size_t op, const Value& value) {
  if (std::find(value.shape.begin(), value.shape.end(), 0) != value.shape.end()) return;
  for (size_t tile = 0; tile < value.tiles.size(); ++tile) {
    const Place place{rank, op, tile};
    const Tile& of = value.tiles[tile];
    for (size_t term = 0; term < of.terms.size(); ++term)
      if (!list.is_unknown(of.terms[term].atom)) add_term_edits(list, place, term);
    if (!of.integer.empty()) add_piece_edits(list, place, of.integer[0]);
    add_tile_pairs(list, place, value);
  }
}

void add_other_ranks(EditList& list) {
  const auto& ranks = list.replay().certificate.ranks;
  for (size_t from = 0; from < ranks.size(); ++from)
    for (size_t to = 0; to < ranks.size(); ++to)
      for (size_t op = 0; op < std::min(ranks[from].size(), ranks[to].size()); ++op) {
        if (from == to || !list.differ(ranks[from][op], ranks[to][op])) continue;
        list.add(EditKind::kRank,
                 "operator " + std::to_string(op) + " of rank " + std::to_string(to) +
                     " as of rank " + std::to_string(from),
                 [from, to, op](Replay& replay) {
                   replay.certificate.ranks[to][op] = replay.certificate.ranks[from][op];
                 });
      }
}

}  // namespace

void add_claim_edits(EditList& list) {
  for (Rank rank = kSequential; rank < static_cast<Rank>(list.replay().ranks.size()); ++rank) {
    const std::vector<Value>& of = claims(list.replay(), rank);
    for (size_t op = 0; op < of.size(); ++op) add_edits_of(list, rank, op, of[op]);
  }
  add_other_ranks(list);
}

}  // namespace assay::test
