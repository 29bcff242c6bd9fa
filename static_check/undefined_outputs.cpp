#include "static_check/undefined_outputs.h"

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shared_ir/clean_expr.h"
#include "shared_ir/reference/element_functions.h"

namespace assay {
namespace {

bool is_movement(Prim prim) {
  return prim == Prim::kPermute || prim == Prim::kReshape || prim == Prim::kExpand ||
         prim == Prim::kSlice;
}

// The number that every element of the value is.
std::optional<double> constant_of(const Lifting& lifting, const Value& value) {
  std::optional<double> number;
  for (const Tile& tile : value.tiles) {
    if (!tile.integer.empty() || tile.terms.size() > 1) return std::nullopt;
    double here = 0;
    if (!tile.terms.empty()) {
      const Term& term = tile.terms[0];
      if (term.atom != lifting.one() || !term.restrictions.empty()) return std::nullopt;
      here = term.coef.to_double();
    }
    if (number && *number != here) return std::nullopt;
    number = here;
  }
  return number;
}

class RankOutputs {
 public:
  RankOutputs(const Lifting& lifting, const CoreProgram& program, const LiftedProgram& lifted)
      : lifting_(lifting), lifted_(lifted), kinds_(program.ops.size()) {
    for (size_t id = 0; id < lifted.values.size(); ++id) kinds_[id] = kind_of(program.ops[id]);
  }

  // The graph's node that made NaN of every element; kNone where there is none.
  NodeId origin(CoreId id) const { return kinds_[static_cast<size_t>(id)].nan; }

 private:
  struct Kind {
    bool infinite = false;  // every element is what a function gives outside of its domain
    NodeId nan = kNone;
  };

  const Kind& kind(CoreId id) const { return kinds_[static_cast<size_t>(id)]; }

  Kind kind_of(const CoreOp& op) const {
    if (element_count(op.shape) == 0) return {};
    Kind result;
    const bool adds =
        op.prim == Prim::kLinear || op.prim == Prim::kMul || op.prim == Prim::kReduceSum;
    if (adds || is_movement(op.prim))
      for (const CoreId operand : op.operands)
        if (kind(operand).nan != kNone) result.nan = kind(operand).nan;
    if (is_movement(op.prim)) result.infinite = kind(op.operands[0]).infinite;
    if (op.prim == Prim::kMap) result.infinite = is_undefined(op);
    if (op.prim == Prim::kMul)
      for (const auto& [one, other] : {std::pair<size_t, size_t>{0, 1}, {1, 0}})
        if (kind(op.operands[one]).infinite && constant(op.operands[other]) == 0)
          result.nan = op.origin;
    return result;
  }

  std::optional<double> constant(CoreId id) const {
    return constant_of(lifting_, lifted_.values[static_cast<size_t>(id)]);
  }

  bool is_undefined(const CoreOp& op) const {
    const reference::FunctionName function = reference::parse_function_name(op.fn);
    const reference::MapFunction evaluate = reference::find_map(function.name);
    if (op.operands.size() != 1 || evaluate == nullptr || !is_floating(op.dtype)) return false;
    const std::optional<double> argument = constant(op.operands[0]);
    return argument && !std::isfinite(evaluate(function, std::span(&*argument, 1)));
  }

  const Lifting& lifting_;
  const LiftedProgram& lifted_;
  std::vector<Kind> kinds_;
};

}  // namespace

void refuse_undefined_outputs(const Problem& problem, const Certificate& certificate) {
  std::vector<RankOutputs> ranks;
  for (size_t r = 0; r < problem.rank_programs.size(); ++r)
    ranks.emplace_back(problem.lifting, problem.rank_programs[r], problem.ranks.ranks[r]);
  const auto look_at = [&](const CleanExpr& leaf) {
    const Graph& graph = problem.rank_graph(leaf.rank);
    const auto rank = static_cast<size_t>(leaf.rank);
    const CoreId id =
        problem.rank_programs[rank].value_of[static_cast<size_t>(graph.find(leaf.name))];
    const NodeId origin = id == kNone ? kNone : ranks[rank].origin(id);
    if (origin == kNone) return;
    const Node& node = graph.nodes[static_cast<size_t>(origin)];
    throw UserError(node.source,
                    graph.name + ": " + node.op + " gives no number for any input, and '" +
                        leaf.name + "' is made of it",
                    "it multiplies zeros by what is not defined, such as 1/0: look at what it "
                    "divides by");
  };
  for (const Expectation& expectation : problem.refinement.expect)
    for (const CleanExpr& replica : expectation.replicas) for_each_leaf(replica, look_at);
  for (const auto& relation : certificate.relations)
    if (relation.output)
      for (const CleanExpr& replica : relation.replicas) for_each_leaf(replica, look_at);
}

}  // namespace assay
