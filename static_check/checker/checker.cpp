#include "static_check/checker/checker.h"

#include <functional>

#include "shared_ir/base/error.h"
#include "shared_ir/case/approximation.h"
#include "shared_ir/cast.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/glossary.h"
#include "static_check/checker/joint.h"
#include "static_check/checker/lemmas.h"

namespace assay {
namespace {

using namespace checker;

// What the programs say about linearity: a function is linear in an operand if every use declares
// it so. Some functions stand in claims without being called.
LinearIn linear_functions(const CoreProgram& sequential, const std::vector<CoreProgram>& ranks) {
  LinearIn linear{{kKeepFunction, 2U}, {"exp", 0U}, {"log", 0U}, {"reciprocal", 0U}};
  for (DType to : {DType::kBool, DType::kUint8, DType::kUint16, DType::kUint32, DType::kInt8,
                   DType::kInt16, DType::kInt32, DType::kInt64})
    linear.emplace(cast_function(to), 0U);
  const auto add = [&](const CoreProgram& program) {
    for (const CoreOp& op : program.ops)
      if (op.prim == Prim::kMap || op.prim == Prim::kBlock) {
        const auto [at, added] = linear.emplace(op.fn, op.linear);
        if (!added) at->second &= op.linear;
      }
  };
  add(sequential);
  for (const CoreProgram& rank : ranks) add(rank);
  return linear;
}

void check_shapes(const Joint& joint, Rank rank) {
  const CoreProgram& program = joint.program(rank);
  if (joint.values(rank).size() != program.ops.size())
    throw Rejection{"a number of claims that is not the program's"};
  for (size_t op = 0; op < program.ops.size(); ++op) {
    try {
      check_value(joint.facts, joint.values(rank)[op], program.ops[op].shape);
    } catch (const Rejection& rejection) {
      throw Rejection{describe(joint, {rank, static_cast<CoreId>(op)}) + ": " + rejection.reason};
    }
  }
}

// Sums and concatenations alone have a value where an operand has no elements and they have some.
// (A collective is checked with its members.)
void check_operands_have_elements(const Step& step) {
  const Prim prim = step.op().prim;
  if (prim == Prim::kReduceSum || prim == Prim::kCat || prim == Prim::kCollective) return;
  for (size_t i = 0; i < step.op().operands.size(); ++i)
    if (element_count(step.operand_op(i).shape) == 0)
      throw Rejection{"a function of a tensor without elements"};
}

void check_operator(Joint& joint, const OpRef& ref) {
  const Step step = joint.step(ref);
  check_operands_have_elements(step);
  switch (step.op().prim) {
    case Prim::kInput:
    case Prim::kCollective:
      return;
    case Prim::kRandom:
      return check_random(joint, ref);
    case Prim::kUninit:
      throw Rejection{"memory that is not written is an unknown of its own"};
    case Prim::kConst:
    case Prim::kIota:
    case Prim::kLinear:
    case Prim::kMul:
    case Prim::kMap:
    case Prim::kKeep:
    case Prim::kCast:
    case Prim::kOneHot:
      return check_pointwise(step);
    case Prim::kPermute:
    case Prim::kReshape:
    case Prim::kExpand:
    case Prim::kSlice:
    case Prim::kCat:
      return check_movement(step);
    case Prim::kReduceSum:
    case Prim::kReduceMax:
    case Prim::kReduceMin:
      return check_reduction(step);
    case Prim::kBlock:
    case Prim::kOpaque:
      return check_function(step);
  }
}

void check_program(Joint& joint, Rank rank, const std::function<void(const OpRef&)>& checked) {
  for (size_t op = 0; op < joint.program(rank).ops.size(); ++op) {
    const OpRef ref{rank, static_cast<CoreId>(op)};
    const Prim prim = joint.program(rank).ops[op].prim;
    ++joint.claims;
    asked_by([&] { return "the proof of " + describe(joint, ref); });
    try {
      if (!makes_evaluated_claim(joint, ref)) check_operator(joint, ref);
    } catch (const Rejection& rejection) {
      // An operator that was not understood may claim an unknown of its own: that is true of any
      // operator. One that passes an unknown on does not own it.
      const bool is_unknown =
          prim != Prim::kInput && prim != Prim::kCollective && claims_unknown(joint, ref);
      if (!is_unknown) throw Rejection{describe(joint, ref) + ": " + rejection.reason};
    }
    checked(ref);
  }
}

}  // namespace

CheckResult check_certificate(const Case& refinement, const CoreProgram& sequential,
                              const std::vector<CoreProgram>& ranks, const Certificate& certificate,
                              Replayed what, const LemmaTable& lemmas) {
  ASSAY_CHECK(ranks.size() == refinement.ranks.size(), "one program per rank");
  ASSAY_CHECK(sequential.value_of.size() == refinement.sequential.tensors.size(),
              "the sequential graph's program");
  GivenApproximations given;
  if (!refinement.approximations.empty()) given = given_approximations(refinement);
  const Case& asked = refinement.approximations.empty() ? refinement : given.refinement;
  CheckResult result;
  asked_by([] { return "the arrays that the proof names"; });
  try {
    if (certificate.ranks.size() != ranks.size())
      throw Rejection{"a number of ranks that is not the case's"};
    const LinearIn linear = linear_functions(sequential, ranks);
    Facts facts(certificate.universe, refinement.sequential, linear);
    learn_lemmas(facts, lemmas, certificate.lemmas);
    check_approximations(certificate, refinement.approximations);
    Joint joint{asked, sequential, ranks, certificate, facts, {}, {}, 0, 0};
    check_shapes(joint, kNone);
    for (size_t rank = 0; rank < ranks.size(); ++rank) check_shapes(joint, static_cast<Rank>(rank));
    check_inputs(joint);
    find_evaluated_claims(joint);
    check_program(joint, kNone, [&](const OpRef& ref) {
      const bool is_index = sequential.ops[static_cast<size_t>(ref.op)].prim == Prim::kOneHot;
      if (is_index) assume_indices(joint, ref, facts.indices());
    });
    for (size_t rank = 0; rank < ranks.size(); ++rank)
      check_program(joint, static_cast<Rank>(rank), [](const OpRef&) {});
    asked_by([] { return "the proof of the outputs"; });
    check_indices(joint);
    check_collectives(joint);
    check_evaluated_claims(joint);
    check_relations(joint);
    if (what == Replayed::kProof) {
      check_goals(joint);
      check_approximated_operands(joint, given.operands);
    }
    result.claims = joint.claims;
    result.probes = joint.probes;
    result.accepted = true;
  } catch (const Rejection& rejection) {
    result.reason = rejection.reason + glossary(certificate.universe, rejection.reason);
  } catch (const Undecided& undecided) {
    result.undecided = true;
    result.reason = undecided.reason;
  } catch (const RationalOverflow&) {
    result.undecided = true;
    result.reason = "a coefficient leaves 64 bits";
  } catch (const UserError& error) {
    result.reason = error.what();  // a relation of the certificate that is not well-formed
  }
  return result;
}

}  // namespace assay
