#include <algorithm>
#include <set>

#include "shared_ir/case/approximation.h"

namespace assay {
namespace {

// Operators of one program that are taken out.
class Removal {
 public:
  explicit Removal(Graph& graph) : graph_(graph) {}

  void take_out(const std::string& name) {
    const TensorId id = graph_.find(name);
    const Tensor& tensor = graph_.tensors[static_cast<size_t>(id)];
    if (tensor.producer == kNone) return;  // another relation has its operator out already
    taken_.insert(tensor.producer);
    tensors_.emplace_back(id, tensor.producer);
    make_input(id);
  }

  // The operands of the operator that computed the tensor, but for what such operators compute.
  std::vector<std::string> operands_of_operator_of(const std::string& name) const {
    const TensorId id = graph_.find(name);
    const auto removed = std::find_if(tensors_.begin(), tensors_.end(),
                                      [&](const auto& one) { return one.first == id; });
    std::vector<std::string> operands;
    for (TensorId operand : operands_of(graph_.nodes[static_cast<size_t>(removed->second)])) {
      const Tensor& tensor = graph_.tensors[static_cast<size_t>(operand)];
      if (tensor.producer == kNone || !taken_.contains(tensor.producer))
        operands.push_back(tensor.name);
    }
    return operands;
  }

 private:
  void make_input(TensorId id) {
    Tensor& tensor = graph_.tensors[static_cast<size_t>(id)];
    graph_.nodes[static_cast<size_t>(tensor.producer)].outputs[static_cast<size_t>(tensor.output)] =
        kNone;
    tensor.producer = kNone;
    tensor.output = 0;
    graph_.inputs.push_back(id);
  }

  Graph& graph_;
  std::set<NodeId> taken_;
  std::vector<std::pair<TensorId, NodeId>> tensors_;
};

const std::string& own_name(const Graph& graph, const std::string& name) {
  return graph.tensors[static_cast<size_t>(graph.find(name))].name;
}

void for_each_leaf_of(const Relation& relation,
                      const std::function<void(const CleanExpr&)>& visit) {
  for (const CleanExpr& replica : relation.replicas) for_each_leaf(replica, visit);
}

void use_own_names(const std::vector<Graph>& ranks, CleanExpr& expr) {
  if (expr.kind == CleanExpr::Kind::kTensor)
    expr.name = own_name(ranks[static_cast<size_t>(expr.rank)], expr.name);
  for (CleanExpr& operand : expr.operands) use_own_names(ranks, operand);
}

}  // namespace

std::vector<Relation> approximations_as_relations(const Case& refinement) {
  std::vector<Relation> relations;
  for (const Approximation& accepted : refinement.approximations) {
    relations.push_back(
        {own_name(refinement.sequential, accepted.tensor), accepted.replicas, accepted.place});
    for (CleanExpr& replica : relations.back().replicas) use_own_names(refinement.ranks, replica);
  }
  return relations;
}

GivenApproximations given_approximations(const Case& refinement) {
  GivenApproximations given{refinement, {}};
  given.refinement.approximations.clear();
  Removal sequential(given.refinement.sequential);
  std::vector<Removal> ranks;
  for (Graph& graph : given.refinement.ranks) ranks.emplace_back(graph);
  const std::vector<Relation> accepted = approximations_as_relations(refinement);
  for (const Relation& relation : accepted) {
    given.refinement.inputs.push_back(relation);
    sequential.take_out(relation.tensor);
    for_each_leaf_of(relation, [&](const CleanExpr& leaf) {
      ranks[static_cast<size_t>(leaf.rank)].take_out(leaf.name);
    });
  }
  for (const Relation& relation : accepted) {
    ApproximatedOperands& operands = given.operands.emplace_back();
    operands.sequential = sequential.operands_of_operator_of(relation.tensor);
    for_each_leaf_of(relation, [&](const CleanExpr& leaf) {
      for (const std::string& name :
           ranks[static_cast<size_t>(leaf.rank)].operands_of_operator_of(leaf.name)) {
        CleanExpr operand;
        operand.name = name;
        operand.rank = leaf.rank;
        if (std::find(operands.ranks.begin(), operands.ranks.end(), operand) ==
            operands.ranks.end())
          operands.ranks.push_back(std::move(operand));
      }
    });
  }
  return given;
}

std::vector<bool> approximated_tensors(const Case& refinement) {
  const Graph& graph = refinement.sequential;
  std::vector<bool> marked(graph.tensors.size(), false);
  for (const Approximation& accepted : refinement.approximations)
    marked[static_cast<size_t>(graph.find(accepted.tensor))] = true;
  for (const Node& node : graph.nodes) {
    const std::vector<TensorId> operands = operands_of(node);
    if (std::none_of(operands.begin(), operands.end(),
                     [&](TensorId id) { return marked[static_cast<size_t>(id)]; }))
      continue;
    for (TensorId output : node.outputs)
      if (output != kNone) marked[static_cast<size_t>(output)] = true;
  }
  return marked;
}

std::string to_string(const Case& refinement, const Approximation& approximation) {
  std::string text = approximation.tensor;
  for (const CleanExpr& replica : approximation.replicas) text += " = " + to_string(replica);
  const Graph& graph = refinement.sequential;
  const Tensor& tensor = graph.tensors[static_cast<size_t>(graph.find(approximation.tensor))];
  const Node& node = graph.nodes[static_cast<size_t>(tensor.producer)];
  text += " in place of what " + node.op;
  if (node.source.known()) text += " at " + to_string(node.source);
  return text + " computes (" + approximation.reason + ")";
}

}  // namespace assay
