// One-hot tensors of indices, and what is assumed of indices outside of the classes.
#include <algorithm>
#include <optional>

#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/grid.h"
#include "static_check/algebra/layout.h"
#include "static_check/algebra/restriction.h"
#include "static_check/lift/operators.h"

namespace assay {

namespace {

// One row of classes [begin, end) and what stands there.
struct ClassRun {
  Int begin;
  Int end;
  Term term;  // over the tile of ids and the run of classes
};

// What an index may be.
Intervals allowed_indices(Int classes, const std::vector<Int>& beside) {
  Intervals allowed{{0, classes}};
  for (const Int index : beside) allowed = unite(allowed, {{index, index + 1}});
  return allowed;
}

// Integers x of the piece for which a * x + b is allowed.
Intervals within_table(const PiecewiseAffine::Piece& piece, const Intervals& allowed) {
  if (piece.a == 0)
    return contains(allowed, {{piece.b, piece.b + 1}}) ? Intervals{piece.x} : Intervals{};
  if (piece.a != 1) return {piece.x};  // not lifted
  Intervals within;
  for (const Interval& values : allowed)
    within.push_back({values.lo - piece.b, values.hi - piece.b});
  return intersect({piece.x}, within);
}

// The first of the values that lies beyond the others.
std::optional<Int> first_beyond(const Intervals& values, const Intervals& others) {
  for (const Interval& value : values) {
    Int from = value.lo;
    for (const Interval& other : others)
      if (other.lo <= from && from < other.hi) from = other.hi;
    if (from >= value.hi) continue;
    if (from != INT64_MIN) return from;
    const auto next =
        std::ranges::find_if(others, [&](const Interval& other) { return other.lo < value.hi; });
    return (next == others.end() ? value.hi : next->lo) - 1;
  }
  return std::nullopt;
}

// Elements that are no indices of the sequential program are taken for what the others are: a
// program that masks the first label reads it all the same.
Intervals values_in_tables(const Lifting& lifting, const PiecewiseAffine& f) {
  const Intervals values = lifting.index_values(f.atom, f.layout);
  return values == Intervals{kAllIntegers} ? lifting.index_values(f.atom) : values;
}

// What an index outside its table does is nobody's guess (PyTorch wraps, clamps or aborts): the
// ranks' own arithmetic on ids must stay within, for all ids that the sequential program allows.
void check_range(const Lifting& lifting, const PiecewiseAffine& f, Int classes,
                 const Intervals& allowed) {
  const Intervals values = f.atom == lifting.iota()
                               ? Intervals{{f.layout.offset, last_address(f.layout) + 1}}
                               : values_in_tables(lifting, f);
  for (const auto& piece : f.pieces) {
    const Intervals here = intersect({piece.x}, values);
    const auto x = first_beyond(here, within_table(piece, allowed));
    if (!x) continue;
    const bool bounded = !values.empty() && values.front().lo != INT64_MIN;
    if (!bounded && piece.a != 0)
      throw NotLifted{"no bound of the index of a table of " + decimal(classes) +
                      " rows is derived"};
    const Int index = piece.a * *x + piece.b;
    throw NotLifted{"index " + decimal(*x) + " becomes " + decimal(index) +
                    (index < 0 && index >= -classes
                         ? ", which counts from the end of a table of " + decimal(classes) +
                               " rows where it may; it is followed from 0 on alone"
                         : ", which lies outside a table of " + decimal(classes) + " rows")};
  }
}

// The sequential program's index stays within its table: what that says about its integers.
void assume_range(Lifting& lifting, const PiecewiseAffine& f, const Intervals& allowed) {
  if (f.atom == lifting.iota() || f.atom == lifting.one()) return;
  Intervals values;
  for (const auto& piece : f.pieces) values = unite(values, within_table(piece, allowed));
  lifting.assume_index(f.atom, f.layout, values);
}

// A flag is one of two constants.
void as_constants(const Lifting& lifting, PiecewiseAffine& f) {
  if (!lifting.is_flag(f.atom)) return;
  std::vector<PiecewiseAffine::Piece> constants;
  for (const auto& piece : f.pieces) {
    if (piece.a == 0) {
      constants.push_back(piece);
      continue;
    }
    for (const Interval& x : intersect({piece.x}, {{INT64_MIN, 1}}))
      constants.push_back({x, 0, piece.b});
    for (const Interval& x : intersect({piece.x}, {{1, INT64_MAX}}))
      constants.push_back({x, 0, piece.a + piece.b});
  }
  f.pieces = std::move(constants);
}

std::vector<ClassRun> runs_of(Lifting& lifting, const PiecewiseAffine& f, const Shape& size,
                              Int classes) {
  std::vector<ClassRun> runs;
  const Int ids_size = lifting.atom(f.atom).size;
  for (const auto& piece : f.pieces) {
    ClassRun run{};
    if (piece.a == 1) {
      // f(x) = x + b = r: class x = r - b.
      run.begin = piece.x.lo == INT64_MIN ? 0 : std::clamp<Int>(piece.x.lo + piece.b, 0, classes);
      run.end =
          piece.x.hi == INT64_MAX ? classes : std::clamp<Int>(piece.x.hi + piece.b, 0, classes);
      if (run.begin >= run.end) continue;
      if (run.end - piece.b > lifting.atom(lifting.one_hot(f.atom)).size / ids_size) {
        throw NotLifted{"an index is shifted beyond any vocabulary"};
      }
      if (run.begin - piece.b < 0) throw NotLifted{"an index is used at negative values"};
      run.term.atom = lifting.one_hot(f.atom);
      run.term.layout = f.layout;
      run.term.layout.offset += (run.begin - piece.b) * ids_size;
      Modes modes;
      if (run.end - run.begin > 1) modes.push_back({run.end - run.begin, ids_size});
      run.term.layout.dims.push_back(std::move(modes));
    } else if (piece.a == 0) {
      if (piece.b < 0 || piece.b >= classes) continue;
      run.begin = piece.b;
      run.end = piece.b + 1;
      run.term.atom = lifting.one();
      run.term.layout = broadcast(size);
      run.term.layout.dims.emplace_back();
      Restriction guard;
      guard.kind = Restriction::Kind::kGuard;
      guard.atom = f.atom;
      guard.where = f.layout;
      guard.where.dims.emplace_back();
      guard.intervals = {piece.x};
      run.term.restrictions.push_back(std::move(guard));
      if (!normalize(run.term.restrictions)) continue;
    } else {
      throw NotLifted{"an index is scaled before it is used"};
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace

Value one_hot(Lifting& lifting, const Value& ids, Int classes, const std::vector<Int>& beside) {
  const Intervals allowed = allowed_indices(classes, beside);
  std::vector<std::vector<ClassRun>> runs;
  Cuts cuts{0, classes};
  for (size_t t = 0; t < ids.tiles.size(); ++t) {
    const Shape size = tile_size(ids, t);
    auto f = as_affine(lifting, ids.tiles[t], size);
    if (!f) {
      Tile plain;
      plain.terms = {materialize(lifting, ids.tiles[t], size, DType::kInt64)};
      f = as_affine(lifting, plain, size);
      if (!f) throw NotLifted{"an index is not an integer view"};
    }
    as_constants(lifting, *f);
    if (!lifting.is_sequential()) {
      check_range(lifting, *f, classes, allowed);
    } else {
      assume_range(lifting, *f, allowed);
    }
    runs.push_back(runs_of(lifting, *f, size, classes));
    for (const ClassRun& run : runs.back()) cuts.insert(cuts.end(), {run.begin, run.end});
  }
  sort_unique(cuts);
  Value result = ids;
  result.shape.push_back(classes);
  result.cuts.push_back(cuts);
  result.tiles.clear();
  const auto dim = static_cast<Int>(ids.shape.size());
  for (const auto& row : runs) {
    for (size_t c = 0; c + 1 < cuts.size(); ++c) {
      Tile tile;
      for (const ClassRun& run : row) {
        if (run.begin > cuts[c] || run.end < cuts[c + 1]) continue;
        Term term = run.term;
        slice(term.layout, dim, cuts[c] - run.begin, cuts[c + 1] - cuts[c]);
        tile.terms.push_back(std::move(term));
      }
      combine(tile.terms);
      result.tiles.push_back(std::move(tile));
    }
  }
  return result;
}

}  // namespace assay
