#include "dynamic_check/run/interpret/interpreter.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rsqrt.h>
#include <gtest/gtest.h>

#include "dynamic_check/numbers/random.h"

namespace assay {
namespace {

// (input, residual, weight, epsilon) -> input := rms_norm(input + residual), residual := the sum.
// A capture counts the None that it returns; `used` says which of the following outputs it has.
Graph graph_of_a_fused_norm(std::vector<TensorId> used) {
  Graph graph;
  graph.name = "norm";
  graph.tensors = {{"x", DType::kFloat32, {4, 8}},
                   {"residual", DType::kFloat32, {4, 8}},
                   {"weight", DType::kFloat32, {8}},
                   {"y", DType::kFloat32, {4, 8}, 0, 1}};
  graph.inputs = {0, 1, 2};
  Node node;
  node.op = "_C.fused_add_rms_norm.default";
  node.args = {Arg{TensorArg{0}}, Arg{TensorArg{1}}, Arg{TensorArg{2}}, Arg{1e-6}};
  node.functional = used.front() == kNone;
  graph.functional = !node.functional;
  node.outputs = std::move(used);
  graph.nodes = {node};
  graph.outputs = {3};
  for (TensorId id = 0; id < 4; ++id)
    graph.by_name[graph.tensors[static_cast<size_t>(id)].name] = id;
  return graph;
}

class FusedNorm : public testing::Test {
 protected:
  at::Tensor run(std::vector<TensorId> used) {
    const std::vector<Graph> graphs{graph_of_a_fused_norm(std::move(used))};
    return interpret(graphs, {},
                     {{{"x", 0}, x_}, {{"residual", 0}, residual_}, {{"weight", 0}, weight_}})
        .at(0)
        .at(3);
  }

  const at::Tensor x_ = normal_tensor({1, "x"}, {4, 8});
  const at::Tensor residual_ = normal_tensor({1, "residual"}, {4, 8});
  const at::Tensor weight_ = at::ones({8}, at::kDouble);
  const at::Tensor sum_ = x_ + residual_;
  const at::Tensor norm_ = sum_ * at::rsqrt(sum_.square().mean(-1, true) + 1e-6);
};

TEST_F(FusedNorm, TheFirstMutatedArgumentFollowsTheNoneThatTheCaptureCounts) {
  EXPECT_TRUE(at::allclose(run({kNone, 3}), norm_));
}

TEST_F(FusedNorm, UnusedOutputsInBetweenAreSkipped) {
  EXPECT_TRUE(at::allclose(run({kNone, kNone, 3}), sum_));
}

TEST_F(FusedNorm, ACaptureThatCountsNoNoneStartsWithTheFirstMutatedArgument) {
  EXPECT_TRUE(at::allclose(run({3}), norm_));
}

Arg rows(const std::vector<int64_t>& counts) {
  ArgList list;
  for (const int64_t count : counts) list.push_back(Arg{count});
  return Arg{list};
}

// y = all_to_all_single(x, rows that it expects, rows that it sends, group) of 3 rows.
Graph exchange(const std::vector<int64_t>& expects, const std::vector<int64_t>& sends) {
  Graph graph;
  graph.name = "exchange";
  int64_t made = 0;
  for (const int64_t count : expects) made += count;
  graph.tensors = {{"x", DType::kFloat32, {3}}, {"y", DType::kFloat32, {made}, 0, 0}};
  graph.inputs = {0};
  Node node;
  node.op = "_c10d_functional.all_to_all_single.default";
  node.args = {Arg{TensorArg{0}}, rows(expects), rows(sends), Arg{std::string("ep")}};
  node.outputs = {1};
  graph.nodes = {node};
  graph.outputs = {1};
  graph.by_name = {{"x", 0}, {"y", 1}};
  return graph;
}

std::vector<Values> run_exchange(const std::vector<Graph>& graphs) {
  const at::Tensor x = normal_tensor({1, "x"}, {3});
  return interpret(graphs, {{"ep", {0, 1}}}, {{{"x", 0}, x}, {{"x", 1}, x}});
}

// HLO's literals are numbers in a graph.
TEST(Hlo, NumbersAreTensorsWithoutDimensions) {
  Graph graph;
  graph.name = "literals";
  graph.tensors = {{"x", DType::kFloat32, {2, 3}},
                   {"spread", DType::kFloat32, {2, 3}, 0, 0},
                   {"y", DType::kFloat32, {2, 3}, 1, 0}};
  graph.inputs = {0};
  Node broadcast, divide;
  broadcast.op = "hlo.broadcast";
  broadcast.args = {Arg{8.0}, Arg{ArgList{}}, Arg{ArgList{Arg{int64_t{2}}, Arg{int64_t{3}}}}};
  broadcast.outputs = {1};
  divide.op = "hlo.divide";
  divide.args = {Arg{TensorArg{1}}, Arg{2.0}};
  divide.outputs = {2};
  graph.nodes = {broadcast, divide};
  graph.outputs = {2};
  for (TensorId id = 0; id < 3; ++id)
    graph.by_name[graph.tensors[static_cast<size_t>(id)].name] = id;
  const std::vector<Graph> graphs{graph};
  const at::Tensor y =
      interpret(graphs, {}, {{{"x", 0}, at::ones({2, 3}, at::kDouble)}}).at(0).at(2);
  EXPECT_TRUE(at::allclose(y, at::ones({2, 3}, at::kDouble) * 4));
}

TEST(AllToAll, RowsGoWhereTheyAreExpected) {
  const std::vector<Values> values =
      run_exchange({exchange({1, 2}, {1, 2}), exchange({2, 1}, {2, 1})});
  EXPECT_EQ(values[0][1].size(0), 3);
  EXPECT_TRUE(at::allclose(values[0][1].slice(0, 1), values[0][0].slice(0, 0, 2)));
}

// Rank 0 expects two rows of itself and one of rank 1, which sends two.
TEST(AllToAll, AReceiverThatExpectsOtherRowsThanItIsSentIsAMismatch) {
  EXPECT_THROW(run_exchange({exchange({2, 1}, {1, 2}), exchange({2, 1}, {2, 1})}),
               UnmetCollectives);
}

// x -> batch normalization without running statistics.
void run_batch_norm(bool training) {
  Graph graph;
  graph.name = "norm";
  graph.tensors = {{"x", DType::kFloat32, {4, 2, 3}}, {"y", DType::kFloat32, {4, 2, 3}, 0, 0}};
  graph.inputs = {0};
  Node node;
  node.op = "aten._native_batch_norm_legit.no_stats";
  node.args = {Arg{TensorArg{0}}, Arg{}, Arg{}, Arg{training}, Arg{0.1}, Arg{1e-5}};
  node.outputs = {1};
  graph.nodes = {node};
  graph.outputs = {1};
  graph.by_name = {{"x", 0}, {"y", 1}};
  interpret({graph}, {}, {{{"x", 0}, at::ones({4, 2, 3}, at::kDouble)}});
}

TEST(BatchNorm, WithoutStatisticsIsNotEvaluated) {
  EXPECT_NO_THROW(run_batch_norm(true));
  EXPECT_THROW(run_batch_norm(false), UserError);
}

}  // namespace
}  // namespace assay
