// Checks whose tensors are too large for their exact values to be kept: distances are estimated,
// and what may deviate is compared again with exact ones.
#include <ATen/TensorOperators.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamic_check/inputs/run_inputs.h"
#include "dynamic_check/judge/references.h"
#include "tests/dynamic/support/mlp.h"

namespace assay {
namespace {

using test::make_mlp;
using test::Mlp;

const Mlp& large_mlp() {
  static const Mlp made = make_mlp({.tokens = 384, .hidden = 128, .inner = 256});
  return made;
}

DynamicReport run(const DynamicOptions& options) {
  const Mlp& mlp = large_mlp();
  return dynamic_check(mlp.refinement, mlp.relations, Verdict::kProved, mlp.programs, options);
}

struct Side {
  explicit Side(const Mlp& of) : mlp(of) {}

  const Mlp& mlp;
  Targets targets = make_targets(mlp.refinement, mlp.relations);
  DynamicOptions options{.seed = 2, .samples = 5};
  RunInputs inputs =
      make_run_inputs(mlp.refinement, mlp.programs.inputs, {}, options.precision, options.seed);

  References references() const {
    return make_references(mlp.refinement, targets, mlp.programs, inputs, options);
  }
  void make_exact(References& references, const std::set<size_t>& which) const {
    assay::make_exact(references, which, mlp.refinement, targets, mlp.programs, inputs, options);
  }
};

ProgressSink counting_float64_runs(int& count) {
  return [&count](std::string_view phase, int64_t, int64_t) {
    count += phase == "sequential run in float64";
  };
}

TEST(Estimates, AreOfLargeTensorsAlone) {
  for (const ExpectedTensor& reference : Side(large_mlp()).references().tensors)
    EXPECT_TRUE(reference.spread->is_estimate());
  const Mlp small = make_mlp();
  for (const ExpectedTensor& reference : Side(small).references().tensors)
    EXPECT_FALSE(reference.spread->is_estimate());
}

// By the same runs: about the same is allowed.
TEST(Estimates, BecomeExactForTheTargetsAskedFor) {
  const Side side(large_mlp());
  const References before = side.references();
  References after = before;
  const size_t asked = 1;
  side.make_exact(after, {asked});
  ASSERT_FALSE(after.failure);
  for (size_t i = 0; i < after.tensors.size(); ++i) {
    const Spread &old = *before.tensors[i].spread, &now = *after.tensors[i].spread;
    EXPECT_EQ(now.samples(), side.options.samples);
    EXPECT_EQ(now.is_estimate(), i != asked);
    const double allowed = now.allowed(1, 1, 0).whole, estimated = old.allowed(1, 1, 0).whole;
    if (i == asked)
      EXPECT_NEAR(allowed, estimated, 0.05 * allowed);
    else
      EXPECT_EQ(allowed, estimated);
  }
}

TEST(Estimates, LetARightProgramPassWithoutExactValues) {
  for (const DType precision : {DType::kFloat32, DType::kBFloat16}) {
    int float64_runs = 0;
    const DynamicReport report =
        run({.precision = precision, .progress = counting_float64_runs(float64_runs)});
    EXPECT_EQ(report.triage, "pass");
    EXPECT_EQ(float64_runs, 1);
  }
}

// Wrong in one element of one rank's part.
TEST(Estimates, GiveWayToExactFiguresWhereSomethingDeviates) {
  int float64_runs = 0;
  const DynamicReport report = run({.kernel =
                                        [](const KernelCall& call) {
                                          if (call.rank != 1 || call.node.op != "aten.gelu.default")
                                            return;
                                          at::Tensor element = call.outputs[0].select(0, 200)[17];
                                          element += 0.05;
                                        },
                                    .progress = counting_float64_runs(float64_runs)});
  EXPECT_EQ(report.triage, "kernel");
  ASSERT_TRUE(report.first_deviation);
  EXPECT_EQ(report.first_deviation->op, "aten.gelu.default");
  EXPECT_EQ(report.first_deviation->kind, "value");
  EXPECT_EQ(float64_runs, 2);
}

// Far beyond rounding, and far below what any single element shows.
TEST(Estimates, SeeASmallErrorOfEveryElement) {
  const DynamicReport report = run({.kernel = [](const KernelCall& call) {
    if (call.node.op != "aten.gelu.default") return;
    at::Tensor output = call.outputs[0];
    output *= 1 + 1e-5;
  }});
  ASSERT_TRUE(report.first_deviation);
  EXPECT_EQ(report.first_deviation->op, "aten.gelu.default");
  EXPECT_NEAR(report.first_deviation->error, 1e-5, 2e-7);
}

TEST(Estimates, SeeWhatIsNotFinite) {
  const DynamicReport report = run({.kernel = [](const KernelCall& call) {
    if (call.rank != 0 || call.node.op != "aten.gelu.default") return;
    at::Tensor element = call.outputs[0].select(0, 5)[3];
    element.fill_(std::numeric_limits<double>::quiet_NaN());
  }});
  ASSERT_TRUE(report.first_deviation);
  EXPECT_EQ(report.first_deviation->op, "aten.gelu.default");
  EXPECT_THAT(report.first_deviation->detail, testing::HasSubstr("NaN"));
}

}  // namespace
}  // namespace assay
