// Dropless mixtures of experts, as frameworks write them, against the sum over all experts with
// masks: forward and backward, and with bugs.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <torch/csrc/autograd/custom_function.h>

#include <numeric>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "assay/refinement.h"
#include "tests/plugin/input_spec.h"

namespace assay {
namespace {

enum class Bug {
  kNone,
  kSplitsOfSending,
  kWeightsNotPermuted,
  kCountOffByOne,
  kUnweighted,
  kRouterNotReduced,
};

struct Shapes {
  int64_t ranks = 2, tokens = 4, chosen = 1, experts = 4, hidden = 4;
};

// Of one expert a rank.
const Shapes kFourRanks = {.ranks = 4, .hidden = 2};

std::vector<InputSpec> inputs_of(const Shapes& shapes) {
  const int64_t tokens = shapes.tokens, hidden = shapes.hidden, experts = shapes.experts;
  const Placement split = Shard("ep", 0);
  InputSpec ids = input_spec("ids", {tokens, shapes.chosen}, split);
  ids.dtype = DType::kInt64;
  ids.role = InputRole::kTokenIds;
  ids.bound = experts;
  ids.requires_grad = false;
  InputSpec grad = input_spec("grad", {tokens, hidden}, split);
  grad.requires_grad = false;
  return {input_spec("x", {tokens, hidden}, split), ids,
          input_spec("router", {hidden, experts}, Replicate()),
          input_spec("w", {experts, hidden, hidden}, split), grad};
}

at::Tensor weights_of(Program& p) {
  return at::softmax(p[{"x"}].mm(p[{"router"}]), 1).gather(1, p[{"ids"}]);
}

void sum_over_experts(Program& p) {
  const at::Tensor x = p[{"x"}], w = p[{"w"}];
  const at::Tensor chosen = at::one_hot(p[{"ids"}], w.size(0));
  const at::Tensor share = (chosen * weights_of(p).unsqueeze(2)).sum(1);
  at::Tensor y = at::zeros_like(x);
  for (int64_t expert = 0; expert < w.size(0); ++expert)
    y = y + share.narrow(1, expert, 1) * at::silu(x.mm(w.select(0, expert)));
  p.output("y", y);
  p.gradients((y * p[{"grad"}]).sum());
}

using Sizes = std::vector<int64_t>;

// Rows to other ranks and from them; the gradient goes back.
struct Exchange : torch::autograd::Function<Exchange> {
  static at::Tensor exchange(const at::Tensor& rows, Sizes received, Sizes sent,
                             const ProcessGroupPtr& group) {
    const int64_t count = std::accumulate(received.begin(), received.end(), int64_t{0});
    at::Tensor result = at::empty({count, rows.size(1)}, rows.options());
    at::Tensor from = rows.contiguous();
    group->alltoall_base(result, from, received, sent)->wait();
    return result;
  }
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& rows,
                            const Sizes& received, const Sizes& sent,
                            const ProcessGroupPtr& group) {
    context->saved_data["received"] = received;
    context->saved_data["sent"] = sent;
    context->saved_data["group"] = group;
    return exchange(rows, received, sent, group);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto group = context->saved_data["group"].toCustomClass<c10d::ProcessGroup>();
    return {exchange(gradients.front(), context->saved_data["sent"].toIntVector(),
                     context->saved_data["received"].toIntVector(), group),
            {},
            {},
            {}};
  }
};

// Rows by expert, each times its matrix.
at::Tensor products_of(const at::Tensor& rows, const at::Tensor& w, const at::Tensor& counts) {
  if (w.size(0) == 1) return rows.mm(w.select(0, 0));
  return at::_grouped_mm(rows, w, counts.cumsum(0).to(at::kInt));
}

// Rows are permuted by expert, sent to its rank in uneven pieces, and come back.
void expert_parallel(Program& p, Bug bug) {
  const at::Tensor x = p[{"x"}], ids = p[{"ids"}], w = p[{"w"}];
  const ProcessGroupPtr group = p.group("ep");
  const int64_t here = w.size(0), world = p.size("ep");
  const at::Tensor flat = ids.reshape({-1});
  const at::Tensor order = at::argsort(flat, /*stable=*/true, 0, false);
  at::Tensor counts = at::one_hot(flat, here * world).sum(0);
  at::Tensor arriving = at::empty_like(counts);
  Sizes even;
  group->alltoall_base(arriving, counts, even, even)->wait();
  if (bug == Bug::kCountOffByOne)
    counts = counts + at::one_hot(at::zeros({}, ids.options()), here * world);
  const Sizes sent = p.sizes_of(counts.reshape({world, here}).sum(1));
  const Sizes received = p.sizes_of(arriving.reshape({world, here}).sum(1));
  const at::Tensor token = at::floor_divide(order, ids.size(1));
  const at::Tensor got = Exchange::apply(
      x.index({token}), bug == Bug::kSplitsOfSending ? sent : received, sent, group);
  // Pieces come by sender, and each by expert.
  const at::Tensor expert =
      at::repeat_interleave(at::arange(here, ids.options()).repeat({world}), arriving);
  const at::Tensor by_expert = at::argsort(expert, /*stable=*/true, 0, false);
  const at::Tensor made =
      at::silu(products_of(got.index({by_expert}), w, arriving.reshape({world, here}).sum(0)));
  const at::Tensor back = at::zeros_like(made).index_put({by_expert}, made);
  at::Tensor home = Exchange::apply(back, sent, received, group);
  const at::Tensor shares = weights_of(p).reshape({-1});
  if (bug == Bug::kWeightsNotPermuted) {
    home = home * shares.unsqueeze(1);
  } else if (bug == Bug::kUnweighted) {
    home = home + 0 * shares.sum();
  } else {
    home = home * shares.index({order}).unsqueeze(1);
  }
  const at::Tensor y = at::zeros_like(x).index_add(0, token, home);
  p.output("y", y, Shard("ep", 0));
  p.gradients((y * p[{"grad"}]).sum(), [&](const Input& input, const at::Tensor& gradient) {
    const bool reduced = input.name == "router" && bug != Bug::kRouterNotReduced;
    return reduced ? p.all_reduce(gradient, "ep") : gradient;
  });
}

CaseReport experts_report(const Shapes& shapes, Bug bug) {
  RefinementSpec spec;
  spec.name = "DroplessExperts";
  spec.mesh = Mesh({{"ep", shapes.ranks}});
  spec.inputs = inputs_of(shapes);
  spec.sequential = sum_over_experts;
  spec.distributed = [bug](Program& p) { expert_parallel(p, bug); };
  CheckOptions options;
  options.precisions = {DType::kFloat32};
  return check_refinement(spec, options);
}

void expect_refinement(const CaseReport& report) {
  EXPECT_EQ(report.verdict, Verdict::kProved) << to_text(report);
  EXPECT_EQ(report.exit, 0) << to_text(report);
}

TEST(DroplessExperts, OverTwoRanks) { expect_refinement(experts_report({}, Bug::kNone)); }

TEST(DroplessExperts, OverFourRanks) { expect_refinement(experts_report(kFourRanks, Bug::kNone)); }

// What arrives is then not what the ranks wait for, for most choices of the router.
TEST(DroplessExperts, SplitsThatDoNotFitAreRejected) {
  for (const Shapes& shapes : {Shapes(), kFourRanks}) {
    for (const Bug bug : {Bug::kSplitsOfSending, Bug::kCountOffByOne}) {
      const CaseReport report = experts_report(shapes, bug);
      EXPECT_NE(report.exit, 0) << to_text(report);
      EXPECT_NE(report.verdict, Verdict::kProved) << to_text(report);
      EXPECT_THAT(report.error, testing::HasSubstr("fails on some values: rank "))
          << to_text(report);
    }
  }
}

void expect_unproved(const CaseReport& report) {
  EXPECT_NE(report.verdict, Verdict::kProved) << to_text(report);
  EXPECT_EQ(report.exit, 1);
}

void expect_logic_bug(const CaseReport& report) {
  expect_unproved(report);
  ASSERT_TRUE(report.dynamic) << to_text(report);
  EXPECT_EQ(report.dynamic->verdict, RunVerdict::kDeviates) << to_text(report);
}

TEST(DroplessExperts, WeightsThatArePermutedOtherwiseThanTokensAreRejected) {
  expect_unproved(experts_report({}, Bug::kWeightsNotPermuted));
  // One row a rank is in order anyhow.
  Shapes two_each = kFourRanks;
  two_each.chosen = 2;
  expect_unproved(experts_report(two_each, Bug::kWeightsNotPermuted));
}

TEST(DroplessExperts, CombiningWithoutWeightsIsRejected) {
  expect_logic_bug(experts_report({}, Bug::kUnweighted));
  expect_logic_bug(experts_report(kFourRanks, Bug::kUnweighted));
}

TEST(DroplessExperts, ARouterGradientThatIsNotReducedIsRejected) {
  expect_logic_bug(experts_report({}, Bug::kRouterNotReduced));
  expect_logic_bug(experts_report(kFourRanks, Bug::kRouterNotReduced));
}

}  // namespace
}  // namespace assay
