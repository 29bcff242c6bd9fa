#include <algorithm>

#include "dynamic_check/kernels/boxed_call.h"
#include "dynamic_check/run/interpret/collective_node.h"
#include "tests/mutation/edits/edits.h"

namespace assay::test {
namespace {

using Kind = CollectiveNode::Kind;

class CollectiveEdits {
 public:
  CollectiveEdits(const Case& refinement, Rank rank, NodeId node, const CollectiveNode& call,
                  std::vector<Edit>& edits)
      : refinement_(refinement),
        graph_(refinement.ranks[static_cast<size_t>(rank)]),
        node_(node),
        call_(call),
        edits_(edits) {}

  void add_all() {
    add_reductions();
    if (call_.kind == Kind::kAllReduce) add_broadcasts();
    add_groups();
    add_repetition();
    add_earlier_collective();
  }

 private:
  void add(const std::string& change, std::function<void(Case&, Rank)> apply) {
    edits_.push_back(
        {MutationKind::kCollective, describe(graph_, node_, change), std::move(apply)});
  }

  void add_reductions() {
    if (call_.kind != Kind::kAllReduce && call_.kind != Kind::kReduceScatter) return;
    for (const std::string reduction : {"sum", "avg", "max", "min", "product"}) {
      if (reduction == call_.reduction) continue;
      add("reduces by " + reduction,
          [node = node_, call = call_, reduction](Case& mutant, Rank rank) {
            Node& of = node_of(graph_of(mutant, rank), node);
            if (call.kind == Kind::kAllReduce && call.memory.empty()) {
              of.op = "_c10d_functional.all_reduce.default";
              of.args = {Arg{TensorArg{call.input}}, Arg{reduction}, Arg{call.group}};
              of.kwargs.clear();
            } else {
              for (Arg* arg : leaves(of)) {
                const auto* text = std::get_if<std::string>(&arg->value);
                if (text && *text == call.reduction) arg->value = reduction;
              }
            }
          });
    }
  }

  void add_broadcasts() {
    const auto members =
        static_cast<int64_t>(refinement_.distributed_groups.at(call_.group).size());
    for (int64_t source = 0; source < members; ++source) {
      add("is a broadcast from " + std::to_string(source),
          [node = node_, call = call_, source](Case& mutant, Rank rank) {
            Node& of = node_of(graph_of(mutant, rank), node);
            of.op = "_c10d_functional.broadcast.default";
            of.args = {Arg{TensorArg{call.input}}, Arg{source}, Arg{call.group}};
            of.kwargs.clear();
          });
    }
  }

  void add_group(const std::string& change, std::function<std::string(Case&, Rank)> group) {
    add(change, [node = node_, old = call_.group, group](Case& mutant, Rank rank) {
      const std::string name = group(mutant, rank);
      for (Arg* arg : leaves(node_of(graph_of(mutant, rank), node))) {
        const auto* text = std::get_if<std::string>(&arg->value);
        if (text && *text == old) arg->value = name;
      }
    });
  }

  void add_groups() {
    const std::string old = call_.group;
    add_group("on the same ranks in reverse", [old](Case& mutant, Rank) {
      std::vector<Rank> members = mutant.distributed_groups.at(old);
      std::ranges::reverse(members);
      const std::string name = "reversed " + old;
      mutant.distributed_groups[name] = members;
      return name;
    });
    add_group("on half of the ranks", [old](Case& mutant, Rank rank) {
      const std::vector<Rank> members = mutant.distributed_groups.at(old);
      const auto middle = members.begin() + static_cast<std::ptrdiff_t>(members.size() / 2);
      const bool first = std::find(members.begin(), middle, rank) != middle;
      const std::string name = (first ? "first half of " : "second half of ") + old;
      mutant.distributed_groups[name] = first ? std::vector<Rank>(members.begin(), middle)
                                              : std::vector<Rank>(middle, members.end());
      return name;
    });
  }

  // f(f(x)): twice the collective, where it does not change the shape.
  void add_repetition() {
    const Node& of = graph_.nodes[static_cast<size_t>(node_)];
    if (of.outputs.size() != 1 || call_.input == kNone) return;
    const TensorId output = of.outputs.front();
    if (!same_type(graph_, call_.input, output)) return;
    add("repeated", [node = node_, input = call_.input](Case& mutant, Rank rank) {
      Graph& graph = graph_of(mutant, rank);
      const Node original = node_of(graph, node);
      const Tensor operand = graph.tensors[static_cast<size_t>(input)];
      const TensorId once = insert_call(graph, node, original, operand.shape, operand.dtype);
      replace_operand(node_of(graph, node + 1), input, once);
    });
  }

  // The next collective is called before this one, where its operands allow it.
  void add_earlier_collective() {
    for (auto next = node_ + 1; next < static_cast<NodeId>(graph_.nodes.size()); ++next) {
      const Node& other = graph_.nodes[static_cast<size_t>(next)];
      if (!collective_of(other)) continue;
      if (std::ranges::all_of(tensor_arguments(other),
                              [&](TensorId id) { return is_ready(graph_, id, node_); })) {
        add("comes after the next collective", [next, to = node_](Case& mutant, Rank rank) {
          move_node(graph_of(mutant, rank), next, to);
        });
      }
      return;
    }
  }

  const Case& refinement_;
  const Graph& graph_;
  const NodeId node_;
  const CollectiveNode call_;
  std::vector<Edit>& edits_;
};

}  // namespace

void add_collective_edits(const Case& refinement, Rank rank, NodeId node,
                          std::vector<Edit>& edits) {
  const Node& of = refinement.ranks[static_cast<size_t>(rank)].nodes[static_cast<size_t>(node)];
  if (const auto call = collective_of(of))
    CollectiveEdits(refinement, rank, node, *call, edits).add_all();
}

}  // namespace assay::test
