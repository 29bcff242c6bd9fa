#include "static_check/domains/ignored_targets.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "shared_ir/base/error.h"
#include "shared_ir/lower/declare/node_arguments.h"

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

std::optional<int64_t> integer(const std::optional<Arg>& arg) {
  const auto* value = arg ? std::get_if<int64_t>(&arg->value) : nullptr;
  return value == nullptr ? std::nullopt : std::optional(*value);
}

struct Program {
  const Graph& graph;
  const CoreProgram& core;
};

// A loss whose ignore_index is no class.
struct IgnoringLoss {
  const Node* node;
  int64_t targets;  // how many
  int64_t ignore_index;
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

// Or elements of one, moved.
bool is_an_input(const CoreProgram& program, TensorId id) {
  CoreId at = program.value_of[static_cast<size_t>(id)];
  while (at != kNone) {
    const CoreOp& op = program.ops[static_cast<size_t>(at)];
    const bool moves = op.prim == Prim::kReshape || op.prim == Prim::kSlice ||
                       op.prim == Prim::kPermute || op.prim == Prim::kExpand;
    if (!moves) return op.prim == Prim::kInput;
    at = op.operands[0];
  }
  return false;
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
    found.push_back({&node, element_count(targets.shape), *ignored,
                     integer(argument(operators, node, "reduction")) == 1});
  }
  return found;
}

// Whether the node asks which integers are this one, or takes negative ones of an input to 0.
bool expects_ignored(const OperatorTable& operators, const Program& of, const Node& node,
                     int64_t ignored) {
  const auto operands = operands_of(node);
  if (operands.empty() || !is_integer(of.graph.tensors[static_cast<size_t>(operands[0])].dtype))
    return false;
  const auto is = [&](std::string_view prefix) { return node.op.starts_with(prefix); };
  if (is("aten.eq.Scalar") || is("aten.ne.Scalar"))
    return integer(argument(operators, node, "other")) == ignored;
  if (is("aten.clamp.default") || is("aten.clamp_min.default"))
    return integer(argument(operators, node, "min")) == 0 && is_an_input(of.core, operands[0]);
  return is("aten.ge.Scalar") && integer(argument(operators, node, "other")) == 0 &&
         is_an_input(of.core, operands[0]);
}

[[noreturn]] void refuse(const Graph& graph, const Node& node, int64_t ignored,
                         const std::string& what) {
  throw UserError(node.source,
                  graph.name + ": " + node.op + what + " (" + std::to_string(ignored) + ")",
                  "divide the sum of all parts' losses by the sum of their counts (reduction="
                  "\"sum\", all_reduce of both), or compute the loss without ignore_index where "
                  "no target is ignored");
}

}  // namespace

void refuse_ignored_targets(const Problem& problem, const OperatorTable& operators) {
  const Program specification{problem.refinement.sequential, problem.sequential_program};
  std::vector<Program> ranks;
  for (size_t r = 0; r < problem.rank_programs.size(); ++r)
    ranks.push_back({problem.rank_graph(static_cast<Rank>(r)), problem.rank_programs[r]});
  std::set<int64_t> ignored, counted;  // counted: targets of the specification's means
  for (const IgnoringLoss& loss : losses_of(operators, specification.graph)) {
    ignored.insert(loss.ignore_index);
    if (loss.is_mean) counted.insert(loss.targets);
  }
  std::vector<std::vector<IgnoringLoss>> of_ranks;
  for (const Program& rank : ranks) {
    of_ranks.push_back(losses_of(operators, rank.graph));
    for (const IgnoringLoss& loss : of_ranks.back()) ignored.insert(loss.ignore_index);
  }
  const auto look_at = [&](const Program& program, std::string_view prefix) {
    for (const Node& node : program.graph.nodes)
      for (const int64_t value : ignored)
        if (node.op.starts_with(prefix) && expects_ignored(operators, program, node, value))
          refuse(program.graph, node, value,
                 " is there for targets that are ignored, which the proof would have to leave out");
  };
  // In the specification label smoothing asks so (aten.eq) of its own accord.
  look_at(specification, "aten.ne.Scalar");
  for (const Program& rank : ranks) look_at(rank, "");
  if (counted.empty()) return;
  for (size_t r = 0; r < ranks.size(); ++r)
    for (const IgnoringLoss& loss : of_ranks[r]) {
      if (!loss.is_mean)
        refuse(ranks[r].graph, *loss.node, loss.ignore_index,
               " is no mean, and the specification's loss is divided by the number of targets that "
               "are not ignored");
      if (!counted.contains(loss.targets))
        refuse(ranks[r].graph, *loss.node, loss.ignore_index,
               " is a mean of means: each part is divided by its own count of targets that are not "
               "ignored");
    }
}

}  // namespace assay
