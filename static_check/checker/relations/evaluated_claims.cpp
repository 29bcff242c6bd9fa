// Claims that do not follow from what an operator's operands claim, but are evaluated.
//
// Why nothing goes in a circle: an operator's claim rests on those of its operands, or, where it is
// evaluated, on the claims of what is cut among the operators that it is computed of, of which it
// is none itself. Both come before it in the order in which the programs run together, and so does
// all that these rest on.
#include "shared_ir/cast.h"
#include "static_check/checker/identity/identity.h"
#include "static_check/checker/joint.h"
#include "static_check/checker/reduction/reduced_labels.h"

namespace assay::checker {
namespace {

CoreId operator_of(const Joint& joint, const CleanExpr& leaf, Rank rank) {
  const TensorId id =
      leaf.kind == CleanExpr::Kind::kTensor ? joint.graph(rank).find(leaf.name) : kNone;
  const CoreId op = id == kNone ? kNone : joint.program(rank).value_of.at(static_cast<size_t>(id));
  if (op == kNone) throw Rejection{"an evaluated claim is not of tensors"};
  return op;
}

bool may_wrap(const Joint& joint, const CleanExpr& leaf, Rank rank) {
  const auto id = static_cast<size_t>(joint.graph(rank).find(leaf.name));
  return joint.program(rank).may_wrap.at(id);
}

void find(Joint& joint, const CleanExpr& sequential, const CleanExpr& replica) {
  EvaluatedPlace place{operator_of(joint, sequential, kNone), 0, 0};
  const CoreOp& whole = joint.sequential.ops.at(static_cast<size_t>(place.sequential));
  const bool several = replica.kind == CleanExpr::Kind::kConcat;
  if (several) place.dim = static_cast<size_t>(replica.dim);
  for (const CleanExpr& leaf : several ? replica.operands : std::vector{replica}) {
    if (leaf.rank < 0 || static_cast<size_t>(leaf.rank) >= joint.ranks.size())
      throw Rejection{"an evaluated claim of a rank that is none"};
    const OpRef ref{leaf.rank, operator_of(joint, leaf, leaf.rank)};
    const CoreOp& own = joint.program(leaf.rank).ops.at(static_cast<size_t>(ref.op));
    const bool wraps = may_wrap(joint, sequential, kNone) || may_wrap(joint, leaf, leaf.rank);
    if (own.prim == Prim::kInput || own.dtype != whole.dtype || is_bool(own.dtype) || wraps)
      throw Rejection{describe(joint, ref) + ": an evaluated claim of an input or another type"};
    joint.evaluated_claims.insert_or_assign(ref, place);
    if (several) place.offset += own.shape.at(place.dim);
  }
}

void check_cut(Joint& joint, const std::string& what, const Certificate::EvaluatedClaim& claim,
               const Certificate::EvaluatedClaim::Cut& cut) {
  check_derived(joint, what + ", by evaluation from ", cut.sequential, cut.replica);
  const CoreId id = operator_of(joint, cut.replica, cut.replica.rank);
  for (const CleanExpr& replica : claim.replicas)
    for_each_leaf(replica, [&](const CleanExpr& leaf) {
      if (leaf.rank == cut.replica.rank && operator_of(joint, leaf, leaf.rank) == id)
        throw Rejection{what + ": what is evaluated is cut to itself"};
    });
}

}  // namespace

void find_evaluated_claims(Joint& joint) {
  for (const Certificate::EvaluatedClaim& claim : joint.certificate.evaluated_claims)
    for (const CleanExpr& replica : claim.replicas) find(joint, claim.sequential, replica);
}

bool makes_evaluated_claim(Joint& joint, const OpRef& ref) {
  const auto found = joint.evaluated_claims.find(ref);
  if (found == joint.evaluated_claims.end()) return false;
  const EvaluatedPlace& place = found->second;
  const Step own = joint.step(ref), whole = joint.step({kNone, place.sequential});
  for_each_region(region_of(own.op().shape), 0, [&](const Region& region) {
    std::vector<Affine> coords = region.coords;
    if (place.offset != 0) coords.at(place.dim) = shifted(coords.at(place.dim), place.offset);
    const Sum wanted = as_sum(element_at(region, whole.claim(), coords)),
              claimed = as_sum(element_at(region, own.claim(), region.coords));
    if (!equal_in_elements(joint.facts, region, claimed, wanted))
      reject_difference(region.coords, claimed, wanted);
    ++joint.probes;
  });
  return true;
}

void check_evaluated_claims(Joint& joint) {
  for (const Certificate::EvaluatedClaim& claim : joint.certificate.evaluated_claims) {
    const std::string what = to_string(claim.sequential, Leaves::kSequential);
    for (const CleanExpr& replica : claim.replicas)
      check_comparable(joint, what, claim.sequential, replica);
    try {
      for (const auto& cut : claim.cuts) check_cut(joint, what, claim, cut);
      IdentityCheck(joint).check_from_cuts(what, claim);
    } catch (const Rejection& rejection) {
      throw Undecided{what + ": " + rejection.reason};
    }
    ++joint.probes;
  }
}

}  // namespace assay::checker
