#include "static_check/checker/identity/sources.h"

#include <algorithm>

#include "shared_ir/reference/index.h"

namespace assay::checker::identity {
namespace {

constexpr PlainInt kMostParts = 4096;

class Claim {
 public:
  Claim(Algebra& algebra, const Universe& universe, const CoreOp& op, const Value& claim)
      : algebra_(algebra), universe_(universe), op_(op), claim_(claim), type_(type_of(op.dtype)) {}

  std::vector<Number> elements() {
    if (claim_.shape != op_.shape || claim_.cuts.size() != op_.shape.size())
      throw Rejection{"a claim of another shape"};
    std::vector<Number> result;
    reference::for_each_coordinate(op_.shape, [&](const std::vector<int64_t>& at) {
      result.push_back(algebra_.typed(element(at), type_));
    });
    return result;
  }

 private:
  Number element(const std::vector<int64_t>& at) {
    size_t tile = 0;
    std::vector<PlainInt> local;
    for (size_t d = 0; d < at.size(); ++d) {
      const assay::Cuts& cuts = claim_.cuts[d];
      size_t piece = 0;
      while (piece + 2 < cuts.size() && cuts[piece + 1] <= at[d]) ++piece;
      if (cuts.size() < 2 || at[d] < cuts[piece] || at[d] >= cuts[piece + 1])
        throw Rejection{"a claim with gaps"};
      tile = tile * (cuts.size() - 1) + piece;
      local.push_back(at[d] - cuts[piece]);
    }
    if (tile >= claim_.tiles.size()) throw Rejection{"a claim with gaps"};
    return value_of(claim_.tiles[tile], local);
  }

  Number value_of(const Tile& tile, const std::vector<PlainInt>& at) {
    if (!tile.integer.empty()) {
      const PiecewiseAffine& map = tile.integer[0];
      if (!tile.terms.empty() || tile.integer.size() != 1 || map.pieces.size() != 1)
        throw Rejection{"an input that is a function of integers"};
      const auto& piece = map.pieces[0];
      const Number x = whole(map.atom, address(map.layout, at));
      if (piece.a == 1 && piece.b == 0) return x;
      return algebra_.add(algebra_.scaled(x, Rational(piece.a)),
                          algebra_.exact(Rational(piece.b), type_));
    }
    std::vector<Number> terms;
    for (const Term& term : tile.terms) {
      const PlainInt where = address(term.layout, at);
      const Number x = term.restrictions.empty() ? whole(term.atom, where) : part(term, where);
      terms.push_back(algebra_.scaled(x, term.coef));
    }
    if (type_ == kFlag && !plain(tile)) throw Rejection{"an input of flags that is computed"};
    return algebra_.sum(std::move(terms));
  }

  static bool plain(const Tile& tile) {
    return tile.terms.size() == 1 && tile.terms[0].coef.is_one() &&
           tile.terms[0].restrictions.empty();
  }

  static PlainInt address(const Layout& layout, const std::vector<PlainInt>& at) {
    if (layout.dims.size() != at.size()) throw Rejection{"a layout of another rank"};
    PlainInt result = layout.offset;
    for (size_t d = 0; d < at.size(); ++d) {
      PlainInt rest = at[d];
      for (size_t m = layout.dims[d].size(); m-- > 0;) {
        const Mode& mode = layout.dims[d][m];
        if (mode.size < 1) throw Rejection{"a layout with an empty digit"};
        result += rest % mode.size * mode.stride;
        rest /= mode.size;
      }
      if (rest != 0) throw Rejection{"a layout that is too small"};
    }
    return result;
  }

  const Atom& atom(AtomId id) const {
    if (id < 0 || static_cast<size_t>(id) >= universe_.atoms.size())
      throw Rejection{"no such atom"};
    return universe_.atoms[static_cast<size_t>(id)];
  }

  bool is_draw(const Atom& atom) const {
    return atom.kind == Atom::Kind::kInstance && atom.instance != kNone &&
           universe_.instances.at(static_cast<size_t>(atom.instance)).kind == Instance::Kind::kDraw;
  }

  // Every element of an atom that may stand here is a variable.
  Number variable(AtomId id, PlainInt where) {
    const Atom& source = atom(id);
    const bool input = source.kind == Atom::Kind::kInput;
    const bool random =
        op_.prim == Prim::kRandom && (source.kind == Atom::Kind::kRandom || is_draw(source));
    if (!input && !random) throw Rejection{"an input that is computed"};
    if (where < 0 || where >= source.size) throw Rejection{"an address outside of its atom"};
    return algebra_.element({id, where}, type_);
  }

  Number whole(AtomId id, PlainInt where) {
    if (atom(id).kind == Atom::Kind::kUninit) return Algebra::undefined();
    if (atom(id).kind == Atom::Kind::kOne) return algebra_.exact(Rational(1), type_);
    return variable(id, where);
  }

  // Parts of a sum over ranks are variables, but for the first one, which is what they leave.
  Number part(const Term& term, PlainInt where) {
    const LabelId label = term.restrictions[0].label;
    for (const Restriction& restriction : term.restrictions)
      if (restriction.kind != Restriction::Kind::kBox || restriction.label != label ||
          restriction.stride < 1 || restriction.radix < 1)
        throw Rejection{"an input that is restricted otherwise than to a part of a sum"};
    const std::vector<LabelId>& hidden = atom(term.atom).hidden;
    if (std::find(hidden.begin(), hidden.end(), label) == hidden.end())
      throw Rejection{"an input that is a part of another sum"};
    const HiddenLabel& of = universe_.labels.at(static_cast<size_t>(label));
    if (of.maximum || of.instance != kNone || of.size < 1 || of.size > kMostParts)
      throw Rejection{"an input that is a part of no sum over ranks"};
    const Number total = variable(term.atom, where);
    Residues result;
    for (PlainInt k = 0; k < of.size; ++k)
      if (holds(term, k)) result = result + part(term.atom, where, label, k, of.size, total.value);
    Number number = algebra_.variable(result, type_);
    number.depends = total.depends;
    return number;
  }

  static bool holds(const Term& term, PlainInt k) {
    return std::all_of(
        term.restrictions.begin(), term.restrictions.end(), [&](const Restriction& restriction) {
          const PlainInt digit = k / restriction.stride % restriction.radix;
          return std::any_of(restriction.intervals.begin(), restriction.intervals.end(),
                             [&](const Interval& in) { return in.lo <= digit && digit < in.hi; });
        });
  }

  Residues part(AtomId id, PlainInt where, LabelId label, PlainInt k, PlainInt parts,
                const Residues& total) const {
    const auto free = [&](PlainInt i) {
      const uint64_t keys[] = {static_cast<uint64_t>(id), static_cast<uint64_t>(where),
                               static_cast<uint64_t>(label), static_cast<uint64_t>(i)};
      return algebra_.random("part of an element", keys);
    };
    if (k > 0) return free(k);
    Residues rest = total;
    for (PlainInt i = 1; i < parts; ++i) rest = rest - free(i);
    return rest;
  }

  Algebra& algebra_;
  const Universe& universe_;
  const CoreOp& op_;
  const Value& claim_;
  const Type type_;
};

}  // namespace

std::vector<Number> claimed_elements(Algebra& algebra, const Universe& universe, const CoreOp& op,
                                     const Value& claim) {
  return Claim(algebra, universe, op, claim).elements();
}

}  // namespace assay::checker::identity
