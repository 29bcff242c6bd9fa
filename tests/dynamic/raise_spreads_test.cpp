// Where samples show no noise, runs of the graphs do.
#include "dynamic_check/raise_spreads.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include "tests/dynamic/support/difference.h"

namespace assay {
namespace {

// What is allowed of y, relative to the squares' sum, when every sample agrees with the exact value
// and the inputs are these.
double allowed_after(const RunInputs& inputs, const std::vector<std::string>& stages = {}) {
  const test::Mlp difference = test::make_difference();
  const DynamicOptions options{
      .precision = DType::kBFloat16, .seed = 1, .samples = 4, .reference_stages = stages};
  const at::Tensor squares = inputs.whole.at("x").to(at::kDouble).square();
  const int64_t half = squares.size(0) / 2;
  const at::Tensor y = squares.slice(0, 0, half).sum() - squares.slice(0, half).sum();
  Targets targets;
  for (Target& target : make_targets(difference.refinement, difference.relations).list)
    if (target.name == "y" && targets.list.empty()) targets.list.push_back(std::move(target));
  std::vector<ExpectedTensor> references(1);
  references[0].run = y.to(at::kBFloat16);
  references[0].spread.emplace(y);
  for (int sample = 0; sample < options.samples; ++sample) references[0].spread->add(y);
  raise_by_graphs(references, difference.refinement, targets, inputs, options);
  return references[0].spread->allowed(1, 1, 0).whole / squares.sum().item<double>();
}

TEST(RaiseSpreads, BySequentialGraphAndMoreByRanksThatRoundMore) {
  RunInputs inputs;
  at::Tensor x = at::randn({2 * 8192}).to(at::kBFloat16);
  inputs.whole["x"] = x;
  // Without its inputs, the ranks' graphs cannot be interpreted.
  const double by_sequential = allowed_after(inputs);
  EXPECT_EQ(allowed_after(inputs, {"cpu", "cpu"}), by_sequential) << "in stages";
  inputs.parts[{"x", 0}] = x.slice(0, 0, 8192);
  inputs.parts[{"x", 1}] = x.slice(0, 8192);
  const double by_both = allowed_after(inputs);
  constexpr double kRoundoff = 0x1p-8;
  EXPECT_GT(by_sequential, 0.001 * kRoundoff);  // of many terms, the noise averages out
  EXPECT_LT(by_sequential, 0.05 * kRoundoff);
  EXPECT_GT(by_both, 0.1 * kRoundoff);  // each half of it is rounded as a whole
}

}  // namespace
}  // namespace assay
