// Runs in float8: what is rounded, that right programs pass, and that wrong ones do not.
#include "dynamic_check/run/float8_products.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "tests/dynamic/support/mlp.h"

namespace assay {
namespace {

using test::make_mlp;
using test::Mlp;

const std::vector<DType> kFormats = {DType::kFloat8E4M3, DType::kFloat8E5M2};

DynamicReport run_in_float8(const Mlp& mlp, const DynamicOptions& options) {
  return dynamic_check(mlp.refinement, mlp.relations, Verdict::kProved, mlp.programs, options);
}

// Of 1, the largest, 448 / 1 leaves a scale of 256, and 57344 / 1 one of 32768: 0.1 becomes 25.6
// and 3276.8, whose neighbours are 2 and 512 apart.
TEST(ThroughFloat8, RoundsToTheFormatAtThePowerOfTwoThatFits) {
  const at::Tensor x = at::tensor({1.0, -0.1, 0.0});
  const auto rounded = [&](DType format) {
    const at::Tensor y = through_float8(x, format);
    return std::vector<double>{y[0].item<double>(), y[1].item<double>(), y[2].item<double>()};
  };
  EXPECT_EQ(rounded(DType::kFloat8E4M3), (std::vector<double>{1, -26.0 / 256, 0}));
  EXPECT_EQ(rounded(DType::kFloat8E5M2), (std::vector<double>{1, -3072.0 / 32768, 0}));
}

TEST(ThroughFloat8, KeepsDTypeAndTensorsWithoutAScale) {
  const at::Tensor zeros = at::tensor({0.0, 0.0}).to(at::kBFloat16);
  EXPECT_EQ(through_float8(zeros, DType::kFloat8E4M3).scalar_type(), at::kBFloat16);
  EXPECT_TRUE(at::equal(through_float8(zeros, DType::kFloat8E4M3), zeros));
}

TEST(Float8Run, TensorsAreBFloat16AndFactorsOfProductsAreRounded) {
  for (const DType format : kFormats) {
    const Mlp mlp = make_mlp();
    int products = 0;
    run_in_float8(mlp, {.precision = format, .kernel = [&](const KernelCall& call) {
                          if (call.rank != 0 || call.node.op != "aten.mm.default") return;
                          ++products;
                          const at::Tensor &a = call.inputs[0], &b = call.inputs[1];
                          EXPECT_EQ(a.scalar_type(), at::kBFloat16);
                          const at::Tensor rounded =
                              at::mm(through_float8(a, format), through_float8(b, format));
                          EXPECT_TRUE(at::equal(call.outputs[0], rounded));
                          EXPECT_FALSE(at::equal(call.outputs[0], at::mm(a, b)));
                        }});
    EXPECT_EQ(products, 2);
  }
}

TEST(Float8Run, ACorrectProgramPassesOverTwentySeeds) {
  const Mlp mlp = make_mlp();
  for (const DType format : kFormats) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const DynamicReport report = run_in_float8(mlp, {.precision = format, .seed = seed});
      EXPECT_EQ(report.triage, "pass")
          << to_string(format) << " seed " << seed << ": "
          << (report.first_deviation ? report.first_deviation->tensor : "");
      EXPECT_EQ(report.precision, to_string(format));
    }
  }
}

// A product that leaves out half of its terms: far more than rounding does.
TEST(Float8Run, AProductThatLosesHalfOfItsTermsIsAKernelFault) {
  const Mlp mlp = make_mlp();
  for (const DType format : kFormats) {
    const DynamicReport report =
        run_in_float8(mlp, {.precision = format, .kernel = [](const KernelCall& call) {
                              if (call.rank != 0 || call.node.op != "aten.mm.default") return;
                              const int64_t kept = call.inputs[0].size(1) / 2;
                              at::Tensor product = call.outputs[0];
                              product.copy_(at::mm(call.inputs[0].narrow(1, 0, kept),
                                                   call.inputs[1].narrow(0, 0, kept)));
                            }});
    EXPECT_EQ(report.verdict, RunVerdict::kDeviates);
    EXPECT_EQ(report.triage, "kernel");
    ASSERT_TRUE(report.first_deviation);
    EXPECT_EQ(report.first_deviation->op, "aten.mm.default");
  }
}

}  // namespace
}  // namespace assay
