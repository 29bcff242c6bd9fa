// A run of the graphs goes on behind a collective until its result is waited for, as the proof has
// it (docs/proved.md, "Order").
#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamic_check/numbers/random.h"
#include "dynamic_check/run/interpret/interpreter.h"
#include "tests/support/waiting_case.h"

namespace assay {
namespace {

using test::StepsOfRanks;

std::vector<Values> run(const Case& refinement, const at::Tensor& x) {
  std::map<RankTensorName, at::Tensor> inputs;
  for (size_t rank = 0; rank < refinement.ranks.size(); ++rank)
    inputs[{"x", static_cast<Rank>(rank)}] = x;
  return interpret(refinement.ranks, refinement.distributed_groups, inputs);
}

class BegunCollectives : public testing::TestWithParam<StepsOfRanks> {};
class BegunForEver : public testing::TestWithParam<StepsOfRanks> {};

TEST_P(BegunCollectives, RunToTheEnd) {
  const Case refinement = test::waiting_case(GetParam());
  const at::Tensor x = normal_tensor({1, "x"}, {4, 2});
  const std::vector<Values> values = run(refinement, x);
  for (size_t rank = 0; rank < values.size(); ++rank) {
    const at::Tensor& y = values[rank][static_cast<size_t>(refinement.ranks[rank].find("y"))];
    EXPECT_TRUE(at::allclose(y, x * 2 * static_cast<int64_t>(values.size()))) << "rank " << rank;
  }
}

TEST_P(BegunForEver, DoNotMeet) {
  EXPECT_THROW(run(test::waiting_case(GetParam()), normal_tensor({1, "x"}, {4, 2})),
               UnmetCollectives);
}

std::string steps_name(const testing::TestParamInfo<StepsOfRanks>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(All, BegunCollectives, testing::ValuesIn(test::waits_that_end()),
                         steps_name);
INSTANTIATE_TEST_SUITE_P(All, BegunForEver, testing::ValuesIn(test::deadlocks_of_waits()),
                         steps_name);

// x = 2x, once what was made of x is on its way: an all-reduce reads its own copy, by its schema.
TEST(BegunCollectives, SendWhatTheirMemoryHeldWhereTheyWereIssued) {
  Case refinement = test::waiting_case({"", {"gGhH", "gGhH"}});
  for (Graph& graph : refinement.ranks) {
    Node doubled;
    doubled.op = "aten.mul_.Tensor";
    doubled.args = {Arg{TensorArg{graph.find("x")}}, Arg{2.0}};
    graph.nodes.insert(graph.nodes.begin() + 1, doubled);
    for (Tensor& tensor : graph.tensors)
      if (tensor.producer > 0) ++tensor.producer;
  }
  const at::Tensor x = normal_tensor({1, "x"}, {4, 2});
  const std::vector<Values> values = run(refinement, x);
  for (size_t rank = 0; rank < values.size(); ++rank) {
    const auto value = [&](const char* name) {
      return values[rank][static_cast<size_t>(refinement.ranks[rank].find(name))];
    };
    EXPECT_TRUE(at::allclose(value("t1"), x * 2)) << "rank " << rank;
    EXPECT_TRUE(at::allclose(value("t3"), x * 4)) << "rank " << rank;
  }
}

}  // namespace
}  // namespace assay
