// A trace as a graph: what is not made by an operator is an input, and places are the user's.
#include "shared_ir/trace/trace_graph.h"

#include <gtest/gtest.h>

namespace assay::test {
namespace {

TEST(TraceGraph, HasInputsAndANodeForEveryOtherTensor) {
  const Graph graph = graph_of({{"x", "", "", DType::kFloat32, {2, 3}},
                                {"y", "aten.relu.default", "m.py:7", DType::kBFloat16, {2, 3}},
                                {"z", "aten.neg.default", "no line", DType::kFloat32, {}}},
                               "run");
  EXPECT_EQ(graph.name, "run");
  EXPECT_EQ(graph.inputs, std::vector<TensorId>{graph.find("x")});
  ASSERT_EQ(graph.nodes.size(), 2u);
  EXPECT_EQ(graph.nodes[0].op, "aten.relu.default");
  EXPECT_EQ(graph.nodes[0].outputs, std::vector<TensorId>{graph.find("y")});
  EXPECT_EQ(graph.nodes[0].source.file, "m.py");
  EXPECT_EQ(graph.nodes[0].source.line, 7);
  EXPECT_EQ(graph.nodes[1].source.file, "no line");
  EXPECT_EQ(graph.tensors[1].dtype, DType::kBFloat16);
  EXPECT_EQ(graph.tensors[1].shape, (Shape{2, 3}));
}

}  // namespace
}  // namespace assay::test
