#include "tests/support/graph_builder.h"

#include <fmt/format.h>

namespace assay::test {

Argument::Argument(const std::vector<Argument>& list) {
  ArgList args;
  for (const Argument& item : list) args.push_back(item.arg);
  arg.value = std::move(args);
}

TensorRef GraphBuilder::add(const std::string& name, const TensorType& type, NodeId producer,
                            int32_t output) {
  const auto id = static_cast<TensorId>(graph_.tensors.size());
  graph_.tensors.push_back({name, type.dtype, type.shape, producer, output});
  graph_.by_name.emplace(name, id);
  return {id};
}

TensorRef GraphBuilder::input(const std::string& name, Shape shape, DType dtype) {
  const TensorRef tensor = add(name, {std::move(shape), dtype}, kNone, 0);
  graph_.inputs.push_back(tensor.id);
  return tensor;
}

Node GraphBuilder::node_of(const std::string& op, std::vector<Argument> args) const {
  Node node;
  node.op = op;
  node.source = place_;
  for (Argument& argument : args) node.args.push_back(std::move(argument.arg));
  return node;
}

void GraphBuilder::effect(const std::string& op, std::vector<Argument> args) {
  graph_.nodes.push_back(node_of(op, std::move(args)));
}

TensorRef GraphBuilder::call(const std::string& name, const std::string& op,
                             std::vector<Argument> args, Shape shape, DType dtype) {
  Node node = node_of(op, std::move(args));
  const TensorRef tensor =
      add(name, {std::move(shape), dtype}, static_cast<NodeId>(graph_.nodes.size()), 0);
  node.outputs = {tensor.id};
  graph_.nodes.push_back(std::move(node));
  return tensor;
}

std::vector<TensorRef> GraphBuilder::call_many(const std::string& name, const std::string& op,
                                               std::vector<Argument> args,
                                               const std::vector<TensorType>& types) {
  Node node = node_of(op, std::move(args));
  std::vector<TensorRef> tensors;
  for (size_t i = 0; i < types.size(); ++i) {
    tensors.push_back(add(fmt::format("{}_{}", name, i), types[i],
                          static_cast<NodeId>(graph_.nodes.size()), static_cast<int32_t>(i)));
    node.outputs.push_back(tensors.back().id);
  }
  graph_.nodes.push_back(std::move(node));
  return tensors;
}

CaseBuilder::CaseBuilder(int ranks) {
  for (int r = 0; r < ranks; ++r) ranks_.emplace_back(fmt::format("rank {}", r));
}

void CaseBuilder::relate(const std::string& tensor, const std::vector<std::string>& replicas) {
  Relation relation;
  relation.tensor = tensor;
  for (const std::string& text : replicas) relation.replicas.push_back(parse_clean_expr(text, {}));
  relations_.push_back(std::move(relation));
}

void CaseBuilder::replicate(const std::string& tensor) {
  std::vector<std::string> replicas;
  for (int r = 0; r < ranks(); ++r) replicas.push_back(fmt::format("{}@{}", tensor, r));
  relate(tensor, replicas);
}

void CaseBuilder::shard(const std::string& tensor, int dim) {
  std::string text = "concat(";
  for (int r = 0; r < ranks(); ++r) text += fmt::format("{}{}@{}", r ? ", " : "", tensor, r);
  relate(tensor, {fmt::format("{}; dim={})", text, dim)});
}

void CaseBuilder::expect(const std::string& expression, const std::vector<std::string>& replicas) {
  Expectation expectation;
  expectation.sequential = parse_clean_expr(expression, {}, Leaves::kSequential);
  for (const std::string& text : replicas) {
    expectation.replicas.push_back(parse_clean_expr(text, {}));
  }
  expectations_.push_back(std::move(expectation));
}

void CaseBuilder::approximate(const std::string& tensor, const std::vector<std::string>& replicas,
                              const std::string& reason) {
  Approximation accepted;
  accepted.tensor = tensor;
  for (const std::string& text : replicas) accepted.replicas.push_back(parse_clean_expr(text, {}));
  accepted.reason = reason;
  approximations_.push_back(std::move(accepted));
}

Case CaseBuilder::build() const {
  Case result;
  result.name = "case";
  result.sequential = sequential_.graph();
  std::vector<Rank> members;
  for (const GraphBuilder& rank : ranks_) {
    members.push_back(static_cast<Rank>(members.size()));
    result.ranks.push_back(rank.graph());
  }
  result.distributed_groups["tp"] = members;
  result.inputs = relations_;
  result.expect = expectations_;
  result.approximations = approximations_;
  for (TensorId id : result.sequential.outputs) {
    result.outputs.push_back(result.sequential.tensors[static_cast<size_t>(id)].name);
  }
  validate(result);
  return result;
}

}  // namespace assay::test
