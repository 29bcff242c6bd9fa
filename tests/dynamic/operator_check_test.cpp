#include "dynamic_check/localize/operator_check.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <gtest/gtest.h>

#include <string>

#include "dynamic_check/inputs/random.h"
#include "dynamic_check/record.h"
#include "shared_ir/capture/scalar_type.h"

namespace assay {
namespace {

constexpr int64_t kRows = 2, kInner = 4, kColumns = 32;
constexpr TensorId kBias = 0, kX = 1, kWeight = 2, kResult = 3;

// bias + x weight, of so few elements that each is a block of its own.
Graph small_product(DType dtype) {
  Graph graph;
  graph.name = "product";
  graph.tensors = {{"bias", dtype, {kColumns}},
                   {"x", dtype, {kRows, kInner}},
                   {"weight", dtype, {kInner, kColumns}},
                   {"y", dtype, {kRows, kColumns}, 0, 0}};
  graph.inputs = {kBias, kX, kWeight};
  Node node;
  node.op = "aten.addmm.default";
  node.args = {Arg{TensorArg{kBias}}, Arg{TensorArg{kX}}, Arg{TensorArg{kWeight}}};
  node.outputs = {kResult};
  graph.nodes = {node};
  graph.outputs = {kResult};
  for (TensorId id = 0; id < 4; ++id)
    graph.by_name[graph.tensors[static_cast<size_t>(id)].name] = id;
  return graph;
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
                          {.seed = seed});
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

INSTANTIATE_TEST_SUITE_P(Of, SmallProduct,
                         testing::Values(DType::kFloat32, DType::kBFloat16, DType::kFloat16),
                         [](const auto& dtype) { return std::string(to_string(dtype.param)); });

}  // namespace
}  // namespace assay
