#include "dynamic_check/check.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/dynamic/support/mlp.h"

namespace assay {
namespace {

using test::make_mlp;
using test::Mlp;
using test::relation;

DynamicReport run(const Mlp& mlp, const DynamicOptions& options = {}) {
  return dynamic_check(mlp.refinement, mlp.relations, Verdict::kProved, mlp.programs, options);
}

std::string show(const DynamicReport& report) {
  std::string text = "triage " + report.triage;
  if (report.first_deviation) {
    const DeviationReport& first = *report.first_deviation;
    text += ", " + first.tensor + " " + first.op + " " + first.kind + " error " +
            std::to_string(first.error) + " allowed " + std::to_string(first.allowed) + ": " +
            first.detail;
  }
  return text;
}

double allowed(const DynamicReport& report, const std::string& tensor) {
  for (const auto& tolerance : report.tolerances) {
    if (tolerance.tensor == tensor) return tolerance.allowed;
  }
  ADD_FAILURE() << tensor << " was not compared";
  return 0;
}

// The product with every partial sum rounded to bfloat16.
at::Tensor accumulated_in_bfloat16(const at::Tensor& a, const at::Tensor& b) {
  at::Tensor sum = at::zeros({a.size(0), b.size(1)}, at::kBFloat16);
  for (int64_t k = 0; k < a.size(1); ++k) {
    const at::Tensor product =
        at::outer(a.select(1, k).to(at::kFloat), b.select(0, k).to(at::kFloat));
    sum = (sum.to(at::kFloat) + product).to(at::kBFloat16);
  }
  return sum;
}

using Product = std::function<at::Tensor(const at::Tensor&, const at::Tensor&)>;

// Replaces the first product of rank 0, which contracts over the hidden dimension.
KernelHook first_product(const Product& kernel, int64_t hidden = 64) {
  return [=](const KernelCall& call) {
    if (call.rank != 0 || call.node.op != "aten.mm.default" || call.inputs[0].size(1) != hidden)
      return;
    at::Tensor product = call.outputs[0];
    product.copy_(kernel(call.inputs[0], call.inputs[1]));
  };
}

TEST(DynamicCheck, ACorrectProgramPassesOverTwentySeedsInEveryPrecision) {
  const Mlp mlp = make_mlp();
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (DType precision : {DType::kFloat32, DType::kBFloat16, DType::kFloat16}) {
      const DynamicReport report =
          run(mlp, {.precision = precision, .seed = seed, .completion = delayed_completion(seed)});
      EXPECT_EQ(report.triage, "pass")
          << to_string(precision) << " seed " << seed << ": " << show(report);
      EXPECT_EQ(report.verdict, RunVerdict::kAgrees);
      EXPECT_EQ(report.compared, static_cast<int64_t>(mlp.relations.size()));
      EXPECT_EQ(report.skipped, 0);
    }
  }
}

// The rounding errors of few operations lie on a grid: perturbed runs of one element often have one
// and the same, and say nothing about the next.
TEST(DynamicCheck, ACorrectProgramOfFewElementsPassesOverFiveHundredSeeds) {
  const Mlp mlp = make_mlp({.tokens = 2, .hidden = 4, .inner = 4});
  for (uint64_t seed = 300; seed < 800; ++seed) {
    const DynamicReport report = run(mlp, {.seed = seed});
    EXPECT_EQ(report.triage, "pass") << "seed " << seed << ": " << show(report);
  }
}

TEST(DynamicCheck, SaysWhichInputsNobodyGaveARole) {
  Mlp mlp = make_mlp();
  EXPECT_THAT(run(mlp).guessed_inputs, testing::IsEmpty());
  mlp.programs.inputs.back().guessed_role = true;
  EXPECT_THAT(run(mlp).guessed_inputs, testing::ElementsAre("scale: a scale, near 1"));
}

TEST(DynamicCheck, WithinToleranceWithoutAProofIsNoPass) {
  const Mlp mlp = make_mlp();
  const DynamicReport report =
      dynamic_check(mlp.refinement, mlp.relations, Verdict::kUnproved, mlp.programs);
  EXPECT_EQ(report.triage, "unproved");
}

TEST(DynamicCheck, NothingComparedIsNoPass) {
  Mlp mlp = make_mlp();
  mlp.relations.clear();
  const DynamicReport report = run(mlp);
  EXPECT_EQ(report.triage, "not_compared");
  EXPECT_NE(report.verdict, RunVerdict::kAgrees);
}

TEST(DynamicCheck, AProductThatLosesItsLastBlockIsAKernelFault) {
  const Mlp mlp = make_mlp();
  for (DType precision : {DType::kFloat32, DType::kBFloat16}) {
    const DynamicReport report =
        run(mlp, {.precision = precision,
                  .kernel = first_product([](const at::Tensor& a, const at::Tensor& b) {
                    const int64_t kept = a.size(1) - 8;
                    return at::mm(a.narrow(1, 0, kept), b.narrow(0, 0, kept));
                  })});
    EXPECT_EQ(report.triage, "kernel") << show(report);
    EXPECT_EQ(report.verdict, RunVerdict::kDeviates);
    ASSERT_TRUE(report.first_deviation);
    EXPECT_EQ(report.first_deviation->tensor, "mm");
    EXPECT_EQ(report.first_deviation->op, "aten.mm.default");
    EXPECT_EQ(report.first_deviation->ranks, std::vector<Rank>{0});
    EXPECT_THAT(report.first_deviation->source, testing::HasSubstr("mlp.cpp"));
  }
}

TEST(DynamicCheck, Float32AccumulatedInBfloat16IsAPrecisionFault) {
  const Mlp mlp = make_mlp();
  const DynamicReport report = run(mlp, {.kernel = first_product(accumulated_in_bfloat16)});
  EXPECT_EQ(report.triage, "precision") << show(report);
  ASSERT_TRUE(report.first_deviation);
  EXPECT_EQ(report.first_deviation->tensor, "mm");
}

TEST(DynamicCheck, ALongBfloat16ProductAccumulatedInBfloat16IsAPrecisionFault) {
  const Mlp mlp = make_mlp({.tokens = 4, .hidden = 4096, .inner = 32});
  for (uint64_t seed = 0; seed < 3; ++seed) {
    const DynamicReport right =
        run(mlp, {.precision = DType::kBFloat16, .seed = seed, .samples = 4});
    EXPECT_EQ(right.triage, "pass") << show(right);
    const DynamicReport wrong = run(mlp, {.precision = DType::kBFloat16,
                                          .seed = seed,
                                          .samples = 4,
                                          .kernel = first_product(accumulated_in_bfloat16, 4096)});
    EXPECT_EQ(wrong.triage, "precision") << show(wrong);
  }
}

TEST(DynamicCheck, AnAllReduceThatReadsItsInputEarlyIsARuntimeFault) {
  const Mlp mlp = make_mlp();
  const DynamicReport report =
      run(mlp, {.completion = [](const CollectiveStart& call) {
            return call.rank == 1 ? Completion::kInputUnready : Completion::kAtOnce;
          }});
  EXPECT_EQ(report.triage, "runtime") << show(report);
  ASSERT_TRUE(report.first_deviation);
  EXPECT_EQ(report.first_deviation->tensor, "sum");
  EXPECT_THAT(report.first_deviation->op, testing::HasSubstr("all_reduce"));
}

TEST(DynamicCheck, AMissingWaitIsARuntimeFaultOnceCompletionIsLate) {
  const CompletionHook late = [](const CollectiveStart&) { return Completion::kAtWait; };
  EXPECT_EQ(run(make_mlp(), {.completion = late}).triage, "pass");
  const Mlp careless = make_mlp({.waits = false});
  const DynamicReport report = run(careless, {.completion = late});
  EXPECT_EQ(report.triage, "runtime") << show(report);
  EXPECT_EQ(report.first_deviation->tensor, "sum");
}

TEST(DynamicCheck, AMissingAllReduceIsALogicFaultAgainstTheExpectation) {
  const Mlp mlp = make_mlp({.reduces = false});
  const DynamicReport report =
      dynamic_check(mlp.refinement, mlp.relations, Verdict::kUnproved, mlp.programs);
  EXPECT_EQ(report.triage, "logic") << show(report);
  ASSERT_TRUE(report.first_deviation);
  EXPECT_EQ(report.first_deviation->tensor, "y");
}

TEST(DynamicCheck, ParametersMadeUnlikeAreNamedWithTheRanks) {
  const DynamicReport right = run(make_mlp({.self_made = true}));
  EXPECT_EQ(right.triage, "pass") << show(right);
  const DynamicReport wrong = run(make_mlp({.self_made = true, .broadcasts = false}));
  EXPECT_EQ(wrong.triage, "input_relation");
  ASSERT_TRUE(wrong.first_deviation);
  EXPECT_EQ(wrong.first_deviation->tensor, "scale");
  EXPECT_EQ(wrong.first_deviation->ranks, std::vector<Rank>{1});
}

// Relations that are wrong in one entry, which no run may pass.
class CorruptedRelation : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(CorruptedRelation, MakesTheRunFail) {
  Mlp mlp = make_mlp();
  for (Relation& entry : mlp.relations) {
    if (entry.tensor == GetParam().first) entry = relation(GetParam().first, {GetParam().second});
  }
  const DynamicReport report = run(mlp);
  EXPECT_EQ(report.verdict, RunVerdict::kDeviates) << show(report);
  EXPECT_EQ(report.first_deviation->tensor, GetParam().first);
}

INSTANTIATE_TEST_SUITE_P(
    EveryKind, CorruptedRelation,
    testing::Values(
        std::pair{"mm", "concat(mm@1, mm@0; dim=1)"},      // order
        std::pair{"mm", "concat(mm@0, mm@0; dim=1)"},      // rank
        std::pair{"gelu", "concat(gelu@0, mm@1; dim=1)"},  // tensor
        std::pair{"gelu", "concat(slice(gelu@0; dim=1, start=1, end=48), gelu@1; dim=1)"},  // shape
        std::pair{"sum", "sum(mm_1@0, mm_1@0)"},                  // overlap
        std::pair{"sum", "mm_1@0"},                               // summand
        std::pair{"mm", "pad(mm@0; dim=1, before=0, after=48)"},  // omission
        std::pair{"sum", "scale(sum@0; by=1/2)"},                 // coefficient
        std::pair{"y", "nothing@0"}));                            // name

TEST(Tolerance, OfPrecisionsDiffersAsTheirEpsilonsDo) {
  const Mlp mlp = make_mlp();
  const DynamicReport single = run(mlp);
  const DynamicReport half = run(mlp, {.precision = DType::kBFloat16});
  const double epsilons = machine_epsilon(DType::kBFloat16) / machine_epsilon(DType::kFloat32);
  for (const char* tensor : {"mm", "gelu", "sum", "y"}) {
    const double ratio = allowed(half, tensor) / allowed(single, tensor);
    EXPECT_GT(ratio, epsilons / 3) << tensor;
    EXPECT_LT(ratio, epsilons * 3) << tensor;
  }
}

TEST(Tolerance, OfAnIllConditionedTwinIsAHundredTimesLarger) {
  const Mlp well = make_mlp();
  Mlp ill = make_mlp({.offset = 1000});
  const DynamicReport narrow = run(well);
  const DynamicReport wide = run(ill);
  EXPECT_EQ(wide.triage, "pass") << show(wide);
  EXPECT_GT(allowed(wide, "gelu"), 100 * allowed(narrow, "gelu"));
}

TEST(DynamicCheck, ARankThatThrowsIsNamedWithTheLastOperatorThatItRan) {
  Mlp mlp = make_mlp();
  const RankProgram right = mlp.programs.distributed;
  mlp.programs.distributed = [right](ProgramContext& context) {
    right(context);
    if (context.rank() == 1) throw std::runtime_error("out of luck");
  };
  const DynamicReport report = run(mlp);
  EXPECT_EQ(report.verdict, RunVerdict::kFailed);
  ASSERT_TRUE(report.first_deviation);
  EXPECT_EQ(report.first_deviation->ranks, std::vector<Rank>{1});
  EXPECT_EQ(report.first_deviation->op, "aten.mul.Tensor");
  EXPECT_THAT(report.first_deviation->source, testing::HasSubstr("mlp.cpp"));
  EXPECT_THAT(report.first_deviation->detail,
              testing::HasSubstr("rank 1: out of luck; the last operator of rank 1: aten.mul"));
}

TEST(DynamicCheck, ARunThatIsNotWhatWasCapturedIsRefused) {
  Mlp mlp = make_mlp();
  mlp.programs.sequential = make_mlp({.offset = 1}).programs.sequential;
  const DynamicReport report = run(mlp);
  EXPECT_EQ(report.verdict, RunVerdict::kFailed);
  EXPECT_THAT(report.first_deviation->detail, testing::HasSubstr("not what was captured"));
}

}  // namespace
}  // namespace assay
