// The input relations, read backwards: what they say about each element of the distributed inputs.
//
// A relation gives, for each element y of a sequential input T, a sum of c_i * (element of a
// distributed input). One summand: that element is T[y] / c. Several: the summands are parts of
// T[y], free but for their sum. They are claimed as boxes of labels that T hides for this relation,
// so T[y] = sum over j of P[y, j], where P is defined by them. The labels of two replicas are
// independent: arrays with any row sums and any column sums of equal total exist.
#include <algorithm>

#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/joint.h"

namespace assay::checker {
namespace {

struct Leaf {
  const CleanExpr* expr;
  Rational coef = 1;
  std::vector<Affine> coords;
};

class InputCheck {
 public:
  explicit InputCheck(Joint& joint) : joint_(joint) {}

  void run() {
    for (size_t op = 0; op < joint_.sequential.ops.size(); ++op)
      if (joint_.sequential.ops[op].prim == Prim::kInput) check_sequential(static_cast<CoreId>(op));
    for (const Relation& relation : joint_.refinement.inputs) check_relation(relation);
    for (size_t rank = 0; rank < joint_.ranks.size(); ++rank)
      for (size_t op = 0; op < joint_.ranks[rank].ops.size(); ++op)
        if (joint_.ranks[rank].ops[op].prim == Prim::kInput)
          check_distributed({static_cast<Rank>(rank), static_cast<CoreId>(op)});
  }

 private:
  void check_sequential(CoreId id) {
    const OpRef ref{kNone, id};
    const Step step = joint_.step(ref);
    if (claims_unknown(joint_, ref)) return;
    for_each_region(region_of(step.op().shape), 0, [&](const Region& region) {
      const Element element = element_at(region, step.claim(), region.coords);
      if (element.integer || element.sum.size() != 1)
        reject(ref, "a sequential input is its own atom");
      const Product& product = element.sum[0];
      const Atom& atom = joint_.facts.atom(product.factors[0].atom);
      if (!product.coef.is_one() || !product.boxes.empty() || !product.guards.empty() ||
          atom.kind != Atom::Kind::kInput || atom.tensor != step.op().tensor ||
          product.factors[0].index != row_major(step.op().shape, region.coords))
        reject(ref, "a sequential input is its own atom");
      ++step.probes;
    });
  }

  void check_relation(const Relation& relation) {
    const TensorId id = joint_.refinement.sequential.find(relation.tensor);
    if (id == kNone) throw Rejection{"an input relation of no tensor"};
    const CoreId op = joint_.sequential.value_of[static_cast<size_t>(id)];
    if (joint_.sequential.ops[static_cast<size_t>(op)].prim != Prim::kInput)
      throw Rejection{"an input relation of " + relation.tensor + ", which is no input"};
    std::map<OpRef, Int> most;  // elements that the best replica determines
    for (const CleanExpr& replica : relation.replicas) {
      std::map<OpRef, Int> determined;
      std::vector<LabelId> own;  // labels of this replica's sums
      for_each_region(region_of(joint_.sequential.ops[static_cast<size_t>(op)].shape), 0,
                      [&](const Region& region) {
                        const Step step = joint_.step({kNone, op});
                        const Sum whole = as_sum(element_at(region, step.claim(), region.coords));
                        const std::vector<Leaf> leaves = leaves_at(replica, region);
                        Sum sum;
                        std::vector<LabelId> labels;
                        for (const Leaf& leaf : leaves) {
                          Sum claimed = joint_.elements()(*leaf.expr, region, leaf.coords);
                          if (leaves.size() > 1) check_part(relation, whole, leaf, claimed, labels);
                          for (Product& product : claimed) {
                            product.coef = product.coef * leaf.coef;
                            sum.push_back(std::move(product));
                          }
                        }
                        if (!equal(joint_.facts, region, sum, whole))
                          throw Rejection{"input relation of " + relation.tensor +
                                          ": its claims give " + to_string(sum) + ", not " +
                                          to_string(whole)};
                        for (const Leaf& leaf : leaves)
                          determined[op_of(*leaf.expr)] += region.elements();
                        own.insert(own.end(), labels.begin(), labels.end());
                        ++joint_.probes;
                      });
      for (const LabelId label : own)
        if (label_owners_.emplace(label, &replica).first->second != &replica)
          throw Rejection{"input relation of " + relation.tensor + ": one label for two sums"};
      for (const auto& [ref, count] : determined) most[ref] = std::max(most[ref], count);
    }
    for (const auto& [ref, count] : most) determined_[ref] += count;
  }

