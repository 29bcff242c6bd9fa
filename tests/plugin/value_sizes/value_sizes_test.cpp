// Programs with sizes that depend on values, each beside a wrong twin.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <torch/csrc/autograd/custom_function.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "assay/refinement.h"
#include "tests/plugin/input_spec.h"

namespace assay {
namespace {

using Body = std::function<void(Program&)>;

CheckOptions in_float32() {
  CheckOptions options;
  options.precisions = {DType::kFloat32};
  return options;
}

InputSpec flags(const std::string& name, Shape shape, const Placement& placement) {
  InputSpec spec = input_spec(name, std::move(shape), placement);
  spec.dtype = DType::kBool;
  spec.role = InputRole::kMask;
  spec.requires_grad = false;
  return spec;
}

CaseReport report_of(std::vector<InputSpec> inputs, const Body& sequential, const Body& distributed,
                     const CheckOptions& options = in_float32()) {
  RefinementSpec spec;
  spec.name = "ValueSizes";
  spec.mesh = Mesh({{"dp", 2}});
  spec.inputs = std::move(inputs);
  spec.sequential = sequential;
  spec.distributed = distributed;
  return check_refinement(spec, options);
}

void expect_proved(const CaseReport& report) {
  EXPECT_EQ(report.verdict, Verdict::kProved) << to_text(report);
  EXPECT_EQ(report.exit, 0) << to_text(report);
}

const std::vector<InputSpec> kMaskedRows = {input_spec("x", {8, 3}, Shard("dp", 0)),
                                            flags("mask", {8}, Shard("dp", 0))};

at::Tensor rows_of(Program& p) { return p[{"x"}].index({p[{"mask"}]}); }

at::Tensor masked(Program& p) {
  const at::Tensor x = p[{"x"}];
  return at::where(p[{"mask"}].unsqueeze(1), x, at::zeros({}, x.options()));
}

TEST(ValueSizes, SumOfTheRowsOfAMask) {
  const auto sum_of = [](Program& p) { p.output("y", masked(p).sum(0)); };
  const auto selected = [](bool reduce) {
    return [=](Program& p) {
      const at::Tensor sum = rows_of(p).sum(0);
      p.output("y", reduce ? p.all_reduce(sum, "dp") : sum);
    };
  };
  expect_proved(report_of(kMaskedRows, sum_of, selected(true)));
  EXPECT_NE(report_of(kMaskedRows, sum_of, selected(false)).exit, 0);
}

TEST(ValueSizes, InEveryPrecisionAndInProcesses) {
  const auto sum_of = [](Program& p) { p.output("y", masked(p).sum(0)); };
  const auto selected = [](Program& p) { p.output("y", p.all_reduce(rows_of(p).sum(0), "dp")); };
  expect_proved(report_of(kMaskedRows, sum_of, selected, CheckOptions()));
  CheckOptions processes = in_float32();
  processes.executor = ExecutorKind::kGloo;
  expect_proved(report_of(kMaskedRows, sum_of, selected, processes));
}

// What the view shows in one run is all of the memory, in another a part.
TEST(ValueSizes, AWriteIntoMemoryThatAViewShowsIsRefused) {
  const auto writing = [](Program& p) {
    const at::Tensor rows = p[{"x"}].exp();
    const at::Tensor some = rows.slice(0, 0, 2 * p.size_of(p[{"mask"}].sum()));
    rows.add_(1);
    p.output("y", some.sum(0));
  };
  const CaseReport report = report_of(kMaskedRows, writing, writing);
  EXPECT_EQ(report.verdict, Verdict::kError);
  EXPECT_THAT(report.error, testing::HasSubstr("writes into memory of which it has a view"));
}

TEST(ValueSizes, GradientsOfSelectedElements) {
  const auto loss_of = [](Program& p) {
    const at::Tensor x = p[{"x"}];
    p.gradients(at::where(p[{"mask"}].unsqueeze(1), x.exp(), at::zeros({}, x.options())).sum());
  };
  const auto selected = [](double factor) {
    return [=](Program& p) {
      const at::Tensor x = p[{"x"}];
      p.gradients(x.masked_select(p[{"mask"}].unsqueeze(1)).exp().sum() * factor);
    };
  };
  expect_proved(report_of(kMaskedRows, loss_of, selected(1)));
  EXPECT_NE(report_of(kMaskedRows, loss_of, selected(0.5)).exit, 0);
}

TEST(ValueSizes, RowsFoundByNonzeroGoBackToTheirPlaces) {
  const auto put_back = [](bool shifted) {
    return [=](Program& p) {
      const at::Tensor x = p[{"x"}];
      const at::Tensor found = at::nonzero(p[{"mask"}]).squeeze(1);
      const at::Tensor rows = x.index_select(0, found).exp();
      const at::Tensor at = shifted ? (found + 1).remainder(x.size(0)) : found;
      p.output("y", at::zeros_like(x).index_add(0, at, rows), Shard("dp", 0));
    };
  };
  const auto sequential = [](Program& p) {
    const at::Tensor x = p[{"x"}];
    p.output("y", at::where(p[{"mask"}].unsqueeze(1), x.exp(), at::zeros({}, x.options())));
  };
  expect_proved(report_of(kMaskedRows, sequential, put_back(false)));
  EXPECT_NE(report_of(kMaskedRows, sequential, put_back(true)).exit, 0);
}

// The first rows, as many as flags are set.
TEST(ValueSizes, ASliceUpToASizeThatIsRead) {
  const auto first_rows = [](int64_t more) {
    return [=](Program& p) {
      const at::Tensor mask = p[{"mask"}];
      const int64_t count = p.size_of(mask.sum());
      const at::Tensor sum = p[{"x"}].slice(0, 0, count + more).sum(0);
      p.output("y", sum);
    };
  };
  const std::vector<InputSpec> inputs = {input_spec("x", {5, 3}, Replicate()),
                                         flags("mask", {4}, Replicate())};
  const auto masked_sum = [](Program& p) {
    const at::Tensor x = p[{"x"}];
    const at::Tensor there = at::arange(5).lt(p[{"mask"}].sum());
    p.output("y", at::where(there.unsqueeze(1), x, at::zeros({}, x.options())).sum(0));
  };
  expect_proved(report_of(inputs, masked_sum, first_rows(0)));
  EXPECT_NE(report_of(inputs, masked_sum, first_rows(1)).exit, 0);
}

TEST(ValueSizes, GradientsOfSlicesBetweenSizesThatAreRead) {
  const std::vector<InputSpec> inputs = {input_spec("x", {6, 3}, Replicate()),
                                         flags("mask", {2, 3}, Replicate())};
  const auto between = [](bool shifted) {
    return [=](Program& p) {
      const std::vector<int64_t> counts = p.sizes_of(p[{"mask"}].sum(1));
      const int64_t start = counts[0], end = counts[0] + counts[1];
      p.gradients(
          p[{"x"}].slice(0, shifted ? end : start, shifted ? start + end : end).exp().sum());
    };
  };
  const auto masked_between = [](Program& p) {
    const at::Tensor x = p[{"x"}], counts = p[{"mask"}].sum(1);
    const at::Tensor at = at::arange(6), start = counts.select(0, 0);
    const at::Tensor inside = at.ge(start).logical_and(at.lt(start + counts.select(0, 1)));
    p.gradients(at::where(inside.unsqueeze(1), x.exp(), at::zeros({}, x.options())).sum());
  };
  expect_proved(report_of(inputs, masked_between, between(false)));
  EXPECT_NE(report_of(inputs, masked_between, between(true)).exit, 0);
}

TEST(ValueSizes, ANewTensorOfASizeThatIsRead) {
  const auto program = [](double value) {
    return [=](Program& p) {
      const int64_t count = p.size_of(p[{"mask"}].sum(), 4);
      const at::Tensor x = p[{"x"}];
      p.output("y", at::full({count, 3}, value, x.options()).sum(0) * x.sum());
    };
  };
  const std::vector<InputSpec> inputs = {input_spec("x", {5, 3}, Replicate()),
                                         flags("mask", {4}, Replicate())};
  const auto sequential = [](Program& p) {
    const at::Tensor x = p[{"x"}];
    p.output("y", (p[{"mask"}].sum() * x.sum()).expand({3}));
  };
  expect_proved(report_of(inputs, sequential, program(1)));
  EXPECT_NE(report_of(inputs, sequential, program(2)).exit, 0);
}

TEST(ValueSizes, RowsThatAreRepeated) {
  InputSpec ids = input_spec("ids", {6}, Shard("dp", 0));
  ids.dtype = DType::kInt64;
  ids.role = InputRole::kTokenIds;
  ids.bound = 3;
  ids.requires_grad = false;
  const std::vector<InputSpec> inputs = {input_spec("x", {3, 2}, Replicate()), ids};
  const auto program = [](bool reduce) {
    return [=](Program& p) {
      const at::Tensor counts = at::one_hot(p[{"ids"}], 3).sum(0);
      const at::Tensor sum = p[{"x"}].repeat_interleave(counts, 0).exp().sum(0);
      p.output("y", reduce ? p.all_reduce(sum, "dp") : sum);
    };
  };
  const auto sequential = [](Program& p) {
    p.output("y", p[{"x"}].index_select(0, p[{"ids"}]).exp().sum(0));
  };
  expect_proved(report_of(inputs, sequential, program(true)));
  EXPECT_NE(report_of(inputs, sequential, program(false)).exit, 0);
}

TEST(ValueSizes, AProgramThatBranchesOnASizeIsRefused) {
  // Random flags are hardly ever all set, or none.
  for (const int64_t least : {1, 3, 8}) {
    const auto branching = [=](Program& p) {
      const at::Tensor x = p[{"x"}];
      const int64_t count = p.size_of(p[{"mask"}].sum());
      p.output("y", count < least ? x.exp().sum(0) : x.sum(0));
    };
    const CaseReport report = report_of(kMaskedRows, branching, branching);
    EXPECT_EQ(report.verdict, Verdict::kError);
    EXPECT_THAT(report.error, testing::HasSubstr("branches on values"));
    EXPECT_THAT(report.error, testing::HasSubstr("value_sizes_test.cpp"));
  }
}

TEST(ValueSizes, AnItemIsRefusedBesideSizesThatAreRead) {
  const auto reading = [](Program& p) {
    const int64_t count = p.size_of(p[{"mask"}].sum());
    const int64_t other = p[{"mask"}].sum().item<int64_t>();
    p.output("y", p[{"x"}].slice(0, 0, count + other).sum(0));
  };
  const CaseReport report = report_of(kMaskedRows, reading, reading);
  EXPECT_EQ(report.verdict, Verdict::kError);
  EXPECT_THAT(report.error, testing::HasSubstr("p.size_of("));
}

TEST(ValueSizes, AnIntegerThatIsNoSumOfSizesIsRefused) {
  const auto squared = [](Program& p) {
    const int64_t count = p.size_of(p[{"mask"}].sum());
    p.output("y", p[{"x"}].slice(0, 0, (count * count + 1) / 2).sum(0));
  };
  const CaseReport report = report_of(kMaskedRows, squared, squared);
  EXPECT_EQ(report.verdict, Verdict::kError);
  EXPECT_THAT(report.error, testing::HasSubstr("no sum of sizes"));
}

}  // namespace
}  // namespace assay
