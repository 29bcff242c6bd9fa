// Kernels that PyTorch does not know, declared by the test: a block of a model whose ranks call
// them, and so does the sequential program where a test says so.
#include "tests/plugin/own_kernels.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/silu.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "assay/refinement.h"
#include "shared_ir/case/case.h"
#include "tests/plugin/input_spec.h"
#include "tests/support/scratch_folder.h"

namespace assay::test {
namespace {

using testing::HasSubstr;

constexpr double kEpsilon = 1e-5;

template <typename Signature>
auto own(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

at::Tensor own_swiglu(const at::Tensor& gate, const at::Tensor& up) {
  return own<at::Tensor(const at::Tensor&, const at::Tensor&)>("own::swiglu").call(gate, up);
}

at::Tensor own_rms_norm(const at::Tensor& x, const at::Tensor& weight) {
  at::Tensor out = at::empty_like(x);
  own<void(at::Tensor&, const at::Tensor&, const at::Tensor&, double)>("own::rms_norm")
      .call(out, x, weight, kEpsilon);
  return out;
}

at::Tensor own_linear(const at::Tensor& x, const at::Tensor& weight) {
  return own<at::Tensor(const at::Tensor&, const at::Tensor&)>("own::linear").call(x, weight);
}

at::Tensor own_sum_over_ranks(const at::Tensor& x, const std::string& group) {
  return own<at::Tensor(const at::Tensor&, const std::string&)>("own::sum_over_ranks")
      .call(x, group);
}

at::Tensor unary(const char* name, const at::Tensor& x) {
  return own<at::Tensor(const at::Tensor&)>(name).call(x);
}

constexpr int64_t kTokens = 16, kHidden = 512, kInner = 512;

// This rank's part of the block, before the sum over ranks.
at::Tensor with_own_kernels(Program& p) {
  const at::Tensor x = own_rms_norm(p[{"x"}], p[{"norm"}]);
  return own_linear(own_swiglu(own_linear(x, p[{"gate"}]), own_linear(x, p[{"up"}])), p[{"down"}]);
}

at::Tensor with_pytorch(Program& p) {
  // at::rms_norm would round epsilon to float32, which is another number.
  const at::Tensor mean_square = at::mean(at::pow(p[{"x"}], 2), {-1}, /*keepdim=*/true);
  const at::Tensor x = p[{"x"}] * at::rsqrt(mean_square + kEpsilon) * p[{"norm"}];
  const at::Tensor gated = at::silu(at::mm(x, p[{"gate"}].t())) * at::mm(x, p[{"up"}].t());
  return at::mm(gated, p[{"down"}].t());
}

RefinementSpec block() {
  RefinementSpec spec;
  spec.name = "OwnKernels";
  spec.mesh = Mesh({{"tp", 2}});
  spec.operator_files = {OWN_KERNELS_TOML};
  spec.inputs = {input_spec("x", {kTokens, kHidden}, Replicate()),
                 input_spec("norm", {kHidden}, Replicate()),
                 input_spec("gate", {kInner, kHidden}, Shard("tp", 0)),
                 input_spec("up", {kInner, kHidden}, Shard("tp", 0)),
                 input_spec("down", {kHidden, kInner}, Shard("tp", 1))};
  for (size_t i = 1; i < spec.inputs.size(); ++i) spec.inputs[i].role = InputRole::kWeight;
  spec.inputs[1].role = InputRole::kScale;
  spec.sequential = [](Program& p) { p.output("y", with_pytorch(p)); };
  spec.distributed = [](Program& p) {
    p.output("y", own_sum_over_ranks(with_own_kernels(p), p.group("tp")->getGroupName()));
  };
  return spec;
}

// Both programs call the kernels, which a comparison of the two alone would let pass.
RefinementSpec block_of_own_kernels_alone() {
  RefinementSpec spec = block();
  spec.sequential = [](Program& p) { p.output("y", with_own_kernels(p)); };
  return spec;
}

CheckOptions in(DType precision, uint64_t seed = 1) {
  CheckOptions options;
  options.precisions = {precision};
  options.seed = seed;
  return options;
}

struct Caught {
  KernelBug bug;
  DType precision;
  std::string op, triage;
};

class OwnKernels : public testing::TestWithParam<DType> {};

TEST_P(OwnKernels, ThatAreRightPass) {
  for (const RefinementSpec& spec : {block(), block_of_own_kernels_alone()}) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      const CaseReport report = check_refinement(spec, in(GetParam(), seed));
      ASSERT_EQ(report.exit, 0) << "seed " << seed << "\n" << to_text(report);
      EXPECT_EQ(report.verdict, Verdict::kProved);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(In, OwnKernels, testing::Values(DType::kFloat32, DType::kBFloat16),
                         [](const auto& dtype) { return std::string(to_string(dtype.param)); });

class WrongOwnKernels : public testing::TestWithParam<Caught> {};

TEST_P(WrongOwnKernels, AreCaughtAndNamed) {
  const Caught& caught = GetParam();
  for (const RefinementSpec& spec : {block(), block_of_own_kernels_alone()}) {
    const WithBug bug(caught.bug);
    const CaseReport report = check_refinement(spec, in(caught.precision));
    EXPECT_EQ(report.exit, 1) << to_text(report);
    ASSERT_TRUE(report.dynamic && report.dynamic->first_deviation) << to_text(report);
    EXPECT_EQ(report.dynamic->triage, caught.triage) << to_text(report);
    EXPECT_EQ(report.dynamic->first_deviation->op, caught.op);
    EXPECT_THAT(report.dynamic->first_deviation->source, HasSubstr("own_kernels_test.cpp:"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Bug, WrongOwnKernels,
    testing::Values(
        Caught{KernelBug::kLastElement, DType::kFloat32, "own.swiglu.default", "kernel"},
        Caught{KernelBug::kLastElement, DType::kBFloat16, "own.swiglu.default", "kernel"},
        Caught{KernelBug::kWeightForgotten, DType::kFloat32, "own.rms_norm.default", "kernel"},
        Caught{KernelBug::kNarrowSums, DType::kBFloat16, "own.linear.default", "precision"},
        Caught{KernelBug::kRankForgotten, DType::kFloat32, "own.sum_over_ranks.default",
               "runtime"}));

TEST(OwnKernel, OfNarrowTypesThatNobodyDeclaresIsAnErrorThatSaysWhatToDo) {
  RefinementSpec spec = block();
  spec.sequential =
      spec.distributed = [](Program& p) { p.output("y", unary("own::undeclared", p[{"x"}])); };
  const CaseReport report = check_refinement(spec, in(DType::kFloat32));
  EXPECT_EQ(report.exit, 2);
  EXPECT_THAT(report.error, HasSubstr("own_kernels_test.cpp:"));
  EXPECT_THAT(report.error, HasSubstr("own.undeclared.default"));
  EXPECT_THAT(report.error, HasSubstr("operators()"));
}

TEST(OwnKernel, ThatRefusesAPrecisionIsAnErrorThatNamesIt) {
  RefinementSpec spec = block();
  spec.sequential =
      spec.distributed = [](Program& p) { p.output("y", unary("own::shapeless", p[{"x"}])); };
  CheckOptions options;
  options.precisions = {DType::kBFloat16, DType::kFloat16};
  const CaseReport report = check_refinement(spec, options);
  EXPECT_EQ(report.exit, 2);
  EXPECT_THAT(report.error, HasSubstr("in float16: own.shapeless.default"));
}

TEST(OwnKernel, RunsInProcessesToo) {
  CheckOptions options = in(DType::kFloat32);
  options.executor = ExecutorKind::kGloo;
  const CaseReport report = check_refinement(block(), options);
  EXPECT_EQ(report.exit, 0) << to_text(report);
}

TEST(OwnKernel, RunsInStagesToo) {
  CheckOptions options = in(DType::kFloat32);
  options.reference_stages = {"cpu", "cpu"};
  const CaseReport report = check_refinement(block_of_own_kernels_alone(), options);
  EXPECT_EQ(report.exit, 0) << to_text(report);
}

// As `assay check` does with a case folder, which has no kernels: declarations alone are run.
TEST(OwnKernel, OfAFolderRunsAsDeclared) {
  RefinementSpec right = block_of_own_kernels_alone(), wrong = right;
  wrong.name = "OwnKernelsWithoutTheSum";
  wrong.distributed = [](Program& p) { p.output("y", with_own_kernels(p)); };
  for (const RefinementSpec& spec : {right, wrong}) {
    const WithBug bug(KernelBug::kWeightForgotten);  // which nobody sees there
    const ScratchFolder folder;
    save_case(capture_case(spec), folder.path());
    const CaseReport report = check_case_folder(spec.name, folder.path());
    EXPECT_EQ(report.verdict, spec.name == wrong.name ? Verdict::kRefuted : Verdict::kProved)
        << to_text(report);
  }
}

TEST(OwnKernel, WithoutAKernelForMetaTensorsIsRunForItsShapes) {
  RefinementSpec spec = block();
  spec.sequential =
      spec.distributed = [](Program& p) { p.output("y", unary("own::shapeless", p[{"x"}])); };
  const CaseReport report = check_refinement(spec, in(DType::kFloat32));
  EXPECT_EQ(report.exit, 0) << to_text(report);
}

TEST(OwnKernel, ThatCrashesWhenItIsRunForItsShapesIsAnErrorThatSaysWhatToRegister) {
  RefinementSpec spec = block();
  spec.distributed = [](Program& p) { p.output("y", unary("own::crashes", p[{"x"}])); };
  const CaseReport report = check_refinement(spec, in(DType::kFloat32));
  EXPECT_EQ(report.exit, 2);
  EXPECT_THAT(report.error, HasSubstr("own_kernels_test.cpp:"));
  EXPECT_THAT(report.error, HasSubstr("signal"));
  EXPECT_THAT(report.error, HasSubstr("TORCH_LIBRARY_IMPL(own, Meta, m)"));
}

TEST(OwnKernel, WithAShapeThatDependsOnValuesIsRefused) {
  RefinementSpec spec = block();
  spec.distributed = [](Program& p) { p.output("y", unary("own::positive", p[{"x"}])); };
  const CaseReport report = check_refinement(spec, in(DType::kFloat32));
  EXPECT_EQ(report.exit, 2);
  EXPECT_THAT(report.error, HasSubstr("own_kernels_test.cpp:"));
  EXPECT_THAT(report.error, HasSubstr("own.positive.default"));
  EXPECT_THAT(report.error, HasSubstr("depend on values"));
}

}  // namespace
}  // namespace assay::test
