#include "static_check/domains/ignored_targets.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include "shared_ir/base/error.h"

namespace assay {
namespace {

// Where the arguments of a loss stand.
struct Loss {
  std::string_view prefix;
  size_t target, reduction, ignore_index;
};
constexpr std::array kLosses = {
    Loss{"aten.nll_loss_forward.", 1, 3, 4}, Loss{"aten.nll_loss_backward.", 2, 4, 5},
    Loss{"aten.nll_loss2d_forward.", 1, 3, 4}, Loss{"aten.nll_loss.", 1, 3, 4},
    Loss{"aten.cross_entropy_loss.", 1, 3, 4}};

constexpr std::array<std::string_view, 10> kViews = {
    "aten.view.",    "aten.reshape.",   "aten._unsafe_view.", "aten.slice.",  "aten.select.",
    "aten.squeeze.", "aten.unsqueeze.", "aten.clone.",        "aten.detach.", "aten.flatten."};

const Arg* argument(const Node& node, size_t place, std::string_view name) {
  for (const auto& [key, arg] : node.kwargs)
    if (key == name) return &arg;
  return place < node.args.size() ? &node.args[place] : nullptr;
}

std::optional<int64_t> integer(const Arg* arg) {
  if (arg == nullptr) return std::nullopt;
  if (const auto* value = std::get_if<int64_t>(&arg->value)) return *value;
  return std::nullopt;
}

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

// Or a view of one.
bool is_an_input(const Graph& graph, TensorId id) {
  while (true) {
    const NodeId producer = graph.tensors[static_cast<size_t>(id)].producer;
    if (producer == kNone) return true;
    const Node& node = graph.nodes[static_cast<size_t>(producer)];
    const auto operands = operands_of(node);
    if (operands.size() != 1 || std::ranges::none_of(kViews, [&](std::string_view view) {
          return node.op.starts_with(view);
        }))
      return false;
    id = operands[0];
  }
}

std::vector<IgnoringLoss> losses_of(const Graph& graph) {
  std::vector<IgnoringLoss> found;
  for (const Node& node : graph.nodes) {
    const auto loss = std::ranges::find_if(
        kLosses, [&](const Loss& one) { return node.op.starts_with(one.prefix); });
    if (loss == kLosses.end()) continue;
    const auto ignored = integer(argument(node, loss->ignore_index, "ignore_index")).value_or(-100);
    const Arg* target = argument(node, loss->target, "target");
    const auto* tensor = target == nullptr ? nullptr : std::get_if<TensorArg>(&target->value);
    if (ignored >= 0 || tensor == nullptr || !reads_an_input(graph, tensor->id)) continue;
    const Tensor& targets = graph.tensors[static_cast<size_t>(tensor->id)];
    found.push_back({&node, element_count(targets.shape), ignored,
                     integer(argument(node, loss->reduction, "reduction")).value_or(1) == 1});
  }
  return found;
}

// Whether the node asks which integers are this one, or takes negative ones of an input to 0.
bool expects_ignored(const Graph& graph, const Node& node, int64_t ignored) {
  const auto operands = operands_of(node);
  if (operands.empty() || !is_integer(graph.tensors[static_cast<size_t>(operands[0])].dtype))
    return false;
  const auto is = [&](std::string_view prefix) { return node.op.starts_with(prefix); };
  if (is("aten.eq.Scalar") || is("aten.ne.Scalar"))
    return integer(argument(node, 1, "other")) == ignored;
  if (is("aten.clamp.default") || is("aten.clamp_min.default"))
    return integer(argument(node, 1, "min")) == 0 && is_an_input(graph, operands[0]);
  return is("aten.ge.Scalar") && integer(argument(node, 1, "other")) == 0 &&
         is_an_input(graph, operands[0]);
}

[[noreturn]] void refuse(const Graph& graph, const Node& node, const std::string& what) {
  throw UserError(node.source, graph.name + ": " + node.op + what,
                  "divide the sum of all parts' losses by the sum of their counts (reduction="
                  "\"sum\", all_reduce of both), or compute the loss without ignore_index where "
                  "no target is ignored");
}

}  // namespace

void refuse_ignored_targets(const Problem& problem) {
  const Graph& specification = problem.refinement.sequential;
  std::vector<const Graph*> graphs{&specification};
  for (size_t r = 0; r < problem.rank_programs.size(); ++r)
    graphs.push_back(&problem.rank_graph(static_cast<Rank>(r)));
  std::set<int64_t> ignored;
  for (const Graph* graph : graphs)
    for (const IgnoringLoss& loss : losses_of(*graph)) ignored.insert(loss.ignore_index);
  if (ignored.empty()) return;
  // In the specification label smoothing asks so (aten.eq) of its own accord.
  for (const Node& node : specification.nodes)
    for (const int64_t value : ignored)
      if (node.op.starts_with("aten.ne.Scalar") && expects_ignored(specification, node, value))
        refuse(specification, node,
               " asks which targets are ignored (" + std::to_string(value) +
                   "), which the proof would have to leave out");
  for (const Graph* graph : std::span(graphs).subspan(1))
    for (const Node& node : graph->nodes)
      for (const int64_t value : ignored)
        if (expects_ignored(*graph, node, value))
          refuse(*graph, node,
                 " is there for targets that are ignored (" + std::to_string(value) +
                     "), which the proof would have to leave out");
  std::set<int64_t> counted;  // targets of the specification's means
  for (const IgnoringLoss& loss : losses_of(specification))
    if (loss.is_mean) counted.insert(loss.targets);
  if (counted.empty()) return;
  for (size_t i = 1; i < graphs.size(); ++i)
    for (const IgnoringLoss& loss : losses_of(*graphs[i])) {
      if (!loss.is_mean)
        refuse(*graphs[i], *loss.node,
               " is no mean, and the specification's loss is divided by the number of targets "
               "that are not ignored (" +
                   std::to_string(loss.ignore_index) + ")");
      if (!counted.contains(loss.targets))
        refuse(*graphs[i], *loss.node,
               " is a mean of means: each part is divided by its own count of targets that are "
               "not ignored (" +
                   std::to_string(loss.ignore_index) + ")");
    }
}

}  // namespace assay
