// Random numbers have nothing to be compared with: what is computed from them passes by the proof
// alone, or not at all.
#include <ATen/TensorOperators.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/native_dropout.h>
#include <ATen/ops/rand_like.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/dynamic/support/two_ranks.h"

namespace assay {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

using Body = at::Tensor (*)(const at::Tensor&);

DynamicReport check_values(Body sequential, Body ranks, Verdict proof) {
  const auto form = [](Body values) {
    return [values](ProgramContext&, const at::Tensor& x) { return values(x); };
  };
  test::Mlp programs = test::on_two_ranks({16, 32}, test::kWhole, form(sequential), form(ranks));
  programs.relations.push_back(test::relation("x", {"x@0", "x@1"}));
  return dynamic_check(programs.refinement, programs.relations, proof, programs.programs,
                       {.seed = 1});
}

at::Tensor dropped(const at::Tensor& x) { return at::dropout(x, 0.5, true); }
at::Tensor scaled(const at::Tensor& x) { return at::dropout(x, 0.5, true) * 3; }
at::Tensor drawn(const at::Tensor& x) { return at::rand_like(x); }
at::Tensor scaled_draws(const at::Tensor& x) { return at::rand_like(x) * 2; }
at::Tensor evaluated(const at::Tensor& x) {
  return std::get<0>(at::native_dropout(x, 0.5, false)) * 2;
}

TEST(RandomOutputs, WithoutAProofAreNoPass) {
  for (const auto& [sequential, ranks] :
       {std::pair<Body, Body>(dropped, scaled), {drawn, scaled_draws}}) {
    const DynamicReport report = check_values(sequential, ranks, Verdict::kUnproved);
    EXPECT_EQ(report.verdict, RunVerdict::kInconclusive);
    EXPECT_THAT(report.uncompared, Contains("y: random numbers"));
  }
}

TEST(RandomOutputs, OfAProofPassByThatAloneAndTheReportSaysSo) {
  for (const Body values : {dropped, drawn, scaled}) {
    const DynamicReport report = check_values(values, values, Verdict::kProved);
    EXPECT_EQ(report.verdict, RunVerdict::kAgrees);
    EXPECT_EQ(report.triage, "pass");
    EXPECT_THAT(report.uncompared, IsEmpty());
    EXPECT_THAT(report.skipped_why, Contains("y: random numbers, the proof alone"));
  }
}

// A dropout that drops nothing draws nothing.
TEST(RandomOutputs, AreNotThoseOfOperatorsThatOnlyCouldDraw) {
  for (const Verdict proof : {Verdict::kProved, Verdict::kUnproved}) {
    const DynamicReport report = check_values(evaluated, evaluated, proof);
    EXPECT_EQ(report.verdict, RunVerdict::kAgrees);
    EXPECT_THAT(report.uncompared, IsEmpty());
    EXPECT_THAT(report.skipped_why, Not(Contains("y: random numbers, the proof alone")));
  }
}

}  // namespace
}  // namespace assay
