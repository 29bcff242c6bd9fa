#include "static_check/domains/ignored_targets.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "shared_ir/lower/declare/node_arguments.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {
namespace {

// An argument by the name of its parameter; nullopt where the operator has none of that name.
std::optional<Arg> argument(const OperatorTable& operators, const Node& node,
                            std::string_view name) {
  const OperatorDeclaration* declaration = operators.find(node.op);
  if (declaration == nullptr) return std::nullopt;
  const auto found = std::ranges::find(declaration->parameters, name, &lowering::Parameter::name);
  if (found == declaration->parameters.end()) return std::nullopt;
  return lowering::argument_of(*declaration, node,
                               static_cast<size_t>(found - declaration->parameters.begin()));
}

std::optional<Int> integer(const std::optional<Arg>& arg) {
  const auto* value = arg ? std::get_if<Int>(&arg->value) : nullptr;
  return value == nullptr ? std::nullopt : std::optional(*value);
}

struct Program {
  const Graph& graph;
  const CoreProgram& core;
};

// A loss whose ignore_index is no class.
struct IgnoringLoss {
  const Node* node;
  TensorId target;
  Int targets;  // how many
  Int ignore_index;
  bool is_mean;
};

// Whether it is made of inputs: other targets are constants, which are held against the assumption.
bool reads_an_input(const Graph& graph, TensorId id) {
  std::vector<TensorId> open{id};
  std::set<TensorId> seen{id};
  while (!open.empty()) {
    const NodeId producer = graph.tensors[static_cast<size_t>(open.back())].producer;
    open.pop_back();
    if (producer == kNone) return true;
    for (const TensorId operand : operands_of(graph.nodes[static_cast<size_t>(producer)]))
      if (seen.insert(operand).second) open.push_back(operand);
  }
  return false;
}

// The graph inputs of which it is elements, moved; kNone among them for others.
std::set<TensorId> inputs_moved(const CoreProgram& program, CoreId at) {
  std::set<TensorId> inputs;
  std::vector<CoreId> open{at};
  while (!open.empty()) {
    const CoreId id = open.back();
    open.pop_back();
    const CoreOp* op = id == kNone ? nullptr : &program.ops[static_cast<size_t>(id)];
    const bool moves = op && (op->prim == Prim::kReshape || op->prim == Prim::kSlice ||
                              op->prim == Prim::kPermute || op->prim == Prim::kExpand ||
                              op->prim == Prim::kCat || op->prim == Prim::kCast);
    if (moves)
      open.insert(open.end(), op->operands.begin(), op->operands.end());
    else
      inputs.insert(op && op->prim == Prim::kInput ? op->tensor : kNone);
  }
  return inputs;
}

bool is_an_input(const CoreProgram& program, TensorId id) {
  return !inputs_moved(program, program.value_of[static_cast<size_t>(id)]).contains(kNone);
}

std::vector<IgnoringLoss> losses_of(const OperatorTable& operators, const Graph& graph) {
  std::vector<IgnoringLoss> found;
  for (const Node& node : graph.nodes) {
    const auto ignored = integer(argument(operators, node, "ignore_index"));
    if (!ignored || *ignored >= 0) continue;
    const std::optional<Arg> target = argument(operators, node, "target");
    const auto* tensor = target ? std::get_if<TensorArg>(&target->value) : nullptr;
    if (tensor == nullptr || !reads_an_input(graph, tensor->id)) continue;
    const Tensor& targets = graph.tensors[static_cast<size_t>(tensor->id)];
    found.push_back({&node, tensor->id, element_count(targets.shape), *ignored,
                     integer(argument(operators, node, "reduction")) == 1});
  }
  return found;
}

// Whether they are compared from above too: a rank asks so which of them are its own.
bool is_bounded_above(const Graph& graph, TensorId id) {
  return std::ranges::any_of(graph.nodes, [&](const Node& node) {
    const auto operands = operands_of(node);
    return !operands.empty() && operands[0] == id &&
           (node.op.starts_with("aten.lt.") || node.op.starts_with("aten.le."));
  });
}

// Whether the node asks which integers are this one, or takes negative ones of an input to 0.
bool expects_ignored(const OperatorTable& operators, const Program& of, const Node& node,
                     Int ignored) {
  const auto operands = operands_of(node);
  if (operands.empty() || !is_integer(of.graph.tensors[static_cast<size_t>(operands[0])].dtype))
    return false;
  const auto is = [&](std::string_view prefix) { return node.op.starts_with(prefix); };
  if (is("aten.eq.Scalar") || is("aten.ne.Scalar"))
    return integer(argument(operators, node, "other")) == ignored;
  if (is("aten.clamp.default") || is("aten.clamp_min.default"))
    return integer(argument(operators, node, "min")) == 0 &&
           !integer(argument(operators, node, "max")) && is_an_input(of.core, operands[0]);
  return is("aten.ge.Scalar") && integer(argument(operators, node, "other")) == 0 &&
         !is_bounded_above(of.graph, operands[0]) && is_an_input(of.core, operands[0]);
}

UserError other_count(const Graph& graph, const Node& node, Int ignored, const std::string& what) {
  return {node.source, graph.name + ": " + node.op + what + " (" + decimal(ignored) + ")",
          "divide the sum of all parts' losses by the sum of their counts (reduction=\"sum\", "
          "all_reduce of both); or, where no target is ignored, say so in the case: [assume] "
          "ignored_targets = \"none\" (in a test, options().no_target_ignored = true)"};
}

// Inputs of a graph that hold classes alone.
using ClassInputs = std::set<TensorId>;

// The tensors of ranks that are nothing but elements of the whole one.
void collect_parts(const CleanExpr& expr, const std::vector<Program>& ranks,
                   std::vector<ClassInputs>& found) {
  if (expr.kind == CleanExpr::Kind::kTensor)
    found[static_cast<size_t>(expr.rank)].insert(
        ranks[static_cast<size_t>(expr.rank)].graph.find(expr.name));
  const bool is_whole = expr.kind == CleanExpr::Kind::kConcat ||
                        expr.kind == CleanExpr::Kind::kPermute ||
                        expr.kind == CleanExpr::Kind::kReshape;
  if (!is_whole) return;
  for (const CleanExpr& operand : expr.operands) collect_parts(operand, ranks, found);
}

// Whether every loss takes its targets from inputs that hold classes (Case::never_ignored).
bool targets_are_classes(const Program& program, const ClassInputs& classes,
                         const std::vector<IgnoringLoss>& losses) {
  return std::ranges::all_of(losses, [&](const IgnoringLoss& loss) {
    const std::set<TensorId> targets =
        inputs_moved(program.core, program.core.value_of[static_cast<size_t>(loss.target)]);
    return !targets.contains(kNone) && std::ranges::includes(classes, targets);
  });
}

bool all_targets_are_classes(const Case& refinement, const Program& specification,
                             const std::vector<Program>& ranks,
                             const std::vector<IgnoringLoss>& own,
                             const std::vector<std::vector<IgnoringLoss>>& of_ranks) {
  ClassInputs of_specification;
  std::vector<ClassInputs> parts(ranks.size());
  for (const Relation& relation : refinement.inputs) {
    if (std::ranges::count(refinement.never_ignored, relation.tensor) == 0) continue;
    of_specification.insert(specification.graph.find(relation.tensor));
    for (const CleanExpr& replica : relation.replicas) collect_parts(replica, ranks, parts);
  }
  if (!targets_are_classes(specification, of_specification, own)) return false;
  for (size_t r = 0; r < ranks.size(); ++r)
    if (!targets_are_classes(ranks[r], parts[r], of_ranks[r])) return false;
  return true;
}

class Readings {
 public:
  Readings(const Case& refinement, const LoweredCase& programs, const OperatorTable& operators)
      : refinement_(refinement),
        operators_(operators),
        specification_{refinement.sequential, programs.sequential} {
    for (size_t r = 0; r < refinement.ranks.size(); ++r)
      ranks_.push_back({refinement.ranks[r], programs.ranks[r]});
  }

