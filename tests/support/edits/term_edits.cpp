// Edits of a term's coefficient, view and atom.
#include <utility>

#include "tests/support/edits/edit_list.h"

namespace assay::test {
namespace {

int64_t last_address(const Layout& layout) {
  int64_t last = layout.offset;
  for (const auto& dim : layout.dims)
    for (const Mode& mode : dim) last += (mode.size - 1) * mode.stride;
  return last;
}

int64_t extent(const Modes& dim) {
  int64_t size = 1;
  for (const Mode& mode : dim) size *= mode.size;
  return size;
}

class TermEdits {
 public:
  TermEdits(EditList& list, const Place& place, size_t index)
      : list_(list),
        place_(place),
        index_(index),
        term_(claims(list.replay(), place.rank)[place.op].tiles[place.tile].terms[index]) {}

  void run() {
    coefficients();
    if (!list_.is_constant(term_.atom)) {
      if (list_.every_label_is_read(term_.atom)) {
        offsets();
        dimensions();
      }
      other_atoms();
      whole_as_part();
    }
    for (size_t r = 0; r < term_.restrictions.size(); ++r)
      add_restriction_edits(list_, place_, index_, r);
  }

 private:
  template <class Edit>
  void add(EditKind kind, const std::string& what, Edit edit) {
    list_.add(kind, place_, what, [index = index_, edit](Tile& tile) { edit(tile.terms[index]); });
  }

  void coefficients() {
    if (list_.atom(term_.atom).kind != Atom::Kind::kNan)
      add(EditKind::kCoefficient, "negated", [](Term& of) { of.coef = -of.coef; });
    if (!list_.is_constant(term_.atom))
      add(EditKind::kCoefficient, "doubled", [](Term& of) { of.coef = of.coef * Rational(2); });
  }

  void offsets() {
    if (last_address(term_.layout) + 1 < list_.atom(term_.atom).size)
      add(EditKind::kOffset, "one element later", [](Term& of) { ++of.layout.offset; });
    if (term_.layout.offset > 0)
      add(EditKind::kOffset, "one element earlier", [](Term& of) { --of.layout.offset; });
  }

  // Two dimensions of equal extent exchanged: the view transposed. Two dimensions that are one
  // block, row by row: the same block column by column.
  void dimensions() {
    const auto& dims = term_.layout.dims;
    for (size_t a = 0; a < dims.size(); ++a)
      for (size_t b = a + 1; b < dims.size(); ++b) {
        if (dims[a] != dims[b] && extent(dims[a]) == extent(dims[b]))
          add(EditKind::kOrder, "dimensions exchanged",
              [a, b](Term& of) { std::swap(of.layout.dims[a], of.layout.dims[b]); });
        if (dims[a].size() != 1 || dims[b].size() != 1) continue;
        const Mode outer = dims[a][0], inner = dims[b][0];
        if (inner.stride == 0 || outer.stride != inner.size * inner.stride ||
            outer.size == inner.size)
          continue;
        add(EditKind::kOrder, "column by column", [a, b, outer, inner](Term& of) {
          of.layout.dims[a][0].stride = inner.stride;
          of.layout.dims[b][0].stride = outer.size * inner.stride;
        });
      }
  }

  void other_atoms() {
    const Instance* made = list_.instance(term_.atom);
    if (made != nullptr &&
        (made->kind == Instance::Kind::kCombine || made->kind == Instance::Kind::kCat))
      return;
    if (!term_.restrictions.empty()) return;
    const bool floating = is_floating(list_.atom(term_.atom).dtype);
    for (size_t other = 0; other < list_.universe().atoms.size(); ++other) {
      const Atom& input = list_.universe().atoms[other];
      const auto id = static_cast<AtomId>(other);
      if (id == term_.atom || input.kind != Atom::Kind::kInput || input.tensor == kNone ||
          !input.hidden.empty() || last_address(term_.layout) >= input.size ||
          is_floating(input.dtype) != floating)
        continue;
      add(EditKind::kAtom, "atom " + std::to_string(other) + " instead",
          [id](Term& of) { of.atom = id; });
    }
  }

  // A sum or maximum that is claimed whole lacks its last or its first element.
  void whole_as_part() {
    const Instance* made = list_.instance(term_.atom);
    if (made == nullptr || !term_.restrictions.empty()) return;
    for (const InstanceLabel& label : made->labels) {
      if (label.tag != InstanceLabel::Tag::kReduced || label.size < 2 || label.strides[0] == 0)
        continue;
      Restriction box;
      box.kind =
          made->kind == Instance::Kind::kSum ? Restriction::Kind::kBox : Restriction::Kind::kMax;
      box.label = label.hidden;
      box.radix = label.size;
      for (const Interval part : {Interval{0, label.size - 1}, Interval{1, label.size}}) {
        box.intervals = {part};
        add(EditKind::kBox, "the whole without an end",
            [box](Term& of) { of.restrictions = {box}; });
      }
    }
  }

  EditList& list_;
  const Place& place_;
  size_t index_;
  const Term& term_;
};

}  // namespace

void add_term_edits(EditList& list, const Place& at, size_t term) {
  TermEdits(list, at, term).run();
}

}  // namespace assay::test
