#include "dynamic_check/inputs/random.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include "dynamic_check/inputs/generate.h"

namespace assay {
namespace {

TEST(Random, AnElementDependsOnSeedNameAndIndexAlone) {
  const at::Tensor small = normal_tensor({7, "w"}, {16});
  const at::Tensor large = normal_tensor({7, "w"}, {4, 16});
  EXPECT_TRUE(at::equal(small, large.flatten().narrow(0, 0, 16)));
  EXPECT_FALSE(at::equal(small, normal_tensor({8, "w"}, {16})));
  EXPECT_FALSE(at::equal(small, normal_tensor({7, "v"}, {16})));
}

TEST(Random, NormalElementsHaveMeanZeroAndVarianceOne) {
  const at::Tensor sample = normal_tensor({1, "x"}, {100'000});
  EXPECT_NEAR(sample.mean().item<double>(), 0, 0.02);
  EXPECT_NEAR(sample.square().mean().item<double>(), 1, 0.03);
}

TEST(Generate, IdsHoldEveryBoundary) {
  DynamicInput ids{.name = "ids",
                   .shape = {64},
                   .dtype = DType::kInt64,
                   .role = InputRole::kTokenIds,
                   .bound = 100};
  const at::Tensor values = generate(ids, 3, {0, 49, 50, 51, 99});
  for (int64_t boundary : {0, 49, 50, 51, 99})
    EXPECT_TRUE(values.eq(boundary).any().item<bool>()) << boundary;
  EXPECT_TRUE(values.ge(0).logical_and(values.lt(100)).all().item<bool>());
}

TEST(Generate, IdsWithoutABoundAreRefused) {
  DynamicInput ids{
      .name = "ids", .shape = {4}, .dtype = DType::kInt64, .role = InputRole::kTokenIds};
  EXPECT_THROW(generate(ids, 0, {}), UserError);
}

TEST(Generate, BoundaryIdsAreTheConstantsOfTheGraphsAndTheirNeighbours) {
  Case refinement;
  refinement.ranks.resize(1);
  Node node;
  node.op = "aten.ge.Scalar";
  node.args = {Arg{TensorArg{0}}, Arg{int64_t{32}}};
  refinement.ranks[0].nodes.push_back(node);
  EXPECT_EQ(boundary_ids(refinement, 64), (std::vector<int64_t>{0, 1, 31, 32, 33, 62, 63}));
}

TEST(RoundingNoise, IsTheSymmetricTensorElementByElement) {
  const RandomKey key{7, "noise"};
  const at::Tensor tensor = symmetric_tensor(key, {33});
  const RoundingNoise noise(key);
  for (int64_t i = 0; i < tensor.numel(); ++i)
    EXPECT_EQ(tensor[i].item<double>(), noise.at(static_cast<uint64_t>(i)));
}

}  // namespace
}  // namespace assay
