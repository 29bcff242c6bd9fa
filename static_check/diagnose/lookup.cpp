#include "static_check/diagnose/lookup.h"

#include <algorithm>
#include <string>

#include "shared_ir/symbolic/integer.h"

namespace assay {
namespace {

// A table lookup as it is lifted: a sum over classes of one-hot times table. The first class and
// table row that it meets.
struct Lookup {
  AtomId ids;
  AtomId table;
  Int index;
  Int row;
};

std::optional<Lookup> lookup_of(const Lifting& lifting, const Term& term) {
  AtomId product = term.atom;
  Layout layout = term.layout;
  if (lifting.is_instance(term.atom, Instance::Kind::kSum)) {
    const auto inner = lifting.trace(term.atom, term.layout, 0);
    if (!inner) return std::nullopt;
    layout = *inner;
    const Instance& sum = lifting.instance_of(term.atom);
    product = sum.operands[0].atom;
    for (const Restriction& r : term.restrictions) {
      for (const InstanceLabel& label : sum.labels) {
        if (r.kind == Restriction::Kind::kBox && r.stride == 1 && label.hidden == r.label) {
          layout.offset += r.intervals.front().lo * label.strides[0];
        }
      }
    }
  }
  if (!lifting.is_instance(product, Instance::Kind::kMul)) return std::nullopt;
  const Instance& mul = lifting.instance_of(product);
  for (size_t i = 0; i < mul.operands.size(); ++i) {
    const Atom& atom = lifting.atom(mul.operands[i].atom);
    if (atom.kind != Atom::Kind::kOneHot) continue;
    const size_t table = 1 - i;
    const Int ids = lifting.atom(atom.ids).size;
    const auto one_hot = lifting.trace(product, layout, i),
               rows = lifting.trace(product, layout, table);
    if (!one_hot || !rows) return std::nullopt;
    for (const InstanceLabel& label : mul.labels) {
      if (label.strides[i] != ids || label.strides[table] == 0) continue;
      return Lookup{atom.ids, mul.operands[table].atom, one_hot->offset / ids,
                    rows->offset / label.strides[table]};
    }
  }
  return std::nullopt;
}

// The class of a one-hot times table that holds a single row; such a block has no class label.
std::optional<Int> single_index(const Lifting& lifting, const Term& term, const Lookup& like) {
  if (!lifting.is_instance(term.atom, Instance::Kind::kMul)) return std::nullopt;
  const Instance& mul = lifting.instance_of(term.atom);
  for (size_t i = 0; i < mul.operands.size(); ++i) {
    const Atom& atom = lifting.atom(mul.operands[i].atom);
    if (atom.kind != Atom::Kind::kOneHot || atom.ids != like.ids) continue;
    if (mul.operands[1 - i].atom != like.table) continue;
    if (const auto layout = lifting.trace(term.atom, term.layout, i)) {
      return layout->offset / lifting.atom(atom.ids).size;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Nearest> compare_lookups(const Lifting& lifting, const Term& wanted,
                                       const Term& found, const std::vector<Term>& beside) {
  const auto a = lookup_of(lifting, wanted), b = lookup_of(lifting, found);
  if (!a || !b || a->ids != b->ids || a->table != b->table) return std::nullopt;
  const Int shift = (b->index - b->row) - (a->index - a->row);
  if (shift == 0) return std::nullopt;
  Int seen = b->index;
  for (const Term& term : beside) {
    if (const auto index = single_index(lifting, term, *b)) seen = std::min(seen, *index);
  }
  Nearest result;
  result.difference = "looks rows up with vocabulary offset " + decimal(seen) + ", expected " +
                      decimal(seen - shift);
  result.hint = "check the vocabulary offset and bounds of this rank";
  result.closeness = 90;
  return result;
}

}  // namespace assay