  TargetReadings read() {
    const std::vector<IgnoringLoss> own = losses_of(operators_, specification_.graph);
    std::vector<std::vector<IgnoringLoss>> of_ranks;
    std::set<Int> ignored;
    bool on_ranks = false;
    for (const IgnoringLoss& loss : own) ignored.insert(loss.ignore_index);
    for (const Program& rank : ranks_) {
      of_ranks.push_back(losses_of(operators_, rank.graph));
      for (const IgnoringLoss& loss : of_ranks.back()) ignored.insert(loss.ignore_index);
      on_ranks |= !of_ranks.back().empty();
    }
    if (ignored.empty()) return {};
    // In the specification label smoothing asks so (aten.eq) of its own accord.
    bool asked = asks(specification_, "aten.ne.Scalar", ignored) || makes(specification_, own);
    for (size_t r = 0; r < ranks_.size(); ++r)
      asked |= asks(ranks_[r], "", ignored) || makes(ranks_[r], of_ranks[r]);
    TargetReadings readings{asked || on_ranks, false, other_count_of_ranks(own, of_ranks, asked)};
    if (all_targets_are_classes(refinement_, specification_, ranks_, own, of_ranks))
      return {asked, true};
    readings.exact |= readings.other_count.has_value();
    readings.none_ignored = !asked && !readings.other_count;
    for (size_t r = 0; r < ranks_.size(); ++r)
      for (const IgnoringLoss& loss : of_ranks[r])
        if (!fails_at_ignored(ranks_[r], loss))
          readings.ignoring = {loss.node->source, ranks_[r].graph.name + ": " + loss.node->op};
    return readings;
  }

