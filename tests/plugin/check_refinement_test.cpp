// The README's example and its wrong twins, by their reports.
#include <ATen/core/Tensor.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/mm.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/refinement.h"
#include "tests/plugin/input_spec.h"
#include "tests/support/scratch_folder.h"

namespace assay {
namespace {

using testing::HasSubstr;

// The rank's part of the MLP, before the sum over ranks.
at::Tensor mlp(Program& p) {
  return at::mm(at::gelu(at::mm(p[{"x"}], p[{"up"}].t())), p[{"down"}].t());
}

RefinementSpec readme_example() {
  RefinementSpec spec;
  spec.name = "Mlp";
  spec.mesh = Mesh({{"tp", 2}});
  spec.inputs = {input_spec("x", {8, 64}, Replicate()), input_spec("up", {256, 64}, Shard("tp", 0)),
                 input_spec("down", {64, 256}, Shard("tp", 1))};
  spec.sequential = [](Program& p) { p.output("y", mlp(p)); };
  spec.distributed = [](Program& p) { p.output("y", p.all_reduce(mlp(p), "tp")); };
  return spec;
}

CheckOptions in(DType precision) {
  CheckOptions options;
  options.precisions = {precision};
  return options;
}

TEST(CheckRefinement, ReadmeExamplePasses) {
  const CaseReport report = check_refinement(readme_example());
  EXPECT_EQ(report.verdict, Verdict::kProved) << to_text(report);
  EXPECT_EQ(report.exit, 0);
  ASSERT_TRUE(report.dynamic);
  EXPECT_EQ(report.dynamic->triage, "pass");
}

TEST(CheckRefinement, WithoutItsAllReduceItFailsBothWays) {
  RefinementSpec spec = readme_example();
  spec.distributed = [](Program& p) { p.output("y", mlp(p)); };
  const CaseReport report = check_refinement(spec, in(DType::kFloat32));
  EXPECT_EQ(report.exit, 1);
  EXPECT_EQ(report.verdict, Verdict::kRefuted);
  ASSERT_TRUE(report.statics && report.dynamic);
  EXPECT_EQ(report.statics->verdict, Verdict::kUnproved);
  ASSERT_FALSE(report.statics->failures.empty());
  EXPECT_THAT(report.statics->failures.front().source, HasSubstr("check_refinement_test.cpp"));
  EXPECT_EQ(report.dynamic->triage, "logic");
}

TEST(CheckRefinement, APendingSumPassesWhereItIsAskedFor) {
  RefinementSpec spec = readme_example();
  spec.distributed = [](Program& p) { p.output("y", mlp(p), Partial("tp")); };
  EXPECT_EQ(check_refinement(spec, in(DType::kFloat32)).exit, 0);
}

// The product of the sequential program is float32; the ranks cast their parts before they add them
// up, so the whole product is bfloat16 wherever they hold it.
RefinementSpec sum_after_a_cast(bool cast_back) {
  RefinementSpec spec;
  spec.name = "SumAfterACast";
  spec.mesh = Mesh({{"tp", 2}});
  spec.inputs = {input_spec("x", {8, 64}, Shard("tp", 1)),
                 input_spec("w", {64, 32}, Shard("tp", 0))};
  const auto product = [](Program& p) {
    return at::mm(p[{"x"}].to(at::kFloat), p[{"w"}].to(at::kFloat));
  };
  spec.sequential = [=](Program& p) { p.output("y", product(p).to(at::kBFloat16)); };
  spec.distributed = [=](Program& p) {
    const at::Tensor y = p.all_reduce(product(p).to(at::kBFloat16), "tp");
    p.output("y", cast_back ? y.to(at::kFloat) : y);
  };
  return spec;
}

TEST(CheckRefinement, AnInnerTensorMayBeHeldAfterACast) {
  const CaseReport report = check_refinement(sum_after_a_cast(false), in(DType::kBFloat16));
  EXPECT_EQ(report.exit, 0) << to_text(report);
}

TEST(CheckRefinement, AnOutputOfAnotherDTypeDeviates) {
  const CaseReport report = check_refinement(sum_after_a_cast(true), in(DType::kBFloat16));
  EXPECT_EQ(report.exit, 1) << to_text(report);
  ASSERT_TRUE(report.dynamic && report.dynamic->first_deviation);
  EXPECT_EQ(report.dynamic->first_deviation->tensor, "y");
  EXPECT_EQ(report.dynamic->first_deviation->kind, "dtype");
}

TEST(CheckRefinement, AWeightThatIsCutInAnotherOrderFails) {
  RefinementSpec spec = readme_example();
  spec.inputs[2].placement = ShardBlocks("tp", 1, {128, 128});
  const CaseReport report = check_refinement(spec, in(DType::kFloat32));
  EXPECT_EQ(report.verdict, Verdict::kRefuted) << to_text(report);
}

TEST(CheckRefinement, AnErrorOfTheUserIsAReport) {
  RefinementSpec spec = readme_example();
  spec.inputs[1].placement = Shard("tp", 5);
  const CaseReport report = check_refinement(spec);
  EXPECT_EQ(report.verdict, Verdict::kError);
  EXPECT_EQ(report.exit, 2);
  EXPECT_THAT(report.error, HasSubstr("no dimension 5"));
}

// The spec as a case folder, checked from there.
CaseReport checked_as_a_folder(const RefinementSpec& spec) {
  const test::ScratchFolder folder;
  save_case(capture_case(spec), folder.path());
  return check_case_folder(spec.name, folder.path());
}

TEST(CheckCaseFolder, OfARightCaseProves) {
  const CaseReport report = checked_as_a_folder(readme_example());
  EXPECT_EQ(report.verdict, Verdict::kProved) << to_text(report);
  EXPECT_EQ(report.exit, 0);
}

TEST(CheckCaseFolder, OfAWrongCaseFindsAWitness) {
  RefinementSpec spec = readme_example();
  spec.distributed = [](Program& p) { p.output("y", mlp(p)); };
  const CaseReport report = checked_as_a_folder(spec);
  EXPECT_EQ(report.verdict, Verdict::kRefuted) << to_text(report);
  ASSERT_TRUE(report.dynamic && report.dynamic->first_deviation);
  EXPECT_EQ(report.dynamic->first_deviation->tensor, "y");
}

TEST(CheckCaseFolder, ReadsTheUsersDeclarations) {
  const test::ScratchFolder scratch;
  RefinementSpec spec = readme_example();
  spec.operator_files = {scratch.write("own.toml", "[[operator]\n")};
  const CaseReport report = checked_as_a_folder(spec);
  EXPECT_EQ(report.exit, 2) << to_text(report);
  EXPECT_THAT(report.error, HasSubstr("operators0.toml:1"));
}

TEST(CheckRefinement, WithoutPrecisionsOnlyTheProofDecides) {
  CheckOptions proof_only;
  proof_only.precisions.clear();
  const CaseReport report = check_refinement(readme_example(), proof_only);
  EXPECT_EQ(report.exit, 0);
  EXPECT_FALSE(report.dynamic);
}

}  // namespace
}  // namespace assay
