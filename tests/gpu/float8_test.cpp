// Products of float8 by the GPU's own kernel.
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <gtest/gtest.h>

#include <span>

#include "dynamic_check/cuda/driver.h"
#include "dynamic_check/cuda/gpus.h"
#include "dynamic_check/numbers/random.h"
#include "dynamic_check/run/float8_products.h"
#include "tests/support/gpu.h"
#include "tests/support/graph_builder.h"

namespace assay {
namespace {

constexpr int kAda = 89;

// The product of factors that went through float8, and what the GPU makes of them.
struct Products {
  at::Tensor exact, own;
};

Products products(int64_t inner, DType float8) {
  test::GraphBuilder builder("product");
  const auto a = builder.input("a", {32, inner}), b = builder.input("b", {inner, 48});
  builder.output(builder.call("y", "aten.mm.default", {a, b}, {32, 48}));
  const Graph& graph = builder.graph();
  const auto factor = [](const char* name, const Shape& shape) {
    return normal_tensor({1, name}, shape).to(at::kBFloat16).to(at::kCUDA);
  };
  const std::vector<at::Tensor> factors = {factor("a", {32, inner}), factor("b", {inner, 48})};
  at::Tensor own = at::empty({32, 48}, factors[0].options());
  round_product(
      graph, 0, float8, [&](TensorId id) { return factors[static_cast<size_t>(id)]; },
      std::span(&own, 1));
  return {at::mm(through_float8(factors[0], float8).to(at::kDouble),
                 through_float8(factors[1], float8).to(at::kDouble)),
          own.to(at::kDouble)};
}

TEST(Float8OnGpu, ProductsAreThoseOfRoundedFactors) {
  ASSAY_NEED_GPU(usable_gpus() > 0);
  if (cuda::compute_capability(0) < kAda) GTEST_SKIP() << "this GPU has no float8 products";
  for (const DType float8 : {DType::kFloat8E4M3, DType::kFloat8E5M2}) {
    for (const int64_t inner : {64, 72}) {  // its own kernel, and an emulated product
      const Products made = products(inner, float8);
      const double error = (made.own - made.exact).norm().item<double>();
      EXPECT_LT(error, 0x1p-8 * made.exact.norm().item<double>()) << to_string(float8) << inner;
    }
  }
}

}  // namespace
}  // namespace assay
