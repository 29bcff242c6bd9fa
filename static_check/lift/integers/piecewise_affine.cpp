// Integers and flags as piecewise affine functions of one index tensor.
#include <algorithm>
#include <cmath>
#include <functional>

#include "shared_ir/cast.h"
#include "shared_ir/reference/element_functions.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/layout.h"
#include "static_check/algebra/restriction.h"
#include "static_check/lift/operators.h"

namespace assay {

namespace {

using Piece = PiecewiseAffine::Piece;

// Affine functions with larger numbers are left alone: their arithmetic could leave 64 bits.
constexpr Int kLargestInPieces = Int{1} << 40;

// sum += a * b, unless it leaves 64 bits.
bool multiply_add(Int a, Int b, Int& sum) {
  Int product = 0;
  return !mul_overflow(a, b, &product) && !add_overflow(sum, product, &sum);
}

bool is_small(Int x) { return -kLargestInPieces < x && x < kLargestInPieces; }

PiecewiseAffine constant(const Lifting& lifting, Int value, const Shape& size) {
  return {lifting.one(), broadcast(size), {{kAllIntegers, 0, value}}};
}

bool is_constant(const PiecewiseAffine& f) { return f.pieces.size() == 1 && f.pieces[0].a == 0; }

void merge_pieces(std::vector<Piece>& pieces) {
  std::vector<Piece> merged;
  for (const Piece& piece : pieces) {
    if (piece.x.lo >= piece.x.hi) continue;
    if (!merged.empty() && merged.back().a == piece.a && merged.back().b == piece.b) {
      merged.back().x.hi = piece.x.hi;
    } else {
      merged.push_back(piece);
    }
  }
  pieces = std::move(merged);
}

// Integer x with p*x + q < 0, within `x`: sub-intervals with the sign of p*x + q (-1, 0, 1).
std::vector<std::pair<Interval, int>> signs(const Interval& x, Int p, Int q) {
  if (p == 0) return {{x, q < 0 ? -1 : q > 0 ? 1 : 0}};
  // Zero at x = -q / p when it divides; below it one sign, above it the other.
  const Int zero = floor_divide(-q, p);
  const bool exact = -q == p * zero;
  const Int below_end = exact ? zero : zero + 1;
  const Int above_begin = zero + 1;
  std::vector<std::pair<Interval, int>> result;
  const auto add = [&](Int lo, Int hi, int sign) {
    lo = std::max(lo, x.lo);
    hi = std::min(hi, x.hi);
    if (lo < hi) result.push_back({{lo, hi}, sign});
  };
  add(INT64_MIN, below_end, p > 0 ? -1 : 1);
  if (exact) add(zero, zero + 1, 0);
  add(above_begin, INT64_MAX, p > 0 ? 1 : -1);
  return result;
}

using Combine =
    std::function<bool(const Interval&, const Piece&, const Piece&, std::vector<Piece>&)>;

// Piece by piece over the common refinement; nullopt when the two read different integers or a
// piece is not affine.
std::optional<PiecewiseAffine> zip(const PiecewiseAffine& f, const PiecewiseAffine& g,
                                   const Combine& combine_pieces) {
  if (!is_constant(f) && !is_constant(g) && (f.atom != g.atom || !(f.layout == g.layout)))
    return std::nullopt;
  PiecewiseAffine result = is_constant(f) ? g : f;
  result.pieces.clear();
  for (size_t i = 0, j = 0; i < f.pieces.size() && j < g.pieces.size();) {
    const Interval x{std::max(f.pieces[i].x.lo, g.pieces[j].x.lo),
                     std::min(f.pieces[i].x.hi, g.pieces[j].x.hi)};
    if (x.lo < x.hi && !combine_pieces(x, f.pieces[i], g.pieces[j], result.pieces))
      return std::nullopt;
    (f.pieces[i].x.hi < g.pieces[j].x.hi ? i : j)++;
  }
  for (const Piece& piece : result.pieces) {
    if (!is_small(piece.a) || !is_small(piece.b)) return std::nullopt;
  }
  merge_pieces(result.pieces);
  return result;
}

std::optional<PiecewiseAffine> linear(const PiecewiseAffine& f, Int cf, const PiecewiseAffine& g,
                                      Int cg) {
  if (!is_small(cf) || !is_small(cg)) return std::nullopt;
  return zip(f, g, [&](const Interval& x, const Piece& a, const Piece& b, std::vector<Piece>& out) {
    Int slope = 0, shift = 0;
    if (!multiply_add(cf, a.a, slope) || !multiply_add(cg, b.a, slope)) return false;
    if (!multiply_add(cf, a.b, shift) || !multiply_add(cg, b.b, shift)) return false;
    out.push_back({x, slope, shift});
    return true;
  });
}

std::optional<PiecewiseAffine> product(const PiecewiseAffine& f, const PiecewiseAffine& g) {
  return zip(f, g, [](const Interval& x, const Piece& a, const Piece& b, std::vector<Piece>& out) {
    if (a.a != 0 && b.a != 0) return false;
    const Piece& affine = a.a != 0 ? a : b;
    const Int factor = a.a != 0 ? b.b : a.b;
    if (factor != 0 && (abs(affine.a) > kLargestInPieces / abs(factor) ||
                        abs(affine.b) > kLargestInPieces / abs(factor))) {
      return false;
    }
    out.push_back({x, affine.a * factor, affine.b * factor});
    return true;
  });
}

// holds(sign of f - g) as 0 or 1.
std::optional<PiecewiseAffine> compare(const PiecewiseAffine& f, const PiecewiseAffine& g,
                                       const std::function<bool(int)>& holds) {
  return zip(f, g, [&](const Interval& x, const Piece& a, const Piece& b, std::vector<Piece>& out) {
    for (const auto& [interval, sign] : signs(x, a.a - b.a, a.b - b.b))
      out.push_back({interval, 0, holds(sign)});
    return true;
  });
}

std::optional<PiecewiseAffine> logic(const PiecewiseAffine& f, const PiecewiseAffine& g,
                                     const std::function<bool(bool, bool)>& holds) {
  return zip(f, g, [&](const Interval& x, const Piece& a, const Piece& b, std::vector<Piece>& out) {
    if (a.a != 0 || b.a != 0) return false;
    out.push_back({x, 0, holds(a.b != 0, b.b != 0)});
    return true;
  });
}

enum class Extremum { kMaximum, kMinimum };

std::optional<PiecewiseAffine> extremum(const PiecewiseAffine& f, const PiecewiseAffine& g,
                                        Extremum which) {
  return zip(f, g, [&](const Interval& x, const Piece& a, const Piece& b, std::vector<Piece>& out) {
    for (const auto& [interval, sign] : signs(x, a.a - b.a, a.b - b.b)) {
      // Where both are equal, what is the integer itself and no constant.
      const bool first = sign == 0 ? a.a != 0 : (sign > 0) == (which == Extremum::kMaximum);
      const Piece& taken = first ? a : b;
      out.push_back({interval, taken.a, taken.b});
    }
    return true;
  });
}

std::optional<PiecewiseAffine> limited(std::optional<PiecewiseAffine> f,
                                       const reference::FunctionName& clamp, size_t argument,
                                       Extremum by, const PiecewiseAffine& zero) {
  if (!f || clamp.text(argument) == "none") return f;
  const double limit = clamp.number(argument);
  if (!(std::abs(limit) < static_cast<double>(PlainInt{kLargestInPieces})) ||
      limit != std::trunc(limit))
    return std::nullopt;
  PiecewiseAffine bound = zero;
  bound.pieces[0].b = static_cast<PlainInt>(limit);
  return extremum(*f, bound, by);
}

// Of one operand; nullopt for a function that is not affine in pieces.
std::optional<PiecewiseAffine> apply_unary(const std::string& fn, const PiecewiseAffine& f,
                                           const PiecewiseAffine& zero) {
  if (fn == "relu") return extremum(f, zero, Extremum::kMaximum);
  const reference::FunctionName called = reference::parse_function_name(fn);
  if (called.name != "clamp") return std::nullopt;
  return limited(limited(f, called, 0, Extremum::kMaximum, zero), called, 1, Extremum::kMinimum,
                 zero);
}

std::optional<PiecewiseAffine> apply_fn(const CoreOp& op, const std::vector<PiecewiseAffine>& f,
                                        const PiecewiseAffine& zero) {
  const std::string& fn = op.fn;
  if (f.size() == 1 && is_integer(op.dtype) && !is_bool(op.dtype))
    return apply_unary(fn, f[0], zero);
  if (f.size() == 2) {
    if (fn == "maximum") return extremum(f[0], f[1], Extremum::kMaximum);
    if (fn == "minimum") return extremum(f[0], f[1], Extremum::kMinimum);
    if (fn == "ge") return compare(f[0], f[1], [](int s) { return s >= 0; });
    if (fn == "gt") return compare(f[0], f[1], [](int s) { return s > 0; });
    if (fn == "le") return compare(f[0], f[1], [](int s) { return s <= 0; });
    if (fn == "lt") return compare(f[0], f[1], [](int s) { return s < 0; });
    if (fn == "eq") return compare(f[0], f[1], [](int s) { return s == 0; });
    if (fn == "ne") return compare(f[0], f[1], [](int s) { return s != 0; });
    // On integers these are bitwise: only booleans have them as logic.
    if (!is_bool(op.dtype)) return std::nullopt;
    if (fn == "and") return logic(f[0], f[1], [](bool a, bool b) { return a && b; });
    if (fn == "or") return logic(f[0], f[1], [](bool a, bool b) { return a || b; });
    if (fn == "xor") return logic(f[0], f[1], [](bool a, bool b) { return a != b; });
  }
  if (f.size() == 1 && fn == "not" && is_bool(op.dtype))
    return logic(f[0], f[0], [](bool a, bool) { return !a; });
  return std::nullopt;
}

// Whether every value of the function lies in the range of the integer dtype.
bool fits(const PiecewiseAffine& f, DType dtype) {
  const auto [low, high] = integer_range(dtype);
  return std::all_of(f.pieces.begin(), f.pieces.end(), [&, l = low, h = high](const Piece& piece) {
    if (piece.a != 0 && (!is_small(piece.x.lo) || !is_small(piece.x.hi))) return false;
    for (const Int x : {piece.x.lo, piece.x.hi - 1}) {
      Int value = piece.b;
      if (piece.a != 0 && !multiply_add(piece.a, x, value)) return false;
      if (value < l || value > h) return false;
    }
    return true;
  });
}

std::optional<PiecewiseAffine> apply_pieces(const CoreOp& op, DType source,
                                            const std::vector<PiecewiseAffine>& f,
                                            const PiecewiseAffine& zero) {
  switch (op.prim) {
    case Prim::kLinear: {
      std::optional<PiecewiseAffine> sum = zero;
      for (size_t i = 0; i < f.size() && sum; ++i) {
        if (!op.coefs[i].is_integer()) return std::nullopt;
        sum = linear(*sum, 1, f[i], op.coefs[i].numerator());
      }
      return sum;
    }
    case Prim::kMul:
      return product(f[0], f[1]);
    case Prim::kKeep:
      return product(f[0], f[1]);
    case Prim::kCast:
      if (is_bool(op.dtype)) return compare(f[0], zero, [](int s) { return s != 0; });
      return cast_keeps_values(source, op.dtype) || fits(f[0], op.dtype) ? std::optional(f[0])
                                                                         : std::nullopt;
    case Prim::kMap:
      return apply_fn(op, f, zero);
    default:
      return std::nullopt;
  }
}

Int value_at(const PiecewiseAffine& f, Int x) {
  const auto piece = std::ranges::find_if(
      f.pieces, [x](const Piece& one) { return one.x.lo <= x && x < one.x.hi; });
  return piece->a * x + piece->b;
}

// A single affine piece is an ordinary sum of terms, and every function of a flag is affine.
Tile as_tile(const Lifting& lifting, PiecewiseAffine f, const Shape& size) {
  Tile tile;
  if (f.pieces.size() > 1 && lifting.is_flag(f.atom)) {
    const Int at_0 = value_at(f, 0);
    f.pieces = {{kAllIntegers, value_at(f, 1) - at_0, at_0}};
  }
  if (f.pieces.size() > 1) {
    tile.integer.push_back(std::move(f));
    return tile;
  }
  const Piece& piece = f.pieces[0];
  Term view;
  view.coef = piece.a;
  view.atom = f.atom;
  view.layout = f.layout;
  Term shift;
  shift.coef = piece.b;
  shift.atom = lifting.one();
  shift.layout = broadcast(size);
  if (f.atom == lifting.iota() && piece.a == 1 && view.layout.offset + piece.b >= 0) {
    view.layout.offset += piece.b;
    shift.coef = 0;
  }
  if (!view.coef.is_zero()) tile.terms.push_back(std::move(view));
  if (!shift.coef.is_zero()) tile.terms.push_back(std::move(shift));
  combine(tile.terms);
  return tile;
}

}  // namespace

std::optional<PiecewiseAffine> as_affine(const Lifting& lifting, const Tile& tile,
                                         const Shape& size) {
  if (!tile.integer.empty()) return tile.integer[0];
  PiecewiseAffine result = constant(lifting, 0, size);
  for (const Term& term : tile.terms) {
    if (!term.restrictions.empty() || !term.coef.is_integer() ||
        !term.coef.fits(kLargestInPieces - 1))
      return std::nullopt;
    if (term.atom == lifting.one()) {
      result.pieces[0].b = term.coef.numerator();
      continue;
    }
    if (result.pieces[0].a != 0 || is_floating(lifting.atom(term.atom).dtype)) return std::nullopt;
    result.atom = term.atom;
    result.layout = term.layout;
    result.pieces[0].a = term.coef.numerator();
  }
  return result;
}

std::optional<Value> apply_integer(const Lifting& lifting, const CoreOp& op, DType source,
                                   std::vector<Value> operands) {
  if (is_floating(op.dtype) || operands.empty()) return std::nullopt;
  align(operands);
  Value result = operands[0];
  for (size_t t = 0; t < result.tiles.size(); ++t) {
    const Shape size = tile_size(result, t);
    std::vector<PiecewiseAffine> functions;
    for (const Value& operand : operands) {
      auto f = as_affine(lifting, operand.tiles[t], size);
      if (!f) return std::nullopt;
      functions.push_back(std::move(*f));
    }
    auto f = apply_pieces(op, source, functions, constant(lifting, 0, size));
    if (!f) return std::nullopt;
    result.tiles[t] = as_tile(lifting, std::move(*f), size);
  }
  merge_tiles(result);
  return result;
}

Value integer_to_float(Lifting& lifting, const Value& value) {
  Value result = value;
  for (size_t t = 0; t < result.tiles.size(); ++t) {
    Tile& tile = result.tiles[t];
    if (tile.integer.empty()) continue;
    const PiecewiseAffine f = tile.integer[0];
    const Shape size = tile_size(result, t);
    const bool constants = std::all_of(f.pieces.begin(), f.pieces.end(),
                                       [](const Piece& piece) { return piece.a == 0; });
    if (!constants) {
      tile.terms = {materialize(lifting, tile, size, DType::kInt64)};
      tile.integer.clear();
      continue;
    }
    tile.integer.clear();
    for (const Piece& piece : f.pieces) {
      Term term;
      term.coef = piece.b;
      term.atom = lifting.one();
      term.layout = broadcast(size);
      Restriction guard;
      guard.kind = Restriction::Kind::kGuard;
      guard.atom = f.atom;
      guard.where = f.layout;
      guard.intervals = {piece.x};
      term.restrictions.push_back(std::move(guard));
      if (!term.coef.is_zero() && normalize(term.restrictions))
        tile.terms.push_back(std::move(term));
    }
    combine(tile.terms);
  }
  merge_tiles(result);
  return result;
}

}  // namespace assay
