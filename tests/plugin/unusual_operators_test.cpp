// Programs with operators whose forms differ between LibTorch's kernels, or that have an order or a
// stride of their own: each beside a wrong twin.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <torch/csrc/autograd/autograd.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "assay/refinement.h"
#include "tests/plugin/input_spec.h"

namespace assay {
namespace {

using Body = std::function<at::Tensor(Program&)>;

CheckOptions in_float32() {
  CheckOptions options;
  options.precisions = {DType::kFloat32};
  return options;
}

InputSpec whole_numbers(const std::string& name, Shape shape, const Placement& placement,
                        int64_t end) {
  InputSpec spec = input_spec(name, std::move(shape), placement);
  spec.dtype = DType::kInt64;
  spec.role = InputRole::kTokenIds;
  spec.bound = end;
  spec.requires_grad = false;
  return spec;
}

// The output "y", of both sides; the ranks' is sharded over dimension 0.
CaseReport report_of(std::vector<InputSpec> inputs, const Body& sequential, const Body& distributed,
                     const Placement& placement = Shard("dp", 0)) {
  RefinementSpec spec;
  spec.name = "UnusualOperators";
  spec.mesh = Mesh({{"dp", 2}});
  spec.inputs = std::move(inputs);
  spec.sequential = [=](Program& p) { p.output("y", sequential(p)); };
  spec.distributed = [=](Program& p) { p.output("y", distributed(p), placement); };
  return check_refinement(spec, in_float32());
}

// As torch::tensor makes one: element by element.
at::Tensor vector_of(const std::vector<double>& numbers) {
  at::Tensor result = at::empty({static_cast<int64_t>(numbers.size())}, at::kFloat);
  for (size_t i = 0; i < numbers.size(); ++i)
    result.select(0, static_cast<int64_t>(i)).fill_(numbers[i]);
  return result.to(at::kCPU);
}

const InputSpec kRows = input_spec("x", {4, 6}, Shard("dp", 0));

// Top-k that is not sorted is an order of its own: the same of the same rows.
TEST(UnusualOperators, UnsortedTopKOfShardedRows) {
  const auto routed = [](bool sorted) {
    return [=](Program& p) {
      const auto [values, places] = at::topk(p[{"x"}], 3, -1, true, sorted);
      return at::cat({values, places.to(at::kFloat)}, 1);
    };
  };
  const CaseReport same = report_of({kRows}, routed(false), routed(false));
  EXPECT_EQ(same.verdict, Verdict::kProved) << to_text(same);
  EXPECT_EQ(same.exit, 0);
  EXPECT_NE(report_of({kRows}, routed(false), routed(true)).exit, 0);
}

TEST(UnusualOperators, UnsortedTopKIsNoShorterOne) {
  const auto first_two = [](int64_t k) {
    return [=](Program& p) {
      return std::get<0>(at::topk(p[{"x"}], k, -1, true, false)).narrow(1, 0, 2);
    };
  };
  EXPECT_NE(report_of({kRows}, first_two(2), first_two(3)).exit, 0);
}

// As routers do: the gates of the experts that were taken.
TEST(UnusualOperators, GatesOfUnsortedTopK) {
  const auto gates = [](double scale) {
    return [=](Program& p) {
      const auto scores = p[{"x"}].softmax(-1);
      const auto [values, places] = at::topk(scores, 2, -1, true, false);
      return at::zeros_like(scores).scatter(1, places, values * scale);
    };
  };
  const CaseReport same = report_of({kRows}, gates(2), gates(2));
  EXPECT_EQ(same.exit, 0) << to_text(same);
  EXPECT_NE(report_of({kRows}, gates(2), gates(1)).exit, 0);
}

at::Tensor rotated_pairs(const at::Tensor& x, int64_t first) {
  at::Tensor y = at::zeros_like(x);
  const int64_t width = x.size(1);
  y.slice(1, 0, width, 2).copy_(-x.slice(1, first, width, 2));
  y.slice(1, 1, width, 2).copy_(x.slice(1, 0, width, 2));
  return y;
}

TEST(UnusualOperators, WritesIntoEverySecondColumn) {
  const auto rotated = [](int64_t first) {
    return [=](Program& p) { return rotated_pairs(p[{"x"}], first); };
  };
  const CaseReport same = report_of({kRows}, rotated(1), [](Program& p) {
    const auto pairs = p[{"x"}].view({2, 3, 2});
    return at::stack({-pairs.select(2, 1), pairs.select(2, 0)}, 2).view({2, 6});
  });
  EXPECT_EQ(same.exit, 0) << to_text(same);
  EXPECT_NE(report_of({kRows}, rotated(1), rotated(0)).exit, 0);
}

at::Tensor gradient_of_slice(Program& p, int64_t start, int64_t end, int64_t step) {
  const auto x = p[{"x"}];
  const auto y = x.slice(1, start, end, step);
  return torch::autograd::grad({(y * y).sum()}, {x}).front();
}

TEST(UnusualOperators, GradientOfASliceWithAStep) {
  const auto gradient = [](int64_t start, int64_t end, int64_t step) {
    return [=](Program& p) { return gradient_of_slice(p, start, end, step); };
  };
  for (const int64_t step : {2, 3, 4, 5}) {
    const CaseReport same = report_of({kRows}, gradient(1, 6, step), gradient(1, 6, step));
    EXPECT_EQ(same.exit, 0) << step << to_text(same);
  }
  const CaseReport masked = report_of({kRows}, gradient(0, 6, 2), [](Program& p) {
    const auto even = at::arange(6).remainder(2).eq(0);
    return at::where(even, p[{"x"}] * 2.0, 0.0);
  });
  EXPECT_EQ(masked.exit, 0) << to_text(masked);
  EXPECT_NE(report_of({kRows}, gradient(0, 6, 2), gradient(1, 6, 2)).exit, 0);
  EXPECT_NE(report_of({kRows}, gradient(0, 6, 2), gradient(0, 5, 3)).exit, 0);
}

// LibTorch's gradient of what is read at indices has another form for tensors without values.
TEST(UnusualOperators, GradientOfRowsReadAtIndices) {
  const auto gradient = [](double factor) {
    return [=](Program& p) {
      const auto table = p[{"table"}];
      const auto y = table.index({p[{"ids"}]});
      return torch::autograd::grad({(y * y).sum() * factor}, {table}).front();
    };
  };
  const std::vector<InputSpec> inputs = {input_spec("table", {8, 3}, Replicate()),
                                         whole_numbers("ids", {6}, Shard("dp", 0), 8)};
  const auto summed = [=](double factor) {
    return [=](Program& p) { return p.all_reduce(gradient(factor)(p), "dp"); };
  };
  const CaseReport right = report_of(inputs, gradient(1), summed(1), Replicate());
  EXPECT_EQ(right.exit, 0) << to_text(right);
  EXPECT_NE(report_of(inputs, gradient(1), summed(0.5), Replicate()).exit, 0);
}

TEST(UnusualOperators, GradientsOfProducts) {
  const auto gradient = [](bool cumulative, double factor) {
    return [=](Program& p) {
      const auto x = p[{"x"}];
      const auto y = cumulative ? x.cumprod(1) : x.prod(1);
      return torch::autograd::grad({y.sum() * factor}, {x}).front();
    };
  };
  for (const bool cumulative : {true, false}) {
    const CaseReport right = report_of({kRows}, gradient(cumulative, 2), gradient(cumulative, 2));
    EXPECT_EQ(right.exit, 0) << to_text(right);
    EXPECT_NE(report_of({kRows}, gradient(cumulative, 2), gradient(cumulative, 1)).exit, 0);
  }
}

// Numbers that the program has from its host are constants.
TEST(UnusualOperators, NumbersOfTheHost) {
  const auto permuted = [](std::vector<int64_t> order) {
    return [=](Program& p) { return p[{"x"}].index_select(1, at::tensor(order)); };
  };
  const CaseReport same = report_of({kRows}, permuted({5, 3, 1}), [](Program& p) {
    const auto x = p[{"x"}];
    return at::stack({x.select(1, 5), x.select(1, 3), x.select(1, 1)}, 1);
  });
  EXPECT_EQ(same.exit, 0) << to_text(same);
  EXPECT_NE(report_of({kRows}, permuted({5, 3, 1}), permuted({5, 1, 3})).exit, 0);

  const auto weighted = [](double last) {
    return [=](Program& p) {
      const auto x = p[{"x"}];
      return x * at::tensor({1.0, 2.0, 3.0, 0.5, 0.25, last}, x.options().requires_grad(false));
    };
  };
  const CaseReport scaled = report_of({kRows}, weighted(-1), [](Program& p) {
    const auto x = p[{"x"}];
    auto row = at::tensor({1.0, 2.0, 3.0, 0.5}, at::kDouble).to(at::kFloat);
    return x * at::cat({row, vector_of({0.25, -1.0})});
  });
  EXPECT_EQ(scaled.exit, 0) << to_text(scaled);
  EXPECT_NE(report_of({kRows}, weighted(-1), weighted(-1.5)).exit, 0);
}

TEST(UnusualOperators, NumbersThatArePutIntoATensor) {
  using at::indexing::Slice;
  const auto put = [](double number) {
    return [=](Program& p) {
      auto y = p[{"x"}].clone();
      y.index_put_({Slice(), 1}, number);
      y.index_put_({Slice(), Slice(2, 4)}, number);
      return y;
    };
  };
  const CaseReport same = report_of({kRows}, put(0.5), [](Program& p) {
    const auto column = at::arange(6);
    return at::where(column.ge(1).logical_and(column.le(3)), 0.5, p[{"x"}]);
  });
  EXPECT_EQ(same.exit, 0) << to_text(same);
  EXPECT_NE(report_of({kRows}, put(0.5), put(0.25)).exit, 0);
}

TEST(UnusualOperators, WritesOfAnOperandTwice) {
  const auto doubled = [](double factor) {
    return [=](Program& p) {
      const auto x = p[{"x"}].detach();
      auto y = at::empty_like(x);
      at::add_out(y, x, x, factor);
      return y;
    };
  };
  const CaseReport same = report_of({kRows}, doubled(1), [](Program& p) { return p[{"x"}] * 2; });
  EXPECT_EQ(same.exit, 0) << to_text(same);
  EXPECT_NE(report_of({kRows}, doubled(1), doubled(2)).exit, 0);
}

TEST(UnusualOperators, GradientsOfMishAndNorms) {
  const auto gradient = [](const std::function<at::Tensor(const at::Tensor&)>& f) {
    return [=](Program& p) {
      const auto x = p[{"x"}];
      return torch::autograd::grad({f(x).sum()}, {x}).front();
    };
  };
  const auto mish = [](const at::Tensor& x) { return at::mish(x); };
  const auto by_hand = [](const at::Tensor& x) { return x * at::tanh(at::softplus(x)); };
  const CaseReport smooth = report_of({kRows}, gradient(mish), gradient(by_hand));
  EXPECT_EQ(smooth.exit, 0) << to_text(smooth);
  EXPECT_NE(report_of({kRows}, gradient(mish),
                      gradient([](const at::Tensor& x) { return x * at::sigmoid(x); }))
                .exit,
            0);
  const auto norm = [](double p) {
    return [=](const at::Tensor& x) { return at::linalg_vector_norm(x, p, {1}); };
  };
  const CaseReport cubes = report_of({kRows}, gradient(norm(3)), gradient(norm(3)));
  EXPECT_EQ(cubes.exit, 0) << to_text(cubes);
  EXPECT_NE(report_of({kRows}, gradient(norm(3)), gradient(norm(2))).exit, 0);
}

// The summands that a run gives the ranks cost no more than a sum may.
TEST(UnusualOperators, SumsOfSummandsThatTheRanksGet) {
  const auto report = [](int64_t ranks, uint64_t seed, double factor) {
    RefinementSpec spec;
    spec.name = "Summands";
    spec.mesh = Mesh({{"dp", ranks}});
    spec.inputs = {input_spec("g", {4, 3}, Partial("dp"))};
    spec.sequential = [](Program& p) { p.output("y", p[{"g"}] * 2); };
    spec.distributed = [=](Program& p) { p.output("y", p.all_reduce(p[{"g"}], "dp") * factor); };
    CheckOptions options;
    options.precisions = {seed % 2 == 0 ? DType::kFloat32 : DType::kBFloat16};
    options.seed = seed;
    return check_refinement(spec, options);
  };
  for (const int64_t ranks : {2, 3, 4, 8})
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      const CaseReport right = report(ranks, seed, 2);
      EXPECT_EQ(right.exit, 0) << ranks << " " << seed << to_text(right);
    }
  EXPECT_EQ(report(4, 1, 2.1).dynamic->verdict, RunVerdict::kDeviates);
}

// A function of the summands is not one of their sum.
TEST(UnusualOperators, ReluOfSummandsIsFoundByTheRun) {
  RefinementSpec spec;
  spec.name = "Summands";
  spec.mesh = Mesh({{"dp", 4}});
  spec.inputs = {input_spec("g", {4, 3}, Partial("dp"))};
  spec.sequential = [](Program& p) { p.output("y", p[{"g"}].relu()); };
  spec.distributed = [](Program& p) { p.output("y", p.all_reduce(p[{"g"}].relu(), "dp")); };
  EXPECT_EQ(check_refinement(spec, in_float32()).dynamic->verdict, RunVerdict::kDeviates);
}

}  // namespace
}  // namespace assay
