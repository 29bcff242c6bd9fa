// Collectives that write their result into memory: a run of the graphs leaves there what the
// functional one returns, also where memory is read through another view.
#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dynamic_check/numbers/random.h"
#include "dynamic_check/run/interpret/interpreter.h"
#include "tests/support/graph_builder.h"

namespace assay::test {
namespace {

struct InPlace {
  const char* name;
  const char* op;
  const char* functional;
  std::vector<Argument> arguments;  // after the operand
  Shape result;                     // of an operand [2, 3]
  bool out;                         // the memory is not the operand
};

const std::vector<InPlace>& calls() {
  static const std::vector<InPlace> all{
      {"AllReduce", "all_reduce_", "all_reduce", {"sum", "tp"}, {2, 3}, false},
      {"Broadcast", "broadcast_", "broadcast", {1, "tp"}, {2, 3}, false},
      {"AllGather",
       "all_gather_into_tensor_out",
       "all_gather_into_tensor",
       {2, "tp"},
       {4, 3},
       true},
      {"ReduceScatter",
       "reduce_scatter_tensor_out",
       "reduce_scatter_tensor",
       {"max", 2, "tp"},
       {1, 3},
       true}};
  return all;
}

constexpr int kRanks = 2;

std::string full_name(const char* op) { return "_c10d_functional." + std::string(op) + ".default"; }

std::vector<Argument> with_operand(TensorRef operand, const std::vector<Argument>& others) {
  std::vector<Argument> args{operand};
  args.insert(args.end(), others.begin(), others.end());
  return args;
}

TensorRef waited(GraphBuilder& g, TensorRef flying) {
  return g.call("waited", "_c10d_functional.wait_tensor.default", {flying}, g.shape(flying));
}

// The result is read where it was written: in the first rows of a buffer of `memory`.
Graph in_place(const InPlace& call) {
  GraphBuilder g("rank");
  const TensorRef x = g.input("x", {2, 3}), buffer = g.input("buffer", {6, 3});
  const TensorRef memory =
      g.call("memory", "aten.slice.Tensor", {buffer, 0, 0, call.result[0]}, call.result);
  if (!call.out) g.call("copied", "aten.copy_.default", {memory, x}, call.result);
  const TensorRef flying = g.call("flying", full_name(call.op),
                                  with_operand(call.out ? x : memory, call.arguments), call.result);
  if (call.out) g.keyword("out", memory);
  waited(g, flying);
  g.output(g.call("y", "aten.mul.Scalar", {buffer, 1.0}, {6, 3}));
  return g.graph();
}

Graph functional(const InPlace& call) {
  GraphBuilder g("rank");
  const TensorRef x = g.input("x", {2, 3}), buffer = g.input("buffer", {6, 3});
  const TensorRef result = waited(g, g.call("flying", full_name(call.functional),
                                            with_operand(x, call.arguments), call.result));
  const TensorRef rest =
      g.call("rest", "aten.slice.Tensor", {buffer, 0, call.result[0], 6}, {6 - call.result[0], 3});
  g.output(g.call("y", "aten.cat.default", {Argument{result, rest}, 0}, {6, 3}));
  return g.graph();
}

std::vector<at::Tensor> run(const Graph& graph) {
  std::map<RankTensorName, at::Tensor> inputs;
  for (Rank rank = 0; rank < kRanks; ++rank) {
    inputs[{"x", rank}] = normal_tensor({1, "x" + std::to_string(rank)}, {2, 3});
    inputs[{"buffer", rank}] = normal_tensor({1, "buffer"}, {6, 3});
  }
  const std::vector<Values> values =
      interpret(std::vector<Graph>(kRanks, graph), {{"tp", {0, 1}}}, inputs);
  std::vector<at::Tensor> outputs;
  for (const Values& of_rank : values)
    outputs.push_back(of_rank[static_cast<size_t>(graph.outputs[0])]);
  return outputs;
}

class InPlaceCollectives : public testing::TestWithParam<InPlace> {};

TEST_P(InPlaceCollectives, WriteWhatTheFunctionalOneReturns) {
  const std::vector<at::Tensor> written = run(in_place(GetParam())),
                                returned = run(functional(GetParam()));
  for (size_t rank = 0; rank < kRanks; ++rank)
    EXPECT_TRUE(at::equal(written[rank], returned[rank])) << "rank " << rank;
}

// A graph in which nothing writes has them as functional ones.
TEST_P(InPlaceCollectives, WriteNothingInAFunctionalGraph) {
  Graph graph = in_place(GetParam());
  graph.functional = true;
  std::erase_if(graph.nodes, [](const Node& node) { return node.op == "aten.copy_.default"; });
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (const TensorId output : graph.nodes[i].outputs)
      graph.tensors[static_cast<size_t>(output)].producer = static_cast<NodeId>(i);
  const std::vector<at::Tensor> kept = run(graph);
  for (size_t rank = 0; rank < kRanks; ++rank)
    EXPECT_TRUE(at::equal(kept[rank], normal_tensor({1, "buffer"}, {6, 3}).to(at::kDouble)));
}

INSTANTIATE_TEST_SUITE_P(All, InPlaceCollectives, testing::ValuesIn(calls()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace assay::test
