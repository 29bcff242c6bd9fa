// Approximations that a test accepts: what it says, what the report says, what the run compares.
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mm.h>
#include <gmock/gmock.h>
#include <torch/library.h>

#include "assay/gtest.h"

namespace assay {
namespace {

using testing::HasSubstr;

// A kernel that takes moderate numbers alone: a search for a witness, which tries large ones too,
// cannot run it.
at::Tensor moderate(const at::Tensor& x) {
  TORCH_CHECK(x.abs().max().item<double>() < 6, "the number is too large");
  return x * 2;
}

at::Tensor like(const at::Tensor& x) { return at::empty_like(x); }

at::Tensor call_moderate(const at::Tensor& x) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("approximation_test::moderate", "")
                             .typed<at::Tensor(const at::Tensor&)>();
  return op.call(x);
}

TORCH_LIBRARY(approximation_test, library) { library.def("moderate(Tensor x) -> Tensor"); }
TORCH_LIBRARY_IMPL(approximation_test, CPU, library) { library.impl("moderate", moderate); }
TORCH_LIBRARY_IMPL(approximation_test, Meta, library) { library.impl("moderate", like); }

const char* const kOwnMeans = "each rank centres by the mean of its own tokens";

enum class Centre { kOwnMean, kWholeMean, kMeanAdded };

void centred(Program& p, Centre how) {
  const at::Tensor h = at::mm(p[{"x"}], p[{"w"}]);
  at::Tensor m = at::mean(h, at::IntArrayRef{0}, /*keepdim=*/true);
  if (how == Centre::kWholeMean) m = p.all_reduce(m, "dp") / p.size("dp");
  p.output("m", m);
  p.output("y", how == Centre::kMeanAdded ? h + m : h - m, Shard("dp", 0));
}

RefinementSpec centred_spec(Centre how) {
  RefinementSpec spec;
  spec.name = "Centred";
  spec.mesh = Mesh({{"dp", 2}});
  InputSpec x, w;
  x.name = "x";
  x.shape = {8, 4};
  x.placement = Shard("dp", 0);
  w.name = "w";
  w.shape = {4, 6};
  spec.inputs = {x, w};
  spec.sequential = [](Program& p) { centred(p, Centre::kOwnMean); };
  spec.distributed = [how](Program& p) { centred(p, how); };
  return spec;
}

CaseReport check_accepting(Centre how, const std::string& output = "m",
                           const std::string& reason = kOwnMeans) {
  RefinementSpec spec = centred_spec(how);
  spec.approximations = {{output, reason, {"user_test.cpp", 12, 0}}};
  CheckOptions options;
  options.precisions = {DType::kFloat32};
  return check_refinement(spec, options);
}

TEST(AcceptedApproximation, PassesAndIsInTheVerdict) {
  const CaseReport report = check_accepting(Centre::kOwnMean);
  EXPECT_EQ(report.exit, 0) << to_text(report);
  EXPECT_EQ(report.verdict, Verdict::kProved);
  EXPECT_THAT(to_text(report), HasSubstr("proved, given 1 accepted approximation"));
  EXPECT_THAT(to_text(report), HasSubstr(kOwnMeans));
}

TEST(AcceptedApproximation, IsMeasuredByTheRun) {
  const CaseReport report = check_accepting(Centre::kOwnMean);
  ASSERT_TRUE(report.dynamic);
  ASSERT_EQ(report.dynamic->approximations.size(), 1u);
  EXPECT_EQ(report.dynamic->approximations[0].tensor, "m");
  EXPECT_GT(report.dynamic->approximations[0].error, 0.01);
  EXPECT_THAT(to_text(report), HasSubstr("approximated: m is off by "));
}

TEST(AcceptedApproximation, IsAFailureWhereItIsNotAccepted) {
  EXPECT_EQ(check_refinement(centred_spec(Centre::kOwnMean)).exit, 1);
}

TEST(AcceptedApproximation, LeavesABugAfterItToProofAndRun) {
  const CaseReport report = check_accepting(Centre::kMeanAdded);
  EXPECT_EQ(report.exit, 1);
  EXPECT_EQ(report.statics->verdict, Verdict::kUnproved);
  ASSERT_TRUE(report.dynamic);
  EXPECT_EQ(report.dynamic->verdict, RunVerdict::kDeviates);
  EXPECT_EQ(report.dynamic->triage, "logic");
  EXPECT_EQ(report.dynamic->first_deviation->tensor, "y");
}

// What depends on the approximation is compared given it. Where that cannot be run, nothing passes.
TEST(AcceptedApproximation, ThatCannotBeRunFromItsGraphIsNoPass) {
  RefinementSpec spec = centred_spec(Centre::kOwnMean);
  InputSpec s;
  s.name = "s";
  s.shape = {4};
  s.requires_grad = false;
  spec.inputs.push_back(s);
  const auto program = [](Program& p) {
    p.output("t", call_moderate(p[{"s"}]));
    centred(p, Centre::kOwnMean);
  };
  spec.sequential = spec.distributed = program;
  spec.approximations = {{"m", kOwnMeans, {"user_test.cpp", 12, 0}}};
  CheckOptions options;
  options.precisions = {DType::kFloat32};
  const CaseReport report = check_refinement(spec, options);
  EXPECT_EQ(report.statics->verdict, Verdict::kProved) << to_text(report);
  EXPECT_EQ(report.verdict, Verdict::kUnproved) << to_text(report);
  EXPECT_EQ(report.exit, 1);
  EXPECT_THAT(to_text(report), HasSubstr("the number is too large"));
}

TEST(AcceptedApproximation, OfNoOutputIsAnErrorAtItsLine) {
  const CaseReport report = check_accepting(Centre::kOwnMean, "mean");
  EXPECT_EQ(report.exit, 2);
  EXPECT_THAT(report.error, HasSubstr("user_test.cpp:12: no output is named mean"));
}

TEST(AcceptedApproximation, WithoutAReasonIsAnErrorAtItsLine) {
  const CaseReport report = check_accepting(Centre::kOwnMean, "m", "");
  EXPECT_EQ(report.exit, 2);
  EXPECT_THAT(report.error, HasSubstr("user_test.cpp:12: the approximation of 'm' needs a reason"));
}

TEST(AcceptedApproximation, ThatIsNotNeededIsAnErrorAtItsLine) {
  const CaseReport report = check_accepting(Centre::kWholeMean);
  EXPECT_EQ(report.exit, 2);
  EXPECT_THAT(report.error, HasSubstr("user_test.cpp:12: the approximation of 'm' is not needed"));
}

TEST_REFINEMENT(AcceptedApproximationInATest, Passes) {
  input("x", {8, 4}, Shard("dp", 0));
  input("w", {4, 6});
  accept_approximation("m", kOwnMeans);
  sequential([](Program& p) { centred(p, Centre::kOwnMean); });
  distributed({{"dp", 2}}, [](Program& p) { centred(p, Centre::kOwnMean); });
}

}  // namespace
}  // namespace assay
