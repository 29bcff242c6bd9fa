// Declarations of the user in the place of kernels.
#include "dynamic_check/kernels/declared_operators.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dynamic_check/numbers/random.h"
#include "tests/support/graph_builder.h"
#include "tests/support/scratch_folder.h"

namespace assay {
namespace {

constexpr double kRoundoff = 0x1p-24;

const DeclaredOperators& declared() {
  static const test::ScratchFolder scratch;
  static const DeclaredOperators operators({scratch.write("operators.toml", R"(
["own.sum.default"]
schema = 'x'
returns = 'sum(x, [-1], false)'

["own.dot.default"]
schema = 'x, y'
returns = 'einsum("i k, i k -> i", x, y)'

["own.unknown.default"]
schema = 'x'
returns = 'map("nobody_knows", x)'

["own.split_norm.default"]
schema = 'out!, x'
let.scale = 'map("rsqrt", sum(mul(x, x), [-1], true))'
returns = ['sum(x, [-1], false)', 'cast(compare("gt", x, 0), bool)']
writes.out = 'mul(x, scale)'

["own.scaled_gather.default"]
schema = 'x, group, size=2'
returns = 'all_gather(x, size, group)'

["own.product_and_sum.default"]
schema = 'x, y, group'
returns = 'all_reduce(mul(x, y), "sum", group)'
)")});
  return operators;
}

// One node on float32 operands of one shape.
struct OneNode {
  Graph graph;
  std::vector<at::Tensor> operands;

  OneNode(const std::string& op, std::vector<at::Tensor> tensors, const std::vector<Shape>& results,
          const std::vector<test::Argument>& further = {})
      : operands(std::move(tensors)) {
    test::GraphBuilder builder("one node");
    builder.at("kernels.py", 7);
    std::vector<test::Argument> arguments;
    for (const at::Tensor& tensor : operands)
      arguments.push_back(
          builder.input("in" + std::to_string(arguments.size()), tensor.sizes().vec()));
    arguments.insert(arguments.end(), further.begin(), further.end());
    std::vector<test::TensorType> types;
    for (const Shape& shape : results) types.push_back({shape});
    builder.call_many("out", op, arguments, types);
    graph = builder.graph();
    graph.functional = true;
  }

  std::vector<at::Tensor> run(const InnerRounding& rounding = {}) const {
    return declared().run(
        graph, graph.nodes[0], [this](TensorId id) { return operands.at(static_cast<size_t>(id)); },
        rounding);
  }
};

at::Tensor normal(const std::string& name, const Shape& shape) {
  return normal_tensor({3, name}, shape).to(at::kFloat);
}

TEST(DeclaredOperators, GiveWhatTheDeclarationSays) {
  const at::Tensor x = normal("x", {5, 7}), wide = x.to(at::kDouble);
  OneNode node("own.split_norm.default", {at::zeros_like(x), x}, {{5}, {5, 7}, {5, 7}});
  node.graph.tensors[3].dtype = DType::kBool;
  const std::vector<at::Tensor> results = node.run();
  ASSERT_EQ(results.size(), 3u);
  EXPECT_TRUE(at::allclose(results[0], wide.sum(-1), 1e-14));
  EXPECT_EQ(results[1].scalar_type(), at::kBool);
  EXPECT_TRUE(at::equal(results[1], x.gt(0)));
  EXPECT_TRUE(at::allclose(results[2], wide / wide.norm(2, {-1}, true), 1e-14));
}

TEST(DeclaredOperators, LeaveOutWhatNobodyUses) {
  const at::Tensor x = normal("x", {5, 7});
  OneNode node("own.split_norm.default", {at::zeros_like(x), x}, {{5}, {5, 7}, {5, 7}});
  node.graph.tensors[3].dtype = DType::kBool;
  node.graph.nodes[0].outputs[0] = kNone;
  EXPECT_FALSE(node.run()[0].defined());
  EXPECT_TRUE(node.run()[2].defined());
}

TEST(DeclaredOperators, OfAFunctionWithoutNumbersAreAnErrorAtTheNode) {
  const OneNode node("own.unknown.default", {normal("x", {4})}, {{4}});
  try {
    node.run();
    FAIL() << "it ran";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("kernels.py:7"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("own.unknown.default"), std::string::npos);
  }
}

TEST(DeclaredOperators, AreCollectivesWhereTheyAreNothingElse) {
  const at::Tensor x = normal("x", {4});
  const OneNode gather("own.scaled_gather.default", {x}, {{8}}, {"tp"});
  const auto plain = declared().as_collective(gather.graph.nodes[0]);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->op, "_c10d_functional.all_gather_into_tensor.default");
  ASSERT_EQ(plain->args.size(), 3u);
  EXPECT_EQ(std::get<TensorArg>(plain->args[0].value).id, 0);
  EXPECT_EQ(std::get<int64_t>(plain->args[1].value), 2);
  EXPECT_EQ(std::get<std::string>(plain->args[2].value), "tp");

  const OneNode more("own.product_and_sum.default", {x, x}, {{4}}, {"tp"});
  EXPECT_FALSE(declared().as_collective(more.graph.nodes[0]));
  EXPECT_TRUE(declared().communicates(more.graph.nodes[0]));
}

TEST(DeclaredOperators, AreNotThoseOfAssay) {
  Node node;
  node.op = "aten.mm.default";
  EXPECT_FALSE(declared().declares(node));
  node.op = "own.dot.default";
  EXPECT_TRUE(declared().declares(node));
  EXPECT_FALSE(DeclaredOperators().declares(node));
}

// How far float32 sums made one after the other are off, by the root of the mean square over rows,
// and how far the model says.
struct Errors {
  double measured, modelled;
};

Errors errors_of_sums(double mean) {
  constexpr int64_t kRows = 400, kTerms = 1000;
  const at::Tensor x = normal("x", {kRows, kTerms}) + mean, exact = x.to(at::kDouble).sum(-1);
  at::Tensor sums = at::zeros({kRows}, at::kFloat);
  for (int64_t k = 0; k < kTerms; ++k) sums += x.select(1, k);
  const OneNode node("own.sum.default", {x}, {{kRows}});
  const at::Tensor modelled = node.run({.sums = kRoundoff, .seed = 1})[0];
  const auto rms = [&](const at::Tensor& value) {
    return (value.to(at::kDouble) - exact).square().mean().sqrt().item<double>();
  };
  return {rms(sums), rms(modelled)};
}

TEST(DeclaredOperators, AreAsNoisyAsSumsThatAddOneTermAfterTheOther) {
  for (const double mean : {0.0, 0.1, 3.0}) {
    const auto [measured, modelled] = errors_of_sums(mean);
    EXPECT_LT(measured, 2 * modelled) << "mean " << mean;
    EXPECT_LT(modelled, 2 * measured) << "mean " << mean;
  }
}

TEST(DeclaredOperators, AreNoisyInProductsThatAreSummed) {
  const at::Tensor x = normal("x", {300, 500}), y = normal("y", {300, 500});
  const OneNode node("own.dot.default", {x, y}, {{300}});
  const at::Tensor exact = node.run()[0];
  const at::Tensor error = node.run({.sums = kRoundoff, .seed = 1})[0] - exact;
  // u sqrt(n n / 2) where terms and sum have mean 0, and a uniform error's root mean square.
  const double expected = kRoundoff * 500 / std::sqrt(2) / std::sqrt(3);
  EXPECT_NEAR(error.square().mean().sqrt().item<double>(), expected, 0.3 * expected);
}

TEST(DeclaredOperators, RoundEveryResultOfAnElementwiseOperator) {
  const at::Tensor x = normal("x", {1, 4096});
  const OneNode node("own.split_norm.default", {at::zeros_like(x), x}, {{1}, {1, 4096}, {1, 4096}});
  OneNode with_mask = node;
  with_mask.graph.tensors[3].dtype = DType::kBool;
  const at::Tensor exact = with_mask.run()[2];
  const at::Tensor noisy = with_mask.run({.elements = kRoundoff, .seed = 1})[2];
  const double relative = ((noisy - exact) / exact).abs().max().item<double>();
  EXPECT_GT(relative, kRoundoff / 2);
  EXPECT_LT(relative, 4 * kRoundoff);
}

}  // namespace
}  // namespace assay
