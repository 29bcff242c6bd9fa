// Products are judged without multiplying again: right ones pass, wrong ones never do.
#include "dynamic_check/localize/quick_product_check.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dynamic_check/numbers/random.h"
#include "dynamic_check/numbers/rounding.h"
#include "dynamic_check/tolerance/statistics.h"
#include "shared_ir/capture/torch/scalar_type.h"

namespace assay {
namespace {

const ProductOperands kPlain{.first = 0}, kAdded{.first = 1, .added = 0};

ProductTolerance tolerance_of(const at::Tensor& result, uint64_t seed = 1) {
  const double factor = tolerance_factor(257, 1 - 1e-9);
  return {unit_roundoff(to_dtype(result.scalar_type())), factor, factor, seed};
}

at::Tensor normal(const std::string& name, const Shape& shape, at::ScalarType dtype = at::kFloat) {
  return normal_tensor({7, name}, shape).to(dtype);
}

bool is_right(const ProductOperands& operands, const std::vector<at::Tensor>& arguments,
              const at::Tensor& actual, uint64_t seed = 1) {
  return product_is_right(operands, arguments, actual, tolerance_of(actual, seed));
}

TEST(QuickProductCheck, RightProductsOfAllShapesAndPrecisionsPass) {
  for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16, at::kHalf}) {
    for (const int64_t inner : {16, 256, 2048}) {
      const at::Tensor a = normal("a", {192, inner}, dtype), b = normal("b", {inner, 320}, dtype);
      EXPECT_TRUE(is_right(kPlain, {a, b}, at::mm(a, b))) << dtype << " " << inner;
      const at::Tensor t = normal("t", {320, inner}, dtype).t(), bias = normal("c", {320}, dtype);
      EXPECT_TRUE(is_right(kAdded, {bias, a, t}, at::addmm(bias, a, t))) << dtype << " " << inner;
    }
  }
  const at::Tensor a = normal("a", {8, 64, 32}), b = normal("b", {8, 32, 96});
  EXPECT_TRUE(is_right(kPlain, {a, b}, at::bmm(a, b)));
}

// What it must see: one element, one row, the last rows, a term that is left out or added twice.
TEST(QuickProductCheck, WrongProductsDoNotPass) {
  const at::Tensor a = normal("a", {192, 256}), b = normal("b", {256, 320});
  const at::Tensor right = at::mm(a, b);
  const at::Tensor bias = normal("c", {320});
  const double allowed_in_a_block =
      tolerance_of(right).block_factor * 0x1p-24 * std::sqrt(3 * 256.0 * 320 / 3);
  for (uint64_t seed = 0; seed < 50; ++seed) {
    at::Tensor element = right.clone();
    element[static_cast<int64_t>(seed * 3)][17] += 8 * allowed_in_a_block;
    EXPECT_FALSE(is_right(kPlain, {a, b}, element, seed)) << seed;
    at::Tensor row = right.clone();
    row[191] += normal("noise", {320}) * (8 * allowed_in_a_block / std::sqrt(320.0));
    EXPECT_FALSE(is_right(kPlain, {a, b}, row, seed)) << seed;
  }
  at::Tensor tail = right.clone();
  tail.slice(0, 188).zero_();
  EXPECT_FALSE(is_right(kPlain, {a, b}, tail));
  EXPECT_FALSE(is_right(kPlain, {a, b}, at::mm(a.slice(1, 0, 255), b.slice(0, 0, 255))));
  EXPECT_FALSE(is_right(kAdded, {bias, a, b}, right));
  EXPECT_FALSE(is_right(kPlain, {a, b}, right + bias));
  EXPECT_FALSE(is_right(kPlain, {a, b}, right * 1.0001));
}

TEST(QuickProductCheck, AccumulationInALowerPrecisionDoesNotPass) {
  const at::Tensor a = normal("a", {192, 2048}), b = normal("b", {2048, 320});
  at::Tensor sum = at::zeros({192, 320}, at::kBFloat16);
  for (int64_t k = 0; k < 2048; k += 128)
    sum += at::mm(a.slice(1, k, k + 128), b.slice(0, k, k + 128)).to(at::kBFloat16);
  EXPECT_FALSE(is_right(kPlain, {a, b}, sum.to(at::kFloat)));
}

// The kernel adds up in blocks, and rounds far less than adding up one by one would: what lies in
// between is not its rounding.
TEST(QuickProductCheck, NoiseBeyondTheKernelsOwnDoesNotPass) {
  const at::Tensor a = normal("a", {2, 192, 4096}), b = normal("b", {2, 4096, 320});
  const at::Tensor right = at::bmm(a, b);
  const at::Tensor exact = at::bmm(a.to(at::kDouble), b.to(at::kDouble));
  for (uint64_t seed = 0; seed < 5; ++seed) {
    EXPECT_TRUE(is_right(kPlain, {a, b}, right, seed)) << seed;
    const double own = (right.to(at::kDouble) - exact).norm().item<double>();
    const at::Tensor noise = normal("noise", right.sizes().vec(), at::kDouble);
    const at::Tensor noisy = exact + noise * (3 * own / noise.norm().item<double>());
    EXPECT_FALSE(is_right(kPlain, {a, b}, noisy.to(at::kFloat), seed)) << seed;
  }
}

// Undecided, never right: the whole check follows.
TEST(QuickProductCheck, WhatItCannotTellIsNotCalledRight) {
  const at::Tensor a = normal("a", {192, 256}), b = normal("b", {256, 320});
  at::Tensor nan = at::mm(a, b);
  nan[3][5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(is_right(kPlain, {a, b}, nan));
  EXPECT_FALSE(is_right(kPlain, {a, b}, at::mm(a, b).slice(1, 0, 319))) << "a wrong shape";
  const at::Tensor wide = a.to(at::kDouble);
  EXPECT_FALSE(is_right(kPlain, {wide, b.to(at::kDouble)}, at::mm(wide, b.to(at::kDouble))));
  EXPECT_FALSE(is_right(kPlain, {a.slice(0, 0, 4), b}, at::mm(a.slice(0, 0, 4), b)))
      << "blocks that hold no whole row";
}

TEST(QuickProductCheck, ScaledProductsAreLeftAlone) {
  Node node;
  node.op = "aten.addmm.default";
  node.args = {{TensorArg{0}}, {TensorArg{1}}, {TensorArg{2}}};
  EXPECT_FALSE(product_of(node)->scaled);
  node.kwargs.emplace_back("alpha", Arg{int64_t{1}});
  EXPECT_FALSE(product_of(node)->scaled);
  node.kwargs.emplace_back("beta", Arg{0.5});
  EXPECT_TRUE(product_of(node)->scaled);
  node.op = "aten.mul.Tensor";
  EXPECT_FALSE(product_of(node));
}

}  // namespace
}  // namespace assay
