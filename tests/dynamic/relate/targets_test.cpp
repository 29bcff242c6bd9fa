// What a run compares, and how its values come in.
#include "dynamic_check/relate/targets.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include "dynamic_check/numbers/random.h"
#include "dynamic_check/relate/target_values.h"
#include "dynamic_check/run/interpret/interpreter.h"
#include "shared_ir/base/error.h"
#include "tests/dynamic/support/mlp.h"

namespace assay {
namespace {

// x [4, 6] -> t = x^T -> y = relu(t); `moves` makes the transposed tensor.
Graph graph_of(const std::string& moves) {
  Graph graph;
  graph.name = "transposed";
  graph.tensors = {{"x", DType::kFloat32, {4, 6}},
                   {"t", DType::kFloat32, {6, 4}, 0, 0},
                   {"y", DType::kFloat32, {6, 4}, 1, 0}};
  graph.inputs = {0};
  graph.outputs = {2};
  Node moved, used;
  moved.op = moves;
  moved.args = {Arg{TensorArg{0}}};
  moved.outputs = {1};
  used.op = "aten.relu.default";
  used.args = {Arg{TensorArg{1}}};
  used.outputs = {2};
  graph.nodes = {moved, used};
  for (TensorId id = 0; id < 3; ++id)
    graph.by_name[graph.tensors[static_cast<size_t>(id)].name] = id;
  return graph;
}

std::vector<std::string> names(const Targets& targets) {
  std::vector<std::string> names;
  for (const Target& target : targets.list) names.push_back(target.name);
  return names;
}

Targets targets_of(const std::string& on_the_ranks, const std::vector<Relation>& relations) {
  Case refinement;
  refinement.sequential = graph_of("aten.t.default");
  refinement.ranks = {graph_of(on_the_ranks)};
  return make_targets(refinement, relations);
}

TEST(Targets, AViewOfATensorThatIsComparedIsNotComparedAgain) {
  const Targets targets = targets_of(
      "aten.t.default",
      {test::relation("x", {"x@0"}), test::relation("t", {"t@0"}), test::relation("y", {"y@0"})});
  EXPECT_EQ(names(targets), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(targets.repeated, std::vector<std::string>{"t"});
}

TEST(Targets, AViewIsComparedWhereItShowsSomethingNew) {
  const auto all = [](const std::string& of_t) {
    return std::vector<Relation>{test::relation("x", {"x@0"}), test::relation("t", {of_t})};
  };
  EXPECT_EQ(targets_of("aten.t_copy.default", all("t@0")).repeated.size(), 0u)
      << "on the ranks a kernel makes it";
  EXPECT_EQ(targets_of("aten.t.default", all("y@0")).repeated.size(), 0u)
      << "it is held against another tensor";
  EXPECT_EQ(targets_of("aten.t.default", {test::relation("t", {"t@0"})}).repeated.size(), 0u)
      << "its operand is not compared";
  EXPECT_EQ(targets_of("aten.t.default",
                       {test::relation("x", {"permute(y@0; dims=[1, 0])"}), all("t@0").back()})
                .repeated.size(),
            0u)
      << "its operand is held against another tensor";
}

TEST(Targets, WhatTheUserExpectsIsAlwaysCompared) {
  Case refinement;
  refinement.sequential = graph_of("aten.t.default");
  refinement.ranks = {graph_of("aten.t.default")};
  Expectation expectation;
  expectation.sequential.name = "t";
  expectation.replicas = test::relation("t", {"t@0"}).replicas;
  refinement.expect = {expectation};
  EXPECT_EQ(names(make_targets(refinement, {test::relation("x", {"x@0"})})),
            (std::vector<std::string>{"x", "t"}));
}

TEST(TargetValues, AreToldOnceEachAndExpressionsAtTheEnd) {
  const Graph graph = graph_of("aten.t.default");
  Targets targets;
  targets.list = {{.name = "y", .sequential = {}, .replicas = {}},
                  {.name = "half", .sequential = {}, .replicas = {}}};
  targets.list[0].sequential.name = "y";
  targets.list[1].sequential =
      parse_clean_expr("slice(y; dim=0, start=0, end=3)", {}, Leaves::kSequential);
  std::vector<at::Tensor> told(2);
  int calls = 0;
  const auto tell = [&](size_t target, const at::Tensor& value) {
    told[target] = value.clone();
    ++calls;
  };
  TargetValues values(graph, targets, tell);
  at::Tensor y = normal_tensor({1, "y"}, {6, 4});
  const at::Tensor first = y.clone();
  values.see(1, normal_tensor({1, "t"}, {6, 4}));
  values.see(2, y);
  y.zero_();
  values.see(2, y);
  values.finish();
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(at::equal(told[0], first));
  EXPECT_TRUE(at::equal(told[1], first.slice(0, 0, 3))) << "as it was when it was seen";
  EXPECT_THROW(TargetValues(graph, targets, tell).finish(), UserError) << "no value for y";
}

TEST(Interpreter, DropsWhatIsNotWantedAfterItsLastReader) {
  const std::vector<Graph> graphs{graph_of("aten.t.default")};
  const at::Tensor x = normal_tensor({1, "x"}, {4, 6});
  const Values some =
      interpret(graphs, {}, {{{"x", 0}, x}}, {}, [](Rank, TensorId id) { return id == 2; }).at(0);
  EXPECT_FALSE(some.at(0).defined());
  EXPECT_FALSE(some.at(1).defined());
  EXPECT_TRUE(at::equal(some.at(2), x.t().relu()));
  const Values all = interpret(graphs, {}, {{{"x", 0}, x}}).at(0);
  for (const at::Tensor& value : all) EXPECT_TRUE(value.defined());
}

}  // namespace
}  // namespace assay
