// Traces that a run kept, compared later, say what the run said; traces that do not belong together
// are refused.
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include "dynamic_check/check.h"
#include "dynamic_check/keep/tensor_trace.h"
#include "dynamic_check/traces/trace_comparison.h"
#include "shared_ir/trace/trace_folder.h"
#include "tests/dynamic/support/difference.h"
#include "tests/dynamic/support/mlp.h"
#include "tests/support/scratch_folder.h"

namespace assay {
namespace {

using test::make_difference;
using test::make_mlp;
using test::Mlp;
using test::ScratchFolder;
using testing::HasSubstr;

constexpr int kSamples = 4;

// Rank 0's first product comes out a hundredth too large.
void scaled_product(const KernelCall& call) {
  if (call.rank == 0 && call.node.op == "aten.mm.default" && call.inputs[0].size(1) == 64)
    at::Tensor(call.outputs[0]).mul_(1.01);
}

// A run whose traces are kept, and the question about them.
struct Kept {
  explicit Kept(const Mlp& mlp = make_mlp(), KernelHook kernel = {})
      : Kept(mlp, {.seed = 3, .samples = kSamples, .kernel = std::move(kernel)}) {}

  Kept(const Mlp& mlp, DynamicOptions options) {
    options.traces = folder.path();
    report = dynamic_check(mlp.refinement, mlp.relations, Verdict::kProved, mlp.programs, options);
    const TraceFolder kept{folder.path()};
    question.relations = mlp.relations;
    question.refinement = mlp.refinement;
    question.required = mlp.refinement.outputs;
    question.static_verdict = Verdict::kProved;
    question.base = kept.base();
    question.exact = kept.exact();
    question.ranks = kept.ranks();
    question.samples = kept.samples();
    question.further = kept.further();
  }

  // By the traces alone, within a relative error.
  TraceComparison within(double bound) const {
    TraceComparison bounded = question;
    bounded.refinement.reset();
    bounded.exact.clear();
    bounded.samples.clear();
    bounded.bound = bound;
    return bounded;
  }