 private:
  // Whether the program makes targets itself.
  static bool makes(const Program& program, const std::vector<IgnoringLoss>& losses) {
    return std::ranges::any_of(
        losses, [&](const IgnoringLoss& loss) { return !is_an_input(program.core, loss.target); });
  }

  // Whether the program reads a table at the targets of the loss themselves, which fails at one
  // that is no row.
  static bool fails_at_ignored(const Program& program, const IgnoringLoss& loss) {
    const std::set<TensorId> targets =
        inputs_moved(program.core, program.core.value_of[static_cast<size_t>(loss.target)]);
    return std::ranges::any_of(program.core.ops, [&](const CoreOp& op) {
      return op.prim == Prim::kOneHot && op.ints.empty() &&
             inputs_moved(program.core, op.operands[0]) == targets;
    });
  }

  bool asks(const Program& program, std::string_view prefix, const std::set<Int>& ignored) const {
    return std::ranges::any_of(program.graph.nodes, [&](const Node& node) {
      return node.op.starts_with(prefix) && std::ranges::any_of(ignored, [&](Int index) {
               return expects_ignored(operators_, program, node, index);
             });
    });
  }

  std::optional<UserError> other_count_of_ranks(
      const std::vector<IgnoringLoss>& own, const std::vector<std::vector<IgnoringLoss>>& of_ranks,
      bool asked) const {
    std::set<Int> counted;  // targets of the specification's means
    for (const IgnoringLoss& loss : own)
      if (loss.is_mean) counted.insert(loss.targets);
    if (counted.empty()) return std::nullopt;
    for (size_t r = 0; r < ranks_.size(); ++r)
      for (const IgnoringLoss& loss : of_ranks[r]) {
        if (fails_at_ignored(ranks_[r], loss)) continue;
        // Who asks which targets count may divide by their number itself.
        if (!loss.is_mean && !asked)
          return other_count(ranks_[r].graph, *loss.node, loss.ignore_index,
                             " is no mean, and the specification's loss is divided by the number "
                             "of targets that are not ignored");
        if (loss.is_mean && !counted.contains(loss.targets))
          return other_count(ranks_[r].graph, *loss.node, loss.ignore_index,
                             " is a mean of means: each part is divided by its own count of "
                             "targets that are not ignored");
      }
    return std::nullopt;
  }

  const Case& refinement_;
  const OperatorTable& operators_;
  const Program specification_;
  std::vector<Program> ranks_;
};

}  // namespace

TargetReadings readings_of_targets(const Case& refinement, const LoweredCase& programs,
                                   const OperatorTable& operators) {
  if (refinement.no_target_ignored) return {};
  return Readings(refinement, programs, operators).read();
}

}  // namespace assay
