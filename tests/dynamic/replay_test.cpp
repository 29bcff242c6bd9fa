#include "dynamic_check/replay/replay.h"

#include <gtest/gtest.h>

#include "dynamic_check/replay/reduce_case.h"
#include "tests/dynamic/support/mlp.h"
#include "tests/support/captured_graphs.h"

namespace assay {
namespace {

TEST(Replay, ACorrectProgramHasNoWitness) {
  const test::Mlp mlp = test::make_mlp();
  const ReplayResult result = replay(mlp.refinement, mlp.relations);
  EXPECT_EQ(result.why_not, "");
  EXPECT_FALSE(result.witness) << result.witness->tensor << " " << result.witness->error;
  EXPECT_GT(result.compared, 10);
}

TEST(Replay, AMissingReductionHasAWitness) {
  const test::Mlp mlp = test::make_mlp({.reduces = false});
  const ReplayResult result = replay(mlp.refinement);
  ASSERT_TRUE(result.witness);
  EXPECT_EQ(result.witness->tensor, "y");
}

TEST(Replay, CollectivesThatDoNotMeetAreAWitness) {
  test::Mlp mlp = test::make_mlp();
  mlp.refinement.ranks[1] = test::make_mlp({.reduces = false}).refinement.ranks[1];
  const ReplayResult result = replay(mlp.refinement);
  ASSERT_TRUE(result.witness);
  EXPECT_NE(result.witness->failure, "");
}

TEST(Replay, WithoutAnExpectationThereIsNothingToCompare) {
  test::Mlp mlp = test::make_mlp();
  mlp.refinement.expect.clear();
  EXPECT_NE(replay(mlp.refinement).why_not, "");
}

TEST(Replay, ACapturedServingModelHasNoWitness) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  const Case refinement = load_case(test::captured_graphs() / "qwen2-tp2");
  const ReplayResult result = replay(refinement);
  EXPECT_EQ(result.why_not, "");
  EXPECT_GT(result.compared, 0);
  EXPECT_FALSE(result.witness) << result.witness->tensor << " differs by " << result.witness->error;
}

// The offset of the second vocabulary shard, one too small: only ids at the bound show it.
TEST(Replay, AVocabularyOffsetThatIsOffByOneHasAWitness) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  Case refinement = load_case(test::captured_graphs() / "qwen2-tp2");
  for (Node& node : refinement.ranks[1].nodes) {
    for (Arg& arg : node.args) {
      auto* integer = std::get_if<int64_t>(&arg.value);
      if (integer && *integer == 75968 && node.op == "aten.ge.Scalar") *integer -= 1;
    }
  }
  const ReplayResult result = replay(refinement);
  EXPECT_EQ(result.why_not, "");
  EXPECT_TRUE(result.witness);
}

TEST(ReduceCase, SizesShrinkAndTheirNeighboursFollow) {
  Case refinement;
  refinement.sequential.tensors.push_back({"a", DType::kFloat32, {128, 3}});
  Node node;
  node.args = {Arg{int64_t{75967}}, Arg{int64_t{-1}}, Arg{int64_t{12}}, Arg{INT64_MAX}};
  refinement.sequential.nodes.push_back(node);
  const Case reduced = reduce_case(refinement, 64);
  EXPECT_EQ(reduced.sequential.tensors[0].shape, (Shape{2, 3}));
  const std::vector<Arg>& args = reduced.sequential.nodes[0].args;
  EXPECT_EQ(std::get<int64_t>(args[0].value), 1186);
  EXPECT_EQ(std::get<int64_t>(args[1].value), -1);
  EXPECT_EQ(std::get<int64_t>(args[2].value), 12);
  EXPECT_EQ(std::get<int64_t>(args[3].value), INT64_MAX);
}

TEST(ReduceCase, ASizeThatIsNoMultipleIsRefused) {
  Case refinement;
  refinement.sequential.tensors.push_back({"a", DType::kFloat32, {100}});
  EXPECT_THROW(reduce_case(refinement, 64), UserError);
}

}  // namespace
}  // namespace assay
