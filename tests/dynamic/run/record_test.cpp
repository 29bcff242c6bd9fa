// What a run recorded is what its operators gave, and views of it are kept as views.
#include "dynamic_check/run/record.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include "dynamic_check/numbers/random.h"

namespace assay {
namespace {

// y = relu(x), t = y transposed, both halves of t.
Graph halves() {
  Graph graph;
  const auto add = [&](const std::string& name, const Shape& shape, NodeId producer,
                       int32_t output) {
    graph.by_name[name] = static_cast<TensorId>(graph.tensors.size());
    graph.tensors.push_back({name, DType::kFloat32, shape, producer, output});
  };
  add("x", {100, 300}, kNone, 0);
  add("y", {100, 300}, 0, 0);
  add("t", {300, 100}, 1, 0);
  add("first", {150, 100}, 2, 0);
  add("second", {150, 100}, 2, 1);
  const auto node = [&](const std::string& op, ArgList args, std::vector<TensorId> outputs) {
    Node& added = graph.nodes.emplace_back();
    added.op = op;
    added.args = std::move(args);
    added.outputs = std::move(outputs);
  };
  node("aten.relu.default", {Arg{TensorArg{0}}}, {1});
  node("aten.t.default", {Arg{TensorArg{1}}}, {2});
  node("aten.split.Tensor", {Arg{TensorArg{2}}, Arg{int64_t{150}}}, {3, 4});
  graph.inputs = {0};
  return graph;
}

struct Recorded {
  Recorded() : tensors(graph.tensors.size()) {}

  void keep(NodeId node, const std::vector<at::Tensor>& outputs) {
    keep_outputs(graph, node, outputs, tensors);
  }

  const Graph graph = halves();
  RecordedTensors tensors;
};

TEST(KeptOutputs, OfViewsAreViewsOfWhatIsKept) {
  Recorded recorded;
  const at::Tensor y = normal_tensor({1, "y"}, {100, 300}).to(at::kFloat);
  recorded.keep(0, {y});
  EXPECT_FALSE(recorded.tensors[1].is_alias_of(y)) << "the program may write into its own";
  recorded.keep(1, {y.t()});
  recorded.keep(2, y.t().split(150));
  for (const size_t view : {2, 3, 4})
    EXPECT_TRUE(recorded.tensors[view].is_alias_of(recorded.tensors[1])) << view;
  EXPECT_TRUE(at::equal(recorded.tensors[2], y.t()));
  EXPECT_TRUE(at::equal(recorded.tensors[4], y.t().slice(0, 150)));
}

// A kernel that is wrong, or memory that was written meanwhile: what was seen is what counts.
TEST(KeptOutputs, ThatAreNotWhatTheViewShowsAreCopied) {
  Recorded recorded;
  at::Tensor y = normal_tensor({1, "y"}, {100, 300}).to(at::kFloat);
  recorded.keep(0, {y});
  y[99][299] += 1;
  recorded.keep(1, {y.t()});
  EXPECT_TRUE(at::equal(recorded.tensors[2], y.t()));
  EXPECT_FALSE(recorded.tensors[2].is_alias_of(recorded.tensors[1]));
  EXPECT_FALSE(recorded.tensors[2].is_alias_of(y));
  EXPECT_FALSE(at::equal(recorded.tensors[1].t(), y.t())) << "kept as it was";
}

TEST(KeptOutputs, OfViewsOfWhatWasNotKeptAreCopied) {
  Recorded recorded;
  const at::Tensor y = normal_tensor({1, "y"}, {100, 300}).to(at::kFloat);
  recorded.keep(1, {y.t()});
  EXPECT_TRUE(at::equal(recorded.tensors[2], y.t()));
  EXPECT_FALSE(recorded.tensors[2].is_alias_of(y));
}

}  // namespace
}  // namespace assay
