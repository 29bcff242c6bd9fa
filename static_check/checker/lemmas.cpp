#include "static_check/checker/lemmas.h"

#include <algorithm>
#include <functional>

#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/arithmetic/definitions.h"
#include "static_check/checker/arithmetic/sums.h"
#include "static_check/checker/facts/instances.h"
#include "static_check/checker/facts/rewriting.h"

namespace assay::checker {
namespace {

using Tag = InstanceLabel::Tag;

// Every call has the operands and the dimension of its function.
void check_well_formed(const Formula& formula) {
  if (formula.kind == Formula::Kind::kCall) {
    const FormulaFunction* function = find_function(formula.name);
    const bool arithmetic = formula.name == "add" || formula.name == "mul";
    if (!arithmetic && function == nullptr) throw Rejection{"no function: " + formula.name};
    if (formula.operands.size() != (arithmetic ? 2 : function->operands) ||
        formula.dim.empty() != (arithmetic || !function->reduces))
      throw Rejection{"a malformed call of " + formula.name};
  } else if (!formula.operands.empty()) {
    throw Rejection{"operands of no function"};
  }
  for (const Formula& operand : formula.operands) check_well_formed(operand);
}

class LemmaCheck {
 public:
  LemmaCheck(const Facts& facts, const LemmaProof& proof) : facts_(facts), proof_(proof) {
    Shape sizes;
    for (const LemmaProof::Dim& dim : proof.dims) sizes.push_back(dim.size);
    for (size_t i = 0; i < proof.dims.size(); ++i)
      for (size_t k = 0; k < i; ++k)
        if (proof.dims[i].name == proof.dims[k].name) throw Rejection{"two dimensions of one name"};
    for (const Int size : sizes)
      if (size < 1) throw Rejection{"an empty dimension"};
    region_ = region_of(sizes);
  }

  void run(const LemmaTable& lemmas) const {
    for (const LemmaProof::Leaf& leaf : proof_.leaves) check_leaf(leaf);
    for (const LemmaProof::Definition& definition : proof_.definitions) {
      leaf_at(definition.leaf);
      check_well_formed(definition.formula);
      check_definition(definition);
    }
    for (const LemmaProof::Step& step : proof_.steps) {
      check_well_formed(step.replacement);
      for (const auto& [name, formula] : step.variables) check_well_formed(formula);
    }
    check_whole(proof_.left);
    check_whole(proof_.right);
    if (leaf_at(proof_.left).strides != leaf_at(proof_.right).strides)
      throw Rejection{"atoms that are not equal index by index"};
    const Formula reached = rewrite(make_variable(leaf_name(proof_.left)), proof_, lemmas);
    if (reached != right_side(proof_)) throw Rejection{"the steps lead to " + to_string(reached)};
  }

 private:
  const LemmaProof::Leaf& leaf_at(int32_t leaf) const {
    if (leaf < 0 || static_cast<size_t>(leaf) >= proof_.leaves.size())
      throw Rejection{"no such leaf"};
    return proof_.leaves[static_cast<size_t>(leaf)];
  }

  void check_leaf(const LemmaProof::Leaf& leaf) const {
    if (!facts_.valid(leaf.atom) || leaf.strides.size() != proof_.dims.size())
      throw Rejection{"a malformed leaf"};
    Modes digits;
    for (size_t i = 0; i < leaf.strides.size(); ++i) {
      if (proof_.dims[i].size == 1 && leaf.strides[i] != 0)
        throw Rejection{"a stride of a single coordinate"};
      digits.push_back({proof_.dims[i].size, leaf.strides[i]});
    }
    if (!addresses_fit(leaf.offset, digits, facts_.atom(leaf.atom).size))
      throw Rejection{"a leaf outside of its atom"};
    if (!is_finite(leaf.atom)) throw Rejection{"a leaf that may be infinite"};
  }

  // No infinity and no NaN went into it.
  bool is_finite(AtomId id) const {
    std::vector<AtomId> pending{id};
    std::vector<bool> seen(facts_.universe().atoms.size(), false);
    while (!pending.empty()) {
      const AtomId atom = pending.back();
      pending.pop_back();
      if (seen[static_cast<size_t>(atom)]) continue;
      seen[static_cast<size_t>(atom)] = true;
      const Atom::Kind kind = facts_.atom(atom).kind;
      if (kind == Atom::Kind::kInfinity || kind == Atom::Kind::kNan || kind == Atom::Kind::kUninit)
        return false;
      if (const Instance* made = facts_.definition(atom))
        for (const Instance::Operand& operand : made->operands) pending.push_back(operand.atom);
    }
    return true;
  }

  // Row-major over the dimensions that it sees.
  void check_whole(int32_t number) const {
    const LemmaProof::Leaf& leaf = leaf_at(number);
    Modes digits;
    for (size_t i = 0; i < leaf.strides.size(); ++i)
      if (leaf.strides[i] != 0) digits.push_back({proof_.dims[i].size, leaf.strides[i]});
    std::sort(digits.begin(), digits.end(),
              [](const Mode& a, const Mode& b) { return a.stride < b.stride; });
    Int inner = 1;
    for (const Mode& digit : digits) {
      if (digit.stride != inner) throw Rejection{"a leaf that is no whole atom"};
      inner *= digit.size;
    }
    if (leaf.offset != 0 || inner != facts_.atom(leaf.atom).size)
      throw Rejection{"a leaf that is no whole atom"};
    if (!is_floating(facts_.atom(leaf.atom).dtype)) throw Rejection{"a lemma about integers"};
  }

