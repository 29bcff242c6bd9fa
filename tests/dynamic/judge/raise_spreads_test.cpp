// Where samples show no noise, runs of the graphs do, as far as the sequential program justifies
// it.
#include "dynamic_check/judge/raise_spreads.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include "dynamic_check/judge/rank_noise.h"
#include "tests/dynamic/support/difference.h"

namespace assay {
namespace {

// y is the difference of two large sums; every sample agrees with the exact value.
class RaiseSpreads : public testing::Test {
 protected:
  RaiseSpreads() {
    const at::Tensor x = at::randn({2 * 8192}).to(at::kBFloat16);
    inputs_.whole["x"] = x;
    const at::Tensor squares = x.to(at::kDouble).square();
    const int64_t half = squares.size(0) / 2;
    y_ = squares.slice(0, 0, half).sum() - squares.slice(0, half).sum();
    all_ = squares.sum().item<double>();
    for (Target& target : make_targets(difference_.refinement, difference_.relations).list)
      if (target.name == "y" && targets_.list.empty()) targets_.list.push_back(std::move(target));
    references_.resize(1);
    references_[0].run = y_.to(at::kBFloat16);
    references_[0].spread.emplace(y_);
    for (int sample = 0; sample < options_.samples; ++sample) references_[0].spread->add(y_);
  }

  // What is allowed of y, relative to the squares' sum.
  double allowed() const { return references_[0].spread->allowed(1, 1, 0).whole / all_; }

  void raise_by_sequential() {
    raise_by_sequential_graph(references_, difference_.refinement, targets_, inputs_, options_);
  }
  std::string raise_by_all_ranks() {
    return raise_by_ranks(references_, difference_.refinement, targets_, inputs_, options_);
  }

  const test::Mlp difference_ = test::make_difference();
  DynamicOptions options_{.precision = DType::kBFloat16, .seed = 1, .samples = 4};
  RunInputs inputs_;
  at::Tensor y_;
  double all_ = 0;
  Targets targets_;
  std::vector<ExpectedTensor> references_;
};

constexpr double kRoundoff = 0x1p-8;

// Each half of the sum may be rounded as a whole.
TEST_F(RaiseSpreads, BySequentialGraphWithItsSumsInAnyOrder) {
  raise_by_sequential();
  EXPECT_GT(allowed(), 0.1 * kRoundoff);
  EXPECT_LT(allowed(), 3 * kRoundoff);
}

TEST_F(RaiseSpreads, InStagesBySumsInAnyOrderToo) {
  options_.reference_stages = {"cpu", "cpu"};
  raise_by_sequential();
  EXPECT_GT(allowed(), 0.1 * kRoundoff);
  EXPECT_LT(allowed(), 3 * kRoundoff);
}

TEST_F(RaiseSpreads, ByRanksWithinLimitsAlone) {
  inputs_.parts[{"x", 0}] = inputs_.whole.at("x").slice(0, 0, 8192);
  inputs_.parts[{"x", 1}] = inputs_.whole.at("x").slice(0, 8192);
  // Nothing justifies any noise yet.
  EXPECT_EQ(raise_by_all_ranks(), "");
  EXPECT_LT(allowed(), 1e-30);  // but for the floor
  EXPECT_GT(references_[0].excess_noise, kSameNoise);
}

TEST_F(RaiseSpreads, ByRanksThatDoNotLoseMoreFindsNoExcess) {
  inputs_.parts[{"x", 0}] = inputs_.whole.at("x").slice(0, 0, 8192);
  inputs_.parts[{"x", 1}] = inputs_.whole.at("x").slice(0, 8192);
  raise_by_sequential();
  EXPECT_EQ(raise_by_all_ranks(), "");
  EXPECT_EQ(references_[0].excess_noise, 0);
}

// Without its inputs, the ranks' graphs cannot be interpreted.
TEST_F(RaiseSpreads, SaysWhyTheRanksDidNotRaiseThem) {
  EXPECT_NE(raise_by_all_ranks(), "");
  EXPECT_LT(allowed(), 1e-30);  // but for the floor
}

}  // namespace
}  // namespace assay
