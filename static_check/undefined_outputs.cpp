#include "static_check/undefined_outputs.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
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

// Arguments that stand for all: what is no number for these is none for others.
constexpr double kSamples[] = {0.5, -1.25, 3.75};

class Outputs {
 public:
  Outputs(const Lifting& lifting, const CoreProgram& program, const LiftedProgram& lifted)
      : lifting_(lifting), program_(program), lifted_(lifted) {
    for (size_t id = 0; id < lifted.values.size(); ++id)
      origins_.push_back(origin_of(program.ops[id]));
  }

  // The graph's node because of which no element is a number; kNone where there is none.
  NodeId origin(TensorId tensor) const {
    const CoreId id = program_.value_of[static_cast<size_t>(tensor)];
    return id == kNone ? kNone : origins_[static_cast<size_t>(id)];
  }

 private:
  NodeId origin_of(const CoreOp& op) const {
    if (element_count(op.shape) == 0) return kNone;
    if (op.prim == Prim::kUninit && is_floating(op.dtype)) return op.origin;
    if (op.prim == Prim::kConst && !op.fn.empty()) return op.origin;  // an infinity, or NaN
    if (op.prim == Prim::kMap && is_undefined(op)) return op.origin;
    const bool adds =
        op.prim == Prim::kLinear || op.prim == Prim::kMul || op.prim == Prim::kReduceSum;
    if (!adds && !is_movement(op.prim) && op.prim != Prim::kCat) return kNone;
    NodeId origin = kNone;
    for (const CoreId operand : op.operands) {
      const NodeId of_operand = origins_[static_cast<size_t>(operand)];
      if (of_operand != kNone)
        origin = of_operand;
      else if (op.prim == Prim::kCat)
        return kNone;
    }
    return origin;
  }

  // Whether a function has no finite value, whatever those of its arguments are that vary.
  bool is_undefined(const CoreOp& op) const {
    const reference::FunctionName function = reference::parse_function_name(op.fn);
    const reference::MapFunction evaluate = reference::find_map(function.name);
    if (evaluate == nullptr || !is_floating(op.dtype)) return false;
    std::vector<std::optional<double>> constants;
    for (const CoreId operand : op.operands)
      constants.push_back(constant_of(lifting_, lifted_.values[static_cast<size_t>(operand)]));
    if (std::ranges::none_of(constants, [](const auto& number) { return number.has_value(); }))
      return false;
    return std::ranges::none_of(kSamples, [&](double sample) {
      std::vector<double> arguments;
      for (const auto& number : constants) arguments.push_back(number.value_or(sample));
      return std::isfinite(evaluate(function, arguments));
    });
  }

  const Lifting& lifting_;
  const CoreProgram& program_;
  const LiftedProgram& lifted_;
  std::vector<NodeId> origins_;
};

}  // namespace

void refuse_undefined_outputs(const Problem& problem, const Certificate& certificate) {
  const Outputs sequential(problem.lifting, problem.sequential_program, problem.sequential);
  std::vector<Outputs> ranks;
  for (size_t r = 0; r < problem.rank_programs.size(); ++r)
    ranks.emplace_back(problem.lifting, problem.rank_programs[r], problem.ranks.ranks[r]);
  const auto look_at = [&](const CleanExpr& leaf) {
    const Graph& graph = problem.rank_graph(leaf.rank);
    const NodeId origin = ranks[static_cast<size_t>(leaf.rank)].origin(graph.find(leaf.name));
    if (origin == kNone) return;
    const Node& node = graph.nodes[static_cast<size_t>(origin)];
    throw UserError(node.source,
                    graph.name + ": " + node.op + " gives no number for any input, and '" +
                        leaf.name + "' is made of it",
                    "what is not defined (1/0, log 0) and memory that nothing has written may be "
                    "NaN, which no sum and no product takes away");
  };
  const auto look_at_all = [&](const std::vector<CleanExpr>& replicas) {
    for (const CleanExpr& replica : replicas) for_each_leaf(replica, look_at);
  };
  // The specification may say the same.
  const auto is_specified = [&](const CleanExpr& expr) {
    bool undefined = false;
    for_each_leaf(expr, [&](const CleanExpr& leaf) {
      const TensorId tensor = problem.refinement.sequential.find(leaf.name);
      undefined = undefined || sequential.origin(tensor) != kNone;
    });
    return undefined;
  };
  for (const Expectation& expectation : problem.refinement.expect)
    if (!is_specified(expectation.sequential)) look_at_all(expectation.replicas);
  for (const auto& relation : certificate.relations)
    if (relation.output &&
        sequential.origin(problem.refinement.sequential.find(relation.tensor)) == kNone)
      look_at_all(relation.replicas);
}

}  // namespace assay