  ScratchFolder folder;
  DynamicReport report;  // of the run itself
  TraceComparison question;
};

// A trace with the tensors of another, but for those of one name, as of another run.
std::filesystem::path copied(
    const std::filesystem::path& from, const std::filesystem::path& to, const std::string& left_out,
    const std::function<void(TraceRun&)>& change = [](TraceRun&) {}) {
  TensorTrace trace(from);
  TraceRun run = trace.run();
  change(run);
  TraceWriter writer(to, run);
  for (const TracedTensor& tensor : trace.tensors())
    if (tensor.name != left_out) add_tensor(writer, tensor, trace.read(tensor.name));
  writer.finish();
  return to;
}

std::filesystem::path without(const std::string& name, const std::filesystem::path& from,
                              const std::filesystem::path& to) {
  return copied(from, to, name);
}

void expect_same(const DynamicReport& compared, const DynamicReport& run) {
  EXPECT_EQ(compared.verdict, run.verdict);
  EXPECT_EQ(compared.triage, run.triage);
  EXPECT_EQ(compared.compared, run.compared);
  EXPECT_EQ(compared.seed, run.seed);
  EXPECT_EQ(compared.precision, run.precision);
  EXPECT_EQ(compared.tolerance_factor, run.tolerance_factor);
  ASSERT_EQ(compared.tolerances.size(), run.tolerances.size());
  for (size_t i = 0; i < run.tolerances.size(); ++i) {
    EXPECT_EQ(compared.tolerances[i].tensor, run.tolerances[i].tensor);
    EXPECT_EQ(compared.tolerances[i].allowed, run.tolerances[i].allowed);
    EXPECT_EQ(compared.tolerances[i].error, run.tolerances[i].error);
  }
}

TEST(KeptTraces, GiveTheFiguresOfTheRun) {
  const Kept kept;
  EXPECT_EQ(kept.question.samples.size(), static_cast<size_t>(kSamples));
  EXPECT_EQ(kept.report.triage, "pass");
  expect_same(compare_traces(kept.question), kept.report);
}

TEST(KeptTraces, ShowTheKernelThatTheRunFoundWrong) {
  const Kept kept(make_mlp(), scaled_product);
  const DynamicReport compared = compare_traces(kept.question);
  EXPECT_EQ(compared.triage, "kernel");
  ASSERT_TRUE(compared.first_deviation && kept.report.first_deviation);
  EXPECT_EQ(compared.first_deviation->tensor, kept.report.first_deviation->tensor);
  EXPECT_EQ(compared.first_deviation->error, kept.report.first_deviation->error);
  EXPECT_EQ(compared.first_deviation->source, kept.report.first_deviation->source);
}

// In which the perturbed sequential runs show less than the ranks' rounding.
DynamicOptions with_close_samples(KernelHook kernel = {}) {
  return {
      .precision = DType::kBFloat16, .seed = 20, .samples = kSamples, .kernel = std::move(kernel)};
}

TEST(KeptTraces, RaiseSpreadsAsTheRunDid) {
  const Kept kept(make_difference(), with_close_samples());
  EXPECT_EQ(kept.report.triage, "pass");
  const DynamicReport compared = compare_traces(kept.question);
  expect_same(compared, kept.report);
  EXPECT_EQ(compared.not_raised, "");
}

TEST(KeptTraces, SayThatSpreadsCouldNotBeRaised) {
  const Kept kept(make_difference(), with_close_samples());
  TraceComparison question = kept.question;
  question.refinement.reset();
  DynamicReport report = compare_traces(question);
  EXPECT_EQ(report.verdict, RunVerdict::kDeviates);
  EXPECT_THAT(report.not_raised, HasSubstr("no case"));

  question = kept.question;
  question.ranks[1] = without("x", question.ranks[1], kept.folder.path() / "other.trace");
  report = compare_traces(question);
  EXPECT_EQ(report.verdict, RunVerdict::kDeviates);
  EXPECT_THAT(report.not_raised, HasSubstr("other.trace: there is no input 'x'"));
}

TEST(KeptTraces, RaisedSpreadsHideNoFault) {
  const auto halved = [](const KernelCall& call) {
    if (call.rank == 0 && call.node.op == "aten.sum.default") at::Tensor(call.outputs[0]).mul_(0.5);
  };
  const Kept kept(make_difference(), with_close_samples(halved));
  EXPECT_EQ(kept.report.triage, "kernel");
  const DynamicReport compared = compare_traces(kept.question);
  expect_same(compared, kept.report);
  EXPECT_EQ(compared.first_deviation->op, "aten.sum.default");
}

TEST(KeptTraces, HaveTheFurtherRunsInFloat8) {
  DynamicOptions options{.precision = DType::kFloat8E4M3, .seed = 3, .samples = kSamples};
  const Kept right(make_mlp(), options);
  EXPECT_TRUE(right.question.further.empty()) << "nothing deviated";
  options.kernel = [](const KernelCall& call) {
    if (call.rank == 0 && call.node.op == "aten.gelu.default") at::Tensor(call.outputs[0]).mul_(2);
  };
  const Kept wrong(make_mlp(), options);
  ASSERT_EQ(wrong.report.triage, "kernel");
  EXPECT_EQ(wrong.question.samples.size(), static_cast<size_t>(kSamples));
  const int estimates = 10 + (at::get_num_threads() > 1 ? 1 : 0);  // one of them on one thread
  EXPECT_EQ(wrong.question.further.size(), static_cast<size_t>(estimates * kSamples));
  expect_same(compare_traces(wrong.question), wrong.report);
}

TEST(KeptTraces, HaveEveryOperatorsOutputAndTheInputs) {
  const Mlp mlp = make_mlp();
  const Kept kept(mlp);
  for (const auto& file : kept.question.samples) {
    const TensorTrace trace(file);
    for (const Tensor& tensor : mlp.refinement.sequential.tensors)
      EXPECT_NE(trace.find(tensor.name), nullptr) << tensor.name;
  }
}

TEST(KeptTraces, ReplaceThoseOfAnEarlierRun) {
  const ScratchFolder folder;
  const Mlp mlp = make_mlp();
  for (const int samples : {5, 3}) {
    DynamicOptions options{.samples = samples};
    options.traces = folder.path();
    dynamic_check(mlp.refinement, mlp.relations, Verdict::kProved, mlp.programs, options);
    EXPECT_EQ(TraceFolder{folder.path()}.samples().size(), static_cast<size_t>(samples));
  }
}

TEST(CompareTraces, WithoutTheGraphsADeviationIsNotExplained) {
  const Kept right, wrong(make_mlp(), scaled_product);
  EXPECT_EQ(compare_traces(right.within(1e-5)).triage, "pass");
  const DynamicReport report = compare_traces(wrong.within(1e-5));
  EXPECT_EQ(report.verdict, RunVerdict::kDeviates);
  EXPECT_EQ(report.triage, "deviation");
  ASSERT_TRUE(report.first_deviation);
  EXPECT_EQ(report.first_deviation->tensor, "mm");
  EXPECT_EQ(report.first_deviation->op, "aten.mm.default");
  EXPECT_THAT(report.first_deviation->source, HasSubstr("mlp.cpp:"));
}

// Half of the product is a hundredth too large: relative to the whole, an error of 0.7 %; in its
// own blocks, which are rows of both ranks, as much.
TEST(CompareTraces, AnErrorIsAllowedUpToTheBound) {
  const Kept wrong(make_mlp(), scaled_product);
  const DynamicReport within = compare_traces(wrong.within(0.02));
  EXPECT_EQ(within.verdict, RunVerdict::kAgrees);
  EXPECT_TRUE(std::isinf(within.family_false_positive_rate)) << "none can be stated";
  const DynamicReport outside = compare_traces(wrong.within(0.003));
  EXPECT_EQ(outside.verdict, RunVerdict::kDeviates);
  EXPECT_EQ(outside.not_raised, "") << "a bound is not raised";
}

TEST(CompareTraces, ABaseStandsInForTheExactRun) {
  Kept right, wrong(make_mlp(), scaled_product);
  right.question.exact.clear();
  wrong.question.exact.clear();
  EXPECT_EQ(compare_traces(right.question).triage, "pass");
  EXPECT_EQ(compare_traces(wrong.question).triage, "kernel");
}

TEST(CompareTraces, WithoutRelationsTensorsOfOneNameAreCompared) {
  const Kept kept;
  TraceComparison question = kept.within(1e-5);
  question.relations.reset();
  question.required.clear();
  question.ranks = {kept.question.samples.front()};
  EXPECT_EQ(compare_traces(question).triage, "agreement");
  question.bound = 1e-9;
  EXPECT_EQ(compare_traces(question).triage, "deviation");
}

TEST(CompareTraces, ATensorThatTheOtherRunLacksIsADeviation) {
  const Kept kept;
  TraceComparison question = kept.within(1e-5);
  question.relations.reset();
  question.required.clear();
  question.ranks = {without("gelu", question.base, kept.folder.path() / "other.trace")};
  const DynamicReport report = compare_traces(question);
  EXPECT_EQ(report.deviations, 1);
  ASSERT_TRUE(report.first_deviation);
  EXPECT_EQ(report.first_deviation->kind, "omission");
  EXPECT_EQ(report.first_deviation->tensor, "gelu");
}

TEST(CompareTraces, AnInnerTensorThatTheBaseLacksIsSkippedAndSaysSo) {
  Kept kept;
  kept.question.base = without("gelu", kept.question.base, kept.folder.path() / "less.trace");
  const DynamicReport report = compare_traces(kept.question);
  EXPECT_EQ(report.verdict, RunVerdict::kAgrees);
  EXPECT_EQ(report.compared, kept.report.compared - 1);
  ASSERT_EQ(report.skipped_why.size(), 1u);
  EXPECT_THAT(report.skipped_why.front(), HasSubstr("gelu: not in"));
}

std::string refusal(const TraceComparison& question) {
  try {
    compare_traces(question);
  } catch (const UserError& error) {
    return error.what();
  }
  return "compared";
}

TEST(CompareTraces, RanksMustBeThoseOfOneRun) {
  const Kept kept;
  TraceComparison question = kept.question;
  question.ranks.pop_back();
  EXPECT_THAT(refusal(question), HasSubstr("1 of 2 ranks"));
  question.ranks = {kept.question.ranks[1], kept.question.ranks[1]};
  EXPECT_THAT(refusal(question), HasSubstr("rank1.trace: there is no trace of rank 0"));
  question.ranks = {kept.question.ranks[0], kept.question.ranks[0]};
  EXPECT_THAT(refusal(question), HasSubstr("rank 0 is in "));
  question.ranks = {kept.question.ranks[0], kept.question.base};
  EXPECT_THAT(refusal(question), HasSubstr("base.trace: this is a run of 1 ranks"));
  question.ranks = {kept.question.ranks[1], kept.question.ranks[0]};
  EXPECT_EQ(refusal(question), "compared") << "in any order";
}

TEST(CompareTraces, RunsOfOtherPrecisionsOrInputsAreRefused) {
  const Kept kept;
  TraceComparison question = kept.question;
  question.samples[1] = kept.question.exact;
  EXPECT_THAT(refusal(question), HasSubstr("exact.trace: this run is in float64"));
  question = kept.question;
  question.exact = kept.question.base;
  EXPECT_THAT(refusal(question), HasSubstr("give a run in float64"));
  question = kept.question;
  TensorTrace base(question.base);
  TraceRun other = base.run();
  other.seed = 4;
  TraceWriter(kept.folder.path() / "seed.trace", other).finish();
  question.samples[2] = kept.folder.path() / "seed.trace";
  EXPECT_THAT(refusal(question), HasSubstr("seed.trace: its inputs have seed 4"));
}

// Each of the other traces is held against the base.
TEST(CompareTraces, EveryTraceIsOfTheSamePrecisionInputsAndSide) {
  const Kept kept;
  const auto other = kept.folder.path() / "other.trace";
  const auto seed = [](TraceRun& run) { run.seed = 4; };
  const auto half = [](TraceRun& run) { run.precision = DType::kFloat16; };
  const auto rank = [](TraceRun& run) { run.world_size = 2; };

  TraceComparison question = kept.question;
  question.ranks[1] = copied(kept.question.ranks[1], other, "", seed);
  EXPECT_THAT(refusal(question), HasSubstr("other.trace: its inputs have seed 4"));
  copied(kept.question.ranks[1], other, "", half);
  EXPECT_THAT(refusal(question), HasSubstr("other.trace: this run is in float16"));

  question = kept.question;
  question.exact = copied(kept.question.exact, other, "", seed);
  EXPECT_THAT(refusal(question), HasSubstr("other.trace: its inputs have seed 4"));
  copied(kept.question.exact, other, "", rank);
  EXPECT_THAT(refusal(question), HasSubstr("--exact takes runs of the sequential program"));

  question = kept.question;
  question.samples[0] = copied(kept.question.samples[0], other, "", rank);
  EXPECT_THAT(refusal(question), HasSubstr("--sample takes runs of the sequential program"));
}

TEST(CompareTraces, ASampleThatLacksATensorIsRefused) {
  const Kept kept;
  TraceComparison question = kept.question;
  question.samples[0] = without("gelu", question.samples[0], kept.folder.path() / "less.trace");
  EXPECT_THAT(refusal(question), HasSubstr("less.trace: there is no tensor 'gelu'"));
}

TEST(CompareTraces, SidesMustNotBeExchanged) {
  const Kept kept;
  TraceComparison question = kept.question;
  question.base = kept.question.ranks[0];
  EXPECT_THAT(refusal(question), HasSubstr("rank0.trace: this is rank 0 of a run of 2 ranks"));
}

TEST(CompareTraces, AToleranceNeedsThreeSamples) {
  const Kept kept;
  TraceComparison question = kept.question;
  question.samples.resize(2);
  EXPECT_THAT(refusal(question), HasSubstr("--bound"));
  question.samples = {kept.question.samples[0], kept.question.samples[1], kept.question.samples[2]};
  EXPECT_EQ(refusal(question), "compared");
}

TEST(CompareTraces, AnOutputThatTheBaseLacksIsRefused) {
  Kept kept;
  kept.question.base = without("y", kept.question.base, kept.folder.path() / "less.trace");
  EXPECT_THAT(refusal(kept.question),
              HasSubstr("less.trace: there is no tensor 'y', which must be compared"));
}

TEST(CompareTraces, AnOutputMayHaveTwoNames) {
  Kept kept;
  Graph& graph = kept.question.refinement->sequential;
  graph.by_name.emplace("also_y", graph.find("y"));
  kept.question.required = {"also_y"};
  kept.question.refinement->expect.at(0).sequential.name = "also_y";
  EXPECT_EQ(compare_traces(kept.question).triage, "pass");
}

TEST(CompareTraces, ATraceOfAnotherProgramIsRefused) {
  const Kept kept, wider(make_mlp({.tokens = 12}));
  TraceComparison question = kept.question;
  question.base = wider.question.base;
  EXPECT_THAT(refusal(question), HasSubstr("has shape [12, 64], in the case it has [8, 64]"));
  question = kept.question;
  question.samples.back() = wider.question.samples.back();
  EXPECT_THAT(refusal(question), HasSubstr("give runs of one program"));
}

TEST(CompareTraces, ATruncatedTraceIsRefused) {
  const Kept kept;
  const auto file = kept.question.ranks[1];
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_THAT(refusal(kept.question), HasSubstr("rank1.trace: the recording did not end"));
}

}  // namespace
}  // namespace assay