  // One of several summands is a part of T that no other relation speaks of.
  void check_part(const Relation& relation, const Sum& whole, const Leaf& leaf, const Sum& claimed,
                  std::vector<LabelId>& labels) const {
    const bool part = claimed.size() == 1 && whole.size() == 1 &&
                      claimed[0].factors == whole[0].factors &&
                      (claimed[0].coef * leaf.coef).is_one() && claimed[0].guards.empty() &&
                      !claimed[0].boxes.empty();
    if (!part)
      throw Rejection{"input relation of " + relation.tensor + ": a summand is no part of it"};
    for (const Box& box : claimed[0].boxes) {
      if (joint_.facts.universe().labels[static_cast<size_t>(box.label)].instance != kNone)
        throw Rejection{"input relation of " + relation.tensor +
                        ": a summand is a part of another sum"};
      labels.push_back(box.label);
    }
  }

  // The distributed elements whose sum this element is; coefficients of one element added, pads
  // left out.
  std::vector<Leaf> leaves_at(const CleanExpr& replica, const Region& region) const {
    std::vector<Leaf> found;
    const LeafElement collect = [&](const CleanExpr& leaf, const Region&,
                                    const std::vector<Affine>& coords) {
      // The leaf's position in `found` stands for it; evaluate() scales its coefficient.
      found.push_back({&leaf, 1, coords});
      return Sum{{1, {{static_cast<AtomId>(found.size() - 1), {}}}, {}, {}}};
    };
    const Sum sum = evaluate(replica, region, region.coords, joint_.shapes(), collect);
    std::vector<Leaf> leaves;
    for (const Product& product : sum) {
      Leaf leaf = found[static_cast<size_t>(product.factors[0].atom)];
      leaf.coef = product.coef;
      const auto same = std::find_if(leaves.begin(), leaves.end(), [&](const Leaf& other) {
        return op_of(*other.expr) == op_of(*leaf.expr) && other.coords == leaf.coords;
      });
      if (same == leaves.end())
        leaves.push_back(std::move(leaf));
      else
        same->coef = same->coef + leaf.coef;
    }
    std::erase_if(leaves, [](const Leaf& leaf) { return leaf.coef.is_zero(); });
    return leaves;
  }

  OpRef op_of(const CleanExpr& leaf) const {
    const TensorId tensor = joint_.graph(leaf.rank).find(leaf.name);
    return {leaf.rank, joint_.program(leaf.rank).value_of[static_cast<size_t>(tensor)]};
  }

  // Every element is determined by a relation or an unknown of its own.
  void check_distributed(const OpRef& ref) {
    const Step step = joint_.step(ref);
    Int unknown = 0;
    AtomId own = kNone;
    for_each_region(region_of(step.op().shape), 0, [&](const Region& region) {
      const Element element = element_at(region, step.claim(), region.coords);
      if (element.integer || element.sum.size() != 1) return;
      const Product& product = element.sum[0];
      const Factor& factor = product.factors[0];
      const Atom& atom = joint_.facts.atom(factor.atom);
      const bool source = atom.kind == Atom::Kind::kUninit ||
                          (atom.kind == Atom::Kind::kInput && atom.tensor == kNone);
      if (!source || (own != kNone && factor.atom != own) || !product.coef.is_one() ||
          !product.boxes.empty() || !product.guards.empty() || !atom.hidden.empty() ||
          is_floating(atom.dtype) != is_floating(step.op().dtype) ||
          is_bool(atom.dtype) != is_bool(step.op().dtype) ||
          factor.index != row_major(step.op().shape, region.coords))
        return;
      own = factor.atom;
      unknown += region.elements();
    });
    if (own != kNone && joint_.owners.emplace(own, ref).first->second != ref)
      reject(ref, "an unknown that belongs to another tensor");
    Int elements = 1;
    for (const Int extent : step.op().shape) elements *= extent;
    const auto found = determined_.find(ref);
    if (unknown + (found == determined_.end() ? 0 : found->second) < elements)
      reject(ref, "a claim about an input that the input relations do not determine");
    ++step.probes;
  }

  [[noreturn]] void reject(const OpRef& ref, const std::string& what) const {
    throw Rejection{describe(joint_, ref) + ": " + what};
  }

  Joint& joint_;
  std::map<OpRef, Int> determined_;  // elements, a lower bound
  std::map<LabelId, const CleanExpr*> label_owners_;
};

}  // namespace

void check_inputs(Joint& joint) { InputCheck(joint).run(); }

}  // namespace assay::checker
