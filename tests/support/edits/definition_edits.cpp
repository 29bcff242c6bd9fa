// Edits of what an atom is: where its instance reads, in which order, by which coefficients and
// function. All claims about the atom change with it.
#include <set>

#include "tests/support/edits/edit_list.h"

namespace assay::test {
namespace {

// The atoms that claims speak of, and what these are made of.
class UsedAtoms {
 public:
  explicit UsedAtoms(const EditList& list) : list_(list) {
    for (Rank rank = kSequential; rank < static_cast<Rank>(list.replay().ranks.size()); ++rank)
      for (const Value& value : claims(list.replay(), rank))
        for (const Tile& tile : value.tiles)
          for (const Term& term : tile.terms) add(term.atom);
  }

  const std::set<AtomId>& atoms() const { return atoms_; }

 private:
  void add(AtomId id) {
    if (!atoms_.insert(id).second) return;
    if (const Instance* made = list_.instance(id))
      for (const Instance::Operand& operand : made->operands) add(operand.atom);
  }

  const EditList& list_;
  std::set<AtomId> atoms_;
};

class DefinitionEdits {
 public:
  DefinitionEdits(EditList& list, AtomId atom)
      : list_(list), atom_(atom), made_(*list.instance(atom)) {}

  void run() {
    for (size_t i = 0; i < made_.operands.size(); ++i) offsets(i);
    exchanged_labels();
    for (size_t i = 0; i < made_.terms.size(); ++i)
      add("a term of its name doubled",
          [i](Instance& of) { of.terms[i].coef = of.terms[i].coef * Rational(2); });
    other_functions();
  }

 private:
  template <class Edit>
  void add(const std::string& what, Edit edit) {
    list_.add(EditKind::kDefinition, "atom " + std::to_string(atom_) + ": " + what,
              [number = list_.atom(atom_).instance, edit](Replay& replay) {
                edit(replay.certificate.universe.instances[static_cast<size_t>(number)]);
              });
  }

  void offsets(size_t i) {
    const Instance::Operand& operand = made_.operands[i];
    if (list_.is_constant(operand.atom) || !list_.every_label_is_read(operand.atom)) return;
    int64_t last = operand.offset;
    for (const InstanceLabel& label : made_.labels) last += (label.size - 1) * label.strides[i];
    if (last + 1 < list_.atom(operand.atom).size)
      add("reads one element later", [i](Instance& of) { ++of.operands[i].offset; });
    if (operand.offset > 0)
      add("reads one element earlier", [i](Instance& of) { --of.operands[i].offset; });
  }

  // Not of a product of an atom with itself, which may be symmetric.
  void exchanged_labels() {
    if (made_.operands.size() > 1 && made_.operands[0].atom == made_.operands[1].atom) return;
    for (const Instance::Operand& operand : made_.operands)
      if (!list_.every_label_is_read(operand.atom)) return;
    const auto& labels = made_.labels;
    for (size_t a = 0; a < labels.size(); ++a)
      for (size_t b = a + 1; b < labels.size(); ++b)
        if (labels[a].tag == InstanceLabel::Tag::kParallel && labels[b].tag == labels[a].tag &&
            labels[a].size == labels[b].size && labels[a].size > 1 &&
            labels[a].strides != labels[b].strides)
          add("two labels exchanged",
              [a, b](Instance& of) { std::swap(of.labels[a].strides, of.labels[b].strides); });
  }

  // Of one operand, so that no other order of operands makes them equal.
  void other_functions() {
    if (made_.kind != Instance::Kind::kMap || made_.operands.size() != 1) return;
    std::set<std::string> others;
    for (const Instance& other : list_.universe().instances)
      if (other.kind == made_.kind && other.operands.size() == 1 && other.linear == made_.linear &&
          other.fn != made_.fn && !other.fn.starts_with("affine["))
        others.insert(other.fn);
    for (const std::string& fn : others) add(fn + " instead", [fn](Instance& of) { of.fn = fn; });
  }

  EditList& list_;
  AtomId atom_;
  const Instance& made_;
};

}  // namespace

void add_definition_edits(EditList& list) {
  const UsedAtoms used(list);
  for (const AtomId atom : used.atoms())
    if (list.instance(atom) != nullptr) DefinitionEdits(list, atom).run();
}

}  // namespace assay::test
