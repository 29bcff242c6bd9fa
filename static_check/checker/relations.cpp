// Relations of sequential tensors: clean expressions over the ranks' tensors that equal them.
#include <algorithm>
#include <set>

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

// Integers are compared modulo 2^bits: of two widths they are equal where neither wraps. Sums and
// multiples wrap, and a fraction of what wrapped says nothing.
void check_types(const Joint& joint, const std::string& what, const CleanExpr& sequential,
                 const CleanExpr& replica) {
  struct Numbers {
    std::set<DType> integers;
    bool wrap = false, floating = false, flags = false, divided = false;
  } all;
  const auto add = [&](const auto& self, const CleanExpr& expr, bool is_sequential) -> void {
    for (const CleanExpr& operand : expr.operands) self(self, operand, is_sequential);
    all.wrap |= expr.kind == CleanExpr::Kind::kSum || expr.kind == CleanExpr::Kind::kScale;
    all.divided |= expr.kind == CleanExpr::Kind::kScale && expr.denominator != 1;
    if (expr.kind != CleanExpr::Kind::kTensor) return;
    const Rank rank = is_sequential ? kNone : expr.rank;
    const auto id = static_cast<size_t>(joint.graph(rank).find(expr.name));
    const DType dtype = joint.graph(rank).tensors.at(id).dtype;
    all.floating |= is_floating(dtype);
    all.flags |= is_bool(dtype);
    if (is_integer(dtype)) all.integers.insert(dtype);
    all.wrap |= joint.program(rank).may_wrap.at(id);
  };
  add(add, sequential, true);
  add(add, replica, false);
  const int kinds = static_cast<int>(all.floating) + static_cast<int>(all.flags) +
                    static_cast<int>(!all.integers.empty());
  if (kinds != 1) throw Rejection{what + ": numbers of several kinds"};
  if (!all.floating && all.divided) throw Rejection{what + ": an integer is divided"};
  if (all.integers.size() > 1 && all.wrap)
    throw Rejection{what + ": integers of several widths, which wrap elsewhere"};
}

}  // namespace

void check_equal(Joint& joint, const std::string& what, const CleanExpr& sequential,
                 const CleanExpr& replica) {
  check_types(joint, what, sequential, replica);
  const LeafShape sequential_shapes = joint.shapes(true), rank_shapes = joint.shapes();
  const Shape shape = infer_shape(sequential, sequential_shapes, {});
  if (infer_shape(replica, rank_shapes, {}) != shape)
    throw Rejection{what + ": " + to_string(replica) + " has another shape"};
  for_each_region(region_of(shape), 0, [&](const Region& region) {
    const Sum wanted =
        evaluate(sequential, region, region.coords, sequential_shapes, joint.elements(true));
    const Sum found = evaluate(replica, region, region.coords, rank_shapes, joint.elements());
    if (!equal(joint.facts, region, wanted, found)) {
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
