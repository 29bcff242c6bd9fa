// What a specification becomes: inputs by placement, expected outputs, gradients; and what is said
// about wrong ones.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugin/capture_error.h"
#include "tests/plugin/input_spec.h"
#include "tests/support/scratch_folder.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// y = x w over two ranks, row-parallel.
RefinementSpec row_parallel() {
  RefinementSpec spec;
  spec.name = "RowParallel";
  spec.mesh = Mesh({{"tp", 2}});
  spec.inputs = {input_spec("x", {8, 64}, Shard("tp", 1)),
                 input_spec("w", {64, 32}, Shard("tp", 0))};
  spec.sequential = [](Program& p) { p.output("y", at::mm(p[{"x"}], p[{"w"}])); };
  spec.distributed = [](Program& p) {
    p.output("y", p.all_reduce(at::mm(p[{"x"}], p[{"w"}]), "tp"));
  };
  return spec;
}

std::vector<std::string> replicas(const Case& refinement, const std::string& output) {
  std::vector<std::string> texts;
  for (const Expectation& expectation : refinement.expect) {
    if (expectation.sequential.name != output) continue;
    for (const CleanExpr& replica : expectation.replicas) texts.push_back(to_string(replica));
  }
  return texts;
}

TEST(CaptureCase, RanksGetTheirLocalShapes) {
  const Case refinement = capture_case(row_parallel());
  ASSERT_EQ(refinement.ranks.size(), 2u);
  const Graph& rank = refinement.ranks[1];
  EXPECT_THAT(rank.tensors[static_cast<size_t>(rank.find("x"))].shape, ElementsAre(8, 32));
  EXPECT_THAT(rank.tensors[static_cast<size_t>(rank.find("w"))].shape, ElementsAre(32, 32));
  EXPECT_EQ(to_string(refinement.inputs.front().replicas.front()), "concat(x@0, x@1; dim=1)");
  EXPECT_THAT(refinement.distributed_groups.at("tp:0"), ElementsAre(0, 1));
}

TEST(CaptureCase, AnOutputIsExpectedOnEveryRankUnlessItSaysOtherwise) {
  RefinementSpec spec = row_parallel();
  EXPECT_THAT(replicas(capture_case(spec), "y"), ElementsAre("y@0", "y@1"));
  spec.distributed = [](Program& p) { p.output("y", at::mm(p[{"x"}], p[{"w"}]), Partial("tp")); };
  EXPECT_THAT(replicas(capture_case(spec), "y"), ElementsAre("sum(y@0, y@1)"));
}

TEST(CaptureCase, GradientsHaveTheirWeightsPlacement) {
  RefinementSpec spec = row_parallel();
  spec.sequential = [](Program& p) { p.gradients(at::mm(p[{"x"}], p[{"w"}]).sum()); };
  spec.distributed = [](Program& p) {
    p.gradients(p.all_reduce(at::mm(p[{"x"}], p[{"w"}]), "tp").sum());
  };
  const Case refinement = capture_case(spec);
  EXPECT_THAT(refinement.outputs, ElementsAre("grad.w", "grad.x"));
  EXPECT_THAT(replicas(refinement, "grad.w"), ElementsAre("concat(grad.w@0, grad.w@1; dim=0)"));
  EXPECT_THAT(replicas(refinement, "grad.x"), ElementsAre("concat(grad.x@0, grad.x@1; dim=1)"));
}

TEST(CaptureCase, UpdatedWeightsLieAsTheyDid) {
  RefinementSpec spec = row_parallel();
  const auto step = [](Program& p) {
    const at::Tensor w = p[{"w"}].detach();
    w.mul_(0.5);
    p.updated({"w"}, w);
  };
  spec.sequential = spec.distributed = step;
  const Case refinement = capture_case(spec);
  EXPECT_THAT(refinement.outputs, ElementsAre("updated.w"));
  EXPECT_THAT(replicas(refinement, "updated.w"),
              ElementsAre("concat(updated.w@0, updated.w@1; dim=0)"));
  spec.distributed = [](Program& p) { p.updated({"v"}, p[{"w"}]); };
  EXPECT_THAT(test::capture_error(spec), HasSubstr("no input or weight is named v"));
}

TEST(CaptureCase, FloatingInputsTakeThePrecisionOfTheRun) {
  RefinementSpec spec = row_parallel();
  spec.inputs.push_back(input_spec("ids", {4}, Replicate()));
  spec.inputs.back().dtype = DType::kInt64;
  spec.inputs.back().requires_grad = false;
  const Graph graph = capture_case(spec, DType::kBFloat16).sequential;
  EXPECT_EQ(graph.tensors[static_cast<size_t>(graph.find("x"))].dtype, DType::kBFloat16);
  EXPECT_EQ(graph.tensors[static_cast<size_t>(graph.find("ids"))].dtype, DType::kInt64);
}

