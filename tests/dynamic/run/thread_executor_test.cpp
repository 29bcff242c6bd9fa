// Runs of the rank threads, with what they record. Under the thread sanitizer these tests also show
// that ranks, hooks and recording share no memory without order.
#include "dynamic_check/run/execute/threads/thread_executor.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamic_check/relate/merge.h"
#include "tests/dynamic/support/mlp.h"

namespace assay {
namespace {

using test::Mlp;

at::Tensor numbers(at::IntArrayRef shape) {
  return (at::arange(c10::multiply_integers(shape), at::kFloat) / 100).sin().view(shape);
}

RunInputs inputs_of(const Mlp& mlp) {
  RunInputs inputs;
  for (const Graph& graph : mlp.refinement.ranks) {
    const auto rank = static_cast<Rank>(&graph - mlp.refinement.ranks.data());
    for (const TensorId id : graph.inputs) {
      const Tensor& tensor = graph.tensors[static_cast<size_t>(id)];
      inputs.parts[{tensor.name, rank}] = numbers(tensor.shape) * (rank + 1);
    }
  }
  return inputs;
}

DistributedRun run(const Mlp& mlp, const DynamicOptions& options = {}) {
  return ThreadExecutor().run(mlp.refinement, mlp.programs, inputs_of(mlp), options);
}

const at::Tensor& recorded(const Mlp& mlp, const DistributedRun& run, const std::string& name,
                           size_t rank) {
  return run.ranks[rank].at(static_cast<size_t>(mlp.refinement.ranks[rank].find(name)));
}

TEST(ThreadExecutor, ItsSumsAreThoseOfThePartsThatItRecords) {
  const Mlp mlp = test::make_mlp();
  const DistributedRun once = run(mlp);
  ASSERT_FALSE(once.failure);
  const at::Tensor sum = recorded(mlp, once, "mm_1", 0) + recorded(mlp, once, "mm_1", 1);
  for (const size_t rank : {0, 1}) EXPECT_TRUE(at::equal(recorded(mlp, once, "sum", rank), sum));
}

TEST(ThreadExecutor, RecordsTheSameBitsHoweverLateCollectivesAre) {
  const Mlp mlp = test::make_mlp();
  const DistributedRun once = run(mlp);
  ASSERT_FALSE(once.failure);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const DistributedRun again = run(mlp, {.completion = delayed_completion(seed)});
    ASSERT_FALSE(again.failure) << again.failure->message;
    for (size_t rank = 0; rank < 2; ++rank) {
      for (size_t id = 0; id < once.ranks[rank].size(); ++id) {
        const at::Tensor &a = once.ranks[rank][id], &b = again.ranks[rank][id];
        ASSERT_EQ(a.defined(), b.defined());
        EXPECT_TRUE(!a.defined() || at::equal(a, b))
            << mlp.refinement.ranks[rank].tensors[id].name << "@" << rank;
      }
    }
  }
}

TEST(ThreadExecutor, WhatItRecordsMerges) {
  const Mlp mlp = test::make_mlp();
  const DistributedRun once = run(mlp);
  ASSERT_FALSE(once.failure);
  const CleanExpr expr = parse_clean_expr("concat(gelu@0, gelu@1; dim=1)", {});
  const Merged merged = merge(expr, {8, 96}, [&](const RankTensorName& name) {
    return recorded(mlp, once, name.first, static_cast<size_t>(name.second));
  });
  ASSERT_FALSE(merged.fault);
  EXPECT_TRUE(at::equal(merged.value.narrow(1, 48, 48), recorded(mlp, once, "gelu", 1)));
}

TEST(ThreadExecutor, AKernelHookChangesWhatFollows) {
  const Mlp mlp = test::make_mlp();
  const DistributedRun right = run(mlp);
  const DistributedRun wrong = run(mlp, {.kernel = [](const KernelCall& call) {
                                     if (call.rank == 1 && call.node.op == "aten.gelu.default")
                                       call.outputs[0].zero_();
                                   }});
  ASSERT_FALSE(right.failure || wrong.failure);
  for (const size_t rank : {0, 1})
    EXPECT_TRUE(at::equal(recorded(mlp, wrong, "sum", rank), recorded(mlp, right, "mm_1", 0)));
}

TEST(ThreadExecutor, ParametersThatRanksAgreeOnAreTheSame) {
  const Mlp mlp = test::make_mlp({.self_made = true});
  const ParameterRun parameters = ThreadExecutor().make_parameters(mlp.programs, {});
  ASSERT_FALSE(parameters.failure);
  EXPECT_TRUE(at::equal(parameters.made.at({"scale", 0}), parameters.made.at({"scale", 1})));
}

TEST(ThreadExecutor, ARankThatThrowsIsNamedWithItsLastOperator) {
  Mlp mlp = test::make_mlp();
  const RankProgram right = mlp.programs.distributed;
  mlp.programs.distributed = [right](ProgramContext& context) {
    right(context);
    if (context.rank() == 1) throw std::runtime_error("out of luck");
  };
  const DistributedRun failed = run(mlp);
  ASSERT_TRUE(failed.failure);
  EXPECT_EQ(failed.failure->rank, 1);
  EXPECT_EQ(failed.failure->message, "rank 1: out of luck");
  EXPECT_EQ(mlp.refinement.ranks[1].nodes[static_cast<size_t>(failed.failure->last)].op,
            "aten.mul.Tensor");
}

}  // namespace
}  // namespace assay
