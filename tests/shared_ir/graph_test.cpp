#include "shared_ir/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::HasSubstr;

TensorId add_tensor(Graph* graph, const std::string& name, Shape shape, NodeId producer) {
  const auto id = static_cast<TensorId>(graph->tensors.size());
  graph->tensors.push_back({name, DType::kFloat32, std::move(shape), producer, 0});
  graph->by_name[name] = id;
  return id;
}

// y = relu(x)
Graph relu() {
  Graph graph;
  graph.name = "test";
  const TensorId x = add_tensor(&graph, "x", {2, 3}, kNone);
  const TensorId y = add_tensor(&graph, "y", {2, 3}, 0);
  graph.inputs = {x};
  graph.nodes.push_back({"aten.relu.default", {Arg{TensorArg{x}}}, {}, {y}, {"model.py", 4}, ""});
  graph.outputs = {y};
  return graph;
}

std::string error_of(const Graph& graph) {
  try {
    validate(graph);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(GraphValidation, AcceptsAWellFormedGraph) { EXPECT_EQ(error_of(relu()), ""); }

TEST(GraphValidation, FindsTensorsByNameAndAlias) {
  Graph graph = relu();
  graph.by_name["alias"] = 1;
  EXPECT_EQ(error_of(graph), "");
  EXPECT_EQ(graph.find("alias"), 1);
  EXPECT_EQ(graph.find("nothing"), kNone);
}

TEST(GraphValidation, RejectsUseBeforeDefinition) {
  Graph graph = relu();
  graph.nodes[0].args[0] = Arg{TensorArg{1}};
  EXPECT_THAT(error_of(graph), HasSubstr("model.py:4: graph 'test': node 0 (aten.relu.default) "
                                         "uses 'y' before it is made"));
}

TEST(GraphValidation, RejectsReferencesInNestedListsThatDoNotExist) {
  Graph graph = relu();
  graph.nodes[0].args[0] = Arg{ArgList{Arg{TensorArg{7}}}};
  EXPECT_THAT(error_of(graph), HasSubstr("uses tensor number 7, unknown"));
}

TEST(GraphValidation, RejectsTwoTensorsOfOneName) {
  Graph graph = relu();
  graph.tensors[1].name = "x";
  EXPECT_THAT(error_of(graph), HasSubstr("'x' is not unique"));
}

TEST(GraphValidation, RejectsTensorsWithoutOrWithTwoProducers) {
  Graph orphan = relu();
  add_tensor(&orphan, "z", {}, kNone);
  EXPECT_THAT(error_of(orphan), HasSubstr("'z' has no producer"));
  Graph twice = relu();
  twice.inputs.push_back(0);
  EXPECT_THAT(error_of(twice), HasSubstr("'x' is made twice"));
}

TEST(GraphValidation, RejectsImpossibleShapesAndNames) {
  Graph negative = relu();
  negative.tensors[0].shape = {-1};
  EXPECT_THAT(error_of(negative), HasSubstr("impossible shape [-1]"));
  Graph huge = relu();
  huge.tensors[0].shape = {int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_THAT(error_of(huge), HasSubstr("impossible shape"));
  Graph named = relu();
  named.tensors[0].name = "a b";
  EXPECT_THAT(error_of(named), HasSubstr("cannot name a tensor"));
}

}  // namespace
}  // namespace assay