TEST(CaptureCase, ACaseSurvivesItsFolder) {
  const test::ScratchFolder folder;
  save_case(capture_case(row_parallel()), folder.path());
  EXPECT_THAT(load_case(folder.path()).outputs, ElementsAre("y"));
}

TEST(CaptureCase, BothProgramsNameTheSameOutputs) {
  RefinementSpec spec = row_parallel();
  spec.distributed = [](Program& p) { p.output("z", p[{"x"}]); };
  EXPECT_THAT(test::capture_error(spec), HasSubstr("the distributed program has no output y"));
  EXPECT_THAT(test::capture_error(spec), HasSubstr("capture_case_test.cpp:"));
  spec.distributed = [](Program& p) {
    p.output("y", p[{"x"}]);
    p.output("z", p[{"x"}]);
  };
  EXPECT_THAT(test::capture_error(spec), HasSubstr("the sequential program has no output z"));
}

TEST(CaptureCase, RanksAgreeOnOutputsAndPlacements) {
  RefinementSpec spec = row_parallel();
  spec.distributed = [](Program& p) {
    p.output("y", p[{"x"}], p.rank() == 0 ? Shard("tp", 0) : Shard("tp", 1));
  };
  EXPECT_THAT(test::capture_error(spec),
              HasSubstr("rank 1 places y Shard(\"tp\", 1), rank 0 places it Shard(\"tp\", 0)"));
  spec.distributed = [](Program& p) {
    p.output("y", p[{"x"}]);
    if (p.rank() == 1) p.output("z", p[{"x"}]);
  };
  EXPECT_THAT(test::capture_error(spec), HasSubstr("rank 0 has no output z"));
}

/// y on the second rank alone, where its weight is; x comes from the first.
RefinementSpec on_second_rank() {
  RefinementSpec spec = row_parallel();
  for (InputSpec& input : spec.inputs) input.placement = On("tp", 1);
  spec.distributed = [](Program& p) {
    if (p.rank() == 1) p.output("y", at::mm(p[{"x"}], p[{"w"}]), On("tp", 1));
  };
  return spec;
}

TEST(CaptureCase, WhatIsPlacedOnARankIsThereAlone) {
  const Case refinement = capture_case(on_second_rank());
  EXPECT_EQ(to_string(refinement.inputs[0].replicas.at(0)), "x@1");
  EXPECT_TRUE(refinement.ranks[0].inputs.empty());
  ASSERT_EQ(refinement.expect.size(), 1u);
  EXPECT_EQ(to_string(refinement.expect[0].replicas.at(0)), "y@1");
}

TEST(CaptureCase, WhatIsPlacedOnARankBelongsToNoOther) {
  RefinementSpec spec = on_second_rank();
  spec.distributed = [](Program& p) { p.output("y", p[{"x"}], On("tp", 1)); };
  EXPECT_THAT(test::capture_error(spec),
              HasSubstr("rank 0 asks for x, which is placed On(\"tp\", 1)"));
  spec.distributed = [](Program& p) { p.output("y", at::empty({1}), On("tp", 1)); };
  EXPECT_THAT(test::capture_error(spec),
              HasSubstr("rank 0 names output y, which is placed On(\"tp\", 1)"));
}

TEST(CaptureCase, SaysWhatIsWrongWithAProgram) {
  RefinementSpec spec = row_parallel();
  spec.distributed = [](Program& p) { p.output("y", p.all_reduce(p[{"x"}], "cp")); };
  EXPECT_THAT(test::capture_error(spec), HasSubstr("cp"));
  spec.distributed = [](Program& p) { p.output("y", p[{"nothing"}]); };
  EXPECT_THAT(test::capture_error(spec), HasSubstr("nothing"));
  spec.distributed = [](Program& p) {
    p.output("y", p[{"x"}]);
    p.output("y", p[{"x"}]);
  };
  EXPECT_THAT(test::capture_error(spec), HasSubstr("two outputs named y"));
  spec.distributed = [](Program& p) { p.gradients(p[{"x"}]); };
  EXPECT_THAT(test::capture_error(spec), HasSubstr("the loss has 256 elements"));
  spec.distributed = [](Program& p) { p.gradients(p[{"x"}].sum()); };
  EXPECT_THAT(test::capture_error(spec), HasSubstr("does not depend on w"));
}

TEST(CaptureCase, SaysWhatIsWrongWithAnInput) {
  RefinementSpec spec = row_parallel();
  spec.inputs.front().placement = Shard("tp", 2);
  EXPECT_THAT(test::capture_error(spec),
              HasSubstr("x is placed Shard(\"tp\", 2): it has no dimension 2"));
  spec = row_parallel();
  spec.inputs.front().role = InputRole::kTokenIds;
  EXPECT_THAT(test::capture_error(spec), HasSubstr("ids without a bound"));
  spec = row_parallel();
  spec.inputs.front().dtype = DType::kInt64;
  EXPECT_THAT(test::capture_error(spec), HasSubstr("cannot require a gradient"));
}

}  // namespace
}  // namespace assay
