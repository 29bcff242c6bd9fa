#include "dynamic_check/localize/operator_check.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/native_layer_norm_backward.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <string>

#include "dynamic_check/numbers/random.h"
#include "dynamic_check/run/record.h"
#include "shared_ir/capture/torch/scalar_type.h"
#include "tests/support/graph_builder.h"

namespace assay {
namespace {

constexpr int64_t kRows = 2, kInner = 4, kColumns = 32;
constexpr TensorId kBias = 0, kX = 1, kWeight = 2, kResult = 3;  // as small_product makes them

// bias + x weight, of so few elements that each is a block of its own.
Graph small_product(DType dtype) {
  test::GraphBuilder graph("product");
  const test::TensorRef bias = graph.input("bias", {kColumns}, dtype);
  const test::TensorRef x = graph.input("x", {kRows, kInner}, dtype);
  const test::TensorRef weight = graph.input("weight", {kInner, kColumns}, dtype);
  graph.call("y", "aten.addmm.default", {bias, x, weight}, {kRows, kColumns}, dtype);
  return graph.graph();
}

RecordedTensors right_run(const Graph& graph, uint64_t seed) {
  RecordedTensors recorded;
  for (TensorId id = 0; id < kResult; ++id) {
    const Tensor& tensor = graph.tensors[static_cast<size_t>(id)];
    recorded.push_back(
        normal_tensor({seed, tensor.name}, tensor.shape).to(to_scalar_type(tensor.dtype)));
  }
  recorded.push_back(at::addmm(recorded[kBias], recorded[kX], recorded[kWeight]));
  return recorded;
}

class SmallProduct : public testing::TestWithParam<DType> {
 protected:
  std::optional<OperatorFault> check(const RecordedTensors& recorded, uint64_t seed) const {
    return check_operator(graph_, 0, 0,
                          [&](TensorId id) { return recorded[static_cast<size_t>(id)]; },
                          {.seed = seed})
        .fault;
  }

  const Graph graph_ = small_product(GetParam());
};

// The rounding errors of few additions lie on the grid of the largest partial sum: perturbed runs
// of one element often have one and the same, and say nothing about the next.
TEST_P(SmallProduct, IsNotCalledWrongWhenItIsRight) {
  int wrong = 0;
  for (uint64_t seed = 0; seed < 10'000; ++seed)
    wrong += check(right_run(graph_, seed), seed).has_value();
  EXPECT_EQ(wrong, 0);
}

TEST_P(SmallProduct, IsCalledWrongWhenOneElementIs) {
  const double small = 64 * machine_epsilon(GetParam());
  for (uint64_t seed = 0; seed < 50; ++seed) {
    RecordedTensors recorded = right_run(graph_, seed);
    at::Tensor element = recorded[kResult][1][static_cast<int64_t>(seed) % kColumns];
    element.add_(small * recorded[kResult].abs().max());
    const auto fault = check(recorded, seed);
    ASSERT_TRUE(fault) << "seed " << seed;
    EXPECT_EQ(fault->output, kResult);
    EXPECT_GT(fault->error, fault->allowed);
  }
}

// The gradient of a weight by its many rows: every element is a long sum.
constexpr int64_t kSummedRows = 512, kFeatures = 256;

// The weight's alone is asked for.
Graph long_sums() {
  test::GraphBuilder graph("norm");
  const test::TensorRef gradient = graph.input("gradient", {kSummedRows, kFeatures});
  const test::TensorRef x = graph.input("x", {kSummedRows, kFeatures});
  const test::TensorRef mean = graph.input("mean", {kSummedRows, 1});
  const test::TensorRef scale = graph.input("scale", {kSummedRows, 1});
  const test::TensorRef weight = graph.input("weight", {kFeatures});
  graph.call_many("gradients", "aten.native_layer_norm_backward.default",
                  {gradient, x, {kFeatures}, mean, scale, weight, NoArg{}, {false, true, false}},
                  {{{kSummedRows, kFeatures}}, {{kFeatures}}, {{kFeatures}}});
  return graph.graph();
}

// As a rank on one thread gives it.
RecordedTensors long_sums_of_one_thread(uint64_t seed) {
  const at::Tensor gradient =
      normal_tensor({seed, "gradient"}, {kSummedRows, kFeatures}).to(at::kFloat);
  const at::Tensor x = normal_tensor({seed, "x"}, {kSummedRows, kFeatures}).to(at::kFloat);
  const at::Tensor weight = at::ones(kFeatures);
  const auto [normalized, mean, scale] = at::native_layer_norm(x, kFeatures, weight, {}, 1e-5);
  const auto weight_gradient = std::get<1>(at::native_layer_norm_backward(
      gradient, x, kFeatures, mean, scale, weight, {}, {false, true, false}));
  return {gradient, x, mean, scale, weight, {}, weight_gradient, {}};
}

// More threads sum in more and shorter chains, which round less: in how many the checker's process
// would sum says nothing about the rank.
TEST(LongSums, OfARankWithFewerThreadsAreNotCalledWrong) {
  const Graph graph = long_sums();
  const int threads = at::get_num_threads();
  for (uint64_t seed = 0; seed < 20; ++seed) {
    at::set_num_threads(1);
    const RecordedTensors recorded = long_sums_of_one_thread(seed);
    at::set_num_threads(16);
    const auto fault =
        check_operator(graph, 0, 0, [&](TensorId id) { return recorded[static_cast<size_t>(id)]; },
                       {.seed = seed})
            .fault;
    EXPECT_EQ(at::get_num_threads(), 16);
    EXPECT_FALSE(fault) << "seed " << seed << ": " << fault->error << " of " << fault->allowed;
  }
  at::set_num_threads(threads);
}

INSTANTIATE_TEST_SUITE_P(Of, SmallProduct,
                         testing::Values(DType::kFloat32, DType::kBFloat16, DType::kFloat16),
                         [](const auto& dtype) { return std::string(to_string(dtype.param)); });

}  // namespace
}  // namespace assay
