// Relations of sequential tensors: clean expressions over the ranks' tensors that equal them.
#include <algorithm>
#include <set>

#include "static_check/checker/identity/identity.h"
#include "static_check/checker/joint.h"

namespace assay::checker {
namespace {

void check_final(const Joint& joint, const std::string& what, const CleanExpr& expr) {
  for (const CleanExpr& operand : expr.operands) check_final(joint, what, operand);
  if (expr.kind != CleanExpr::Kind::kTensor) return;
  const Graph& graph = joint.graph(expr.rank);
  if (std::find(graph.outputs.begin(), graph.outputs.end(), graph.find(expr.name)) ==
      graph.outputs.end())
    throw Rejection{what + ": " + to_string(expr) + " is no output of its rank"};
}

CleanExpr leaf(const std::string& tensor) {
  CleanExpr expr;
  expr.name = tensor;
  return expr;
}

// The integers of a tensor, or of a sum or multiple of it.
struct Integers {
  DType dtype;
  bool wrap;  // they may leave their type's range
};

// What is read of one side of a relation.
struct Numbers {
  std::vector<Integers> integers;
  bool floating = false, flags = false, divided = false;
};

void add_numbers(const Joint& joint, const CleanExpr& expr, bool sequential, bool computed,
                 Numbers& to) {
  to.divided |= expr.kind == CleanExpr::Kind::kScale && expr.denominator != 1;
  computed |= expr.kind == CleanExpr::Kind::kSum || expr.kind == CleanExpr::Kind::kScale;
  for (const CleanExpr& operand : expr.operands)
    add_numbers(joint, operand, sequential, computed, to);
  if (expr.kind != CleanExpr::Kind::kTensor) return;
  const Rank rank = sequential ? kNone : expr.rank;
  const auto id = static_cast<size_t>(joint.graph(rank).find(expr.name));
  const DType dtype = joint.graph(rank).tensors.at(id).dtype;
  to.floating |= is_floating(dtype);
  to.flags |= is_bool(dtype);
  if (is_integer(dtype))
    to.integers.push_back({dtype, computed || joint.program(rank).may_wrap.at(id)});
}

// Integers are compared modulo 2^bits: of two widths they are equal where neither wraps. Sums and
// multiples wrap, and a fraction of what wrapped says nothing.
void check_types(const Joint& joint, const std::string& what, const CleanExpr& sequential,
                 const CleanExpr& replica) {
  Numbers wanted, found;
  add_numbers(joint, sequential, true, false, wanted);
  add_numbers(joint, replica, false, false, found);
  const bool floating = wanted.floating || found.floating, flags = wanted.flags || found.flags;
  const bool integers = !wanted.integers.empty() || !found.integers.empty();
  if (static_cast<int>(floating) + static_cast<int>(flags) + static_cast<int>(integers) != 1)
    throw Rejection{what + ": numbers of several kinds"};
  if (!floating && (wanted.divided || found.divided))
    throw Rejection{what + ": an integer is divided"};
  for (const Integers& a : wanted.integers)
    for (const Integers& b : found.integers)
      if (a.dtype != b.dtype && (a.wrap || b.wrap))
        throw Rejection{what + ": integers of several widths, which wrap elsewhere"};
}

// nullptr: it is derived.
const Certificate::Evaluated* evaluated(const Joint& joint, const CleanExpr& sequential,
                                        const CleanExpr& replica) {
  const auto& all = joint.certificate.evaluated;
  const auto found = std::ranges::find_if(all, [&](const auto& equation) {
    return to_string(equation.sequential) == to_string(sequential) &&
           to_string(equation.replica) == to_string(replica);
  });
  return found == all.end() ? nullptr : &*found;
}

IdentityCheck& identities(Joint& joint) {
  if (joint.identities != nullptr) return *joint.identities;
  joint.identities = std::make_shared<IdentityCheck>(joint);
  const std::vector<Certificate::Evaluated>& all = joint.certificate.evaluated;
  for (size_t first = 0, next = 0; first < all.size(); first = next) {
    const CleanExpr& tensor = all[first].sequential;
    const std::string what = to_string(tensor, Leaves::kSequential);
    const bool taken = all[first].use != Certificate::Evaluated::Use::kClaim;
    for (; next < all.size() && all[next].sequential == tensor && all[next].use == all[first].use;
         ++next)
      if (taken) check_comparable(joint, what, tensor, all[next].replica);
    if (taken) joint.identities->take(what, {&all[first], next - first});
  }
  return *joint.identities;
}

}  // namespace

Shape check_comparable(const Joint& joint, const std::string& what, const CleanExpr& sequential,
                       const CleanExpr& replica) {
  check_types(joint, what, sequential, replica);
  const Shape shape = infer_shape(sequential, joint.shapes(true), {});
  if (infer_shape(replica, joint.shapes(), {}) != shape)
    throw Rejection{what + ": " + to_string(replica) + " has another shape"};
  return shape;
}

void check_equal(Joint& joint, const std::string& what, const CleanExpr& sequential,
                 const CleanExpr& replica) {
  check_comparable(joint, what, sequential, replica);
  if (const Certificate::Evaluated* equation = evaluated(joint, sequential, replica)) {
    try {
      IdentityCheck& all = identities(joint);  // has checked what is taken
      if (equation->use == Certificate::Evaluated::Use::kClaim)
        all.check(what, sequential, replica);
    } catch (const Rejection& rejection) {
      throw Undecided{what + ": " + rejection.reason};  // evaluation is no derivation
    }
    ++joint.probes;
    return;
  }
  check_derived(joint, what, sequential, replica);
}

void check_derived(Joint& joint, const std::string& what, const CleanExpr& sequential,
                   const CleanExpr& replica) {
  const Shape shape = check_comparable(joint, what, sequential, replica);
  for_each_region(region_of(shape), 0, [&](const Region& region) {
    const Sum wanted =
        evaluate(sequential, region, region.coords, joint.shapes(true), joint.elements(true));
    const Sum found = evaluate(replica, region, region.coords, joint.shapes(), joint.elements());
    if (!equal_in_elements(joint.facts, region, wanted, found)) {
      try {
        reject_difference(region.coords, found, wanted);
      } catch (const Rejection& rejection) {
        throw Rejection{what + " = " + to_string(replica) + ": " + rejection.reason};
      }
    }
    ++joint.probes;
  });
}

void check_relations(Joint& joint) {
  for (const Certificate::Covered& covered : joint.certificate.relations) {
    const std::string what = "relation of " + covered.tensor;
    if (covered.replicas.empty()) throw Rejection{what + ": it is empty"};
    for (const CleanExpr& replica : covered.replicas) {
      check_equal(joint, what, leaf(covered.tensor), replica);
      if (covered.output) check_final(joint, what, replica);
    }
  }
}

void check_goals(Joint& joint) {
  std::vector<std::string> proved;
  for (const Certificate::Covered& covered : joint.certificate.relations)
    if (covered.output) proved.push_back(covered.tensor);
  for (const std::string& output : joint.refinement.outputs) {
    const auto& accept = joint.refinement.accept;
    if (accept &&
        std::find(accept->tensors.begin(), accept->tensors.end(), output) != accept->tensors.end())
      continue;
    if (std::find(proved.begin(), proved.end(), output) == proved.end())
      throw Rejection{"output " + output + " has no relation"};
  }
  for (const Expectation& expectation : joint.refinement.expect)
    for (const CleanExpr& replica : expectation.replicas)
      check_equal(joint, "expectation of " + to_string(expectation.sequential),
                  expectation.sequential, replica);
}

}  // namespace assay::checker