  // Over the digits of region_, which are the dimensions.
  Affine index_of(const LemmaProof::Leaf& leaf) const {
    Affine index{leaf.offset, {}};
    for (size_t i = 0; i < leaf.strides.size(); ++i)
      if (leaf.strides[i] != 0) index = plus(index, times(region_.coords[i], leaf.strides[i]));
    return index;
  }

  // The same index over the digits of a part of region_.
  static Affine within(const Region& part, const Affine& index) {
    Affine result{index.base, {}};
    for (size_t i = 0; i < index.steps.size(); ++i)
      if (index.steps[i] != 0) result = plus(result, times(part.coords[i], index.steps[i]));
    return result;
  }

  Sum sum_of(const Region& part, const Formula& formula) const {
    switch (formula.kind) {
      case Formula::Kind::kVariable: {
        const LemmaProof::Leaf& leaf = leaf_at(leaf_number(formula.name));
        return {{1, {{leaf.atom, within(part, index_of(leaf))}}, {}, {}}};
      }
      case Formula::Kind::kNumber:
        return {{formula.number, {}, {}, {}}};
      case Formula::Kind::kSize:
      case Formula::Kind::kCall:
        break;
    }
    if (formula.name != "add" && formula.name != "mul")
      throw Rejection{"a definition of several functions: " + to_string(formula)};
    Sum a = sum_of(part, formula.operands[0]);
    const Sum b = sum_of(part, formula.operands[1]);
    if (formula.name == "add") {
      a.insert(a.end(), b.begin(), b.end());
      return a;
    }
    Sum products;
    for (const Product& x : a)
      for (const Product& y : b) products.push_back(multiply(facts_, x, y));
    return products;
  }

  void check_same(const Factor& factor, const Formula& formula) const {
    for_each_region(region_, 0, [&](const Region& part) {
      const Sum wanted{{1, {{factor.atom, within(part, factor.index)}}, {}, {}}};
      const Sum found = sum_of(part, formula);
      if (!equal(facts_, part, wanted, found))
        throw Rejection{"the definition " + to_string(formula) + " is " + to_string(found) +
                        ", not " + to_string(wanted)};
    });
  }

  void check_definition(const LemmaProof::Definition& definition) const {
    const Formula& formula = definition.formula;
    const LemmaProof::Leaf& leaf = leaf_at(definition.leaf);
    const Factor self{leaf.atom, index_of(leaf)};
    const bool function =
        formula.kind == Formula::Kind::kCall && formula.name != "add" && formula.name != "mul";
    if (!function) return check_same(self, formula);
    const Instance* made = facts_.definition(leaf.atom);
    if (made == nullptr || made->operands.size() != formula.operands.size())
      throw Rejection{"a definition of what is no " + formula.name};
    std::vector<Affine> labels;
    try {
      labels = label_coordinates(region_, *made, self.index);
    } catch (const Split&) {
      throw Rejection{"a leaf whose dimensions are not its instance's"};
    }
    if (formula.dim.empty())
      check_map(*made, formula);
    else
      check_reduction(*made, leaf, formula, labels);
    for (size_t i = 0; i < formula.operands.size(); ++i)
      check_same({made->operands[i].atom, operand_index(*made, i, labels)}, formula.operands[i]);
  }

  static void check_map(const Instance& made, const Formula& formula) {
    if (made.kind != Instance::Kind::kMap || made.fn != formula.name)
      throw Rejection{"a definition of what is no " + formula.name};
  }

  // The one label that the instance reduces is the dimension.
  void check_reduction(const Instance& made, const LemmaProof::Leaf& leaf, const Formula& formula,
                       std::vector<Affine>& labels) const {
    const bool right = (formula.name == "sum" && made.kind == Instance::Kind::kSum) ||
                       (formula.name == "max" && made.kind == Instance::Kind::kMax);
    size_t dim = 0;
    while (dim < proof_.dims.size() && proof_.dims[dim].name != formula.dim) ++dim;
    if (!right || dim == proof_.dims.size())
      throw Rejection{"a definition of what is no " + formula.name};
    Int size = 1;
    for (size_t i = 0; i < labels.size(); ++i) {
      const InstanceLabel& label = made.labels[i];
      if (label.size == 1) continue;
      if (label.tag == Tag::kParallel) {
        if (labels[i].step(dim) != 0) throw Rejection{"a reduction along a parallel label"};
        continue;
      }
      if (size != 1) throw Rejection{"a reduction over several labels"};
      size = label.size;
      labels[i] = region_.coords[dim];
    }
    if (size != proof_.dims[dim].size || leaf.strides[dim] != 0)
      throw Rejection{"a reduction over another dimension"};
  }

  const Facts& facts_;
  const LemmaProof& proof_;
  Region region_;
};

}  // namespace

void learn_lemmas(Facts& facts, const LemmaTable& lemmas, const std::vector<LemmaProof>& proofs) {
  for (size_t i = 0; i < proofs.size(); ++i) {
    const LemmaProof& proof = proofs[i];
    try {
      LemmaCheck(facts, proof).run(lemmas);
      facts.learn(proof.leaves[static_cast<size_t>(proof.left)].atom,
                  proof.leaves[static_cast<size_t>(proof.right)].atom, proof.factor);
    } catch (const Rejection& rejection) {
      throw Rejection{"lemma proof " + std::to_string(i) + ": " + rejection.reason};
    }
  }
}

}  // namespace assay::checker
