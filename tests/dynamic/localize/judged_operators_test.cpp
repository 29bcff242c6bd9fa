// A report says how many operators of the ranks were judged, by what, and which were not.
#include <ATen/TensorOperators.h>
#include <ATen/ops/rand_like.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/dynamic/support/two_ranks.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

OperatorCounts operators_of(const test::Mlp& programs) {
  const DynamicReport report = dynamic_check(programs.refinement, programs.relations,
                                             Verdict::kProved, programs.programs, {.seed = 1});
  EXPECT_TRUE(report.operators);
  return report.operators.value_or(OperatorCounts{});
}

int64_t count_judged(const OperatorCounts& operators) {
  return std::accumulate(operators.judged.begin(), operators.judged.end(), int64_t{0},
                         [](int64_t sum, const auto& one) { return sum + one.second; });
}

TEST(JudgedOperators, AreCountedByWhatJudgedThem) {
  const test::Mlp mlp = test::make_mlp();
  const OperatorCounts operators = operators_of(mlp);
  int64_t nodes = 0;
  for (const Graph& rank : mlp.refinement.ranks) nodes += static_cast<int64_t>(rank.nodes.size());
  EXPECT_EQ(operators.total, nodes);
  EXPECT_EQ(count_judged(operators) + operators.views + operators.not_judged_count, nodes);
  EXPECT_EQ(operators.views, 4);  // two transpositions a rank
  EXPECT_THAT(operators.judged, testing::Contains(testing::Pair("members' inputs", 2)));
  EXPECT_GT(operators.judged.at("exact reference"), 0);
  EXPECT_THAT(operators.not_judged, IsEmpty());
}

TEST(JudgedOperators, ThatWereNotAreListedWithTheReason) {
  const test::Form draws = [](ProgramContext&, const at::Tensor& x) {
    return (at::rand_like(x) < 2) * x;
  };
  const OperatorCounts operators =
      operators_of(test::on_two_ranks({8}, test::kWhole, draws, draws));
  EXPECT_EQ(operators.not_judged_count, 2);
  EXPECT_THAT(operators.not_judged, ElementsAre("aten.rand_like.default (2): it draws random "
                                                "numbers"));
}

// PyTorch's comparison, called again: a wrong one agrees with itself, and the report says so.
TEST(JudgedOperators, OfIntegersAndBooleansVouchForThemselves) {
  const test::Form compares = [](ProgramContext&, const at::Tensor& x) { return x > 1; };
  const OperatorCounts operators =
      operators_of(test::on_two_ranks({8}, test::kWhole, compares, compares));
  EXPECT_EQ(operators.judged.at("itself"), 2);
}

}  // namespace
}  // namespace assay
