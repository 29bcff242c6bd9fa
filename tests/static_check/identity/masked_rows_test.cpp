// What an index reads of a row that a mask has made infinite elsewhere is what stands there: the
// infinities that it leaves out are not multiplied by 0.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/static_check/formula_case.h"
#include "tests/support/prove.h"

namespace assay::test {
namespace {

constexpr Int kScoredRows = 4;
const FormulaInput kScoreMatrix{"x", {kScoredRows, kScoredRows}},
    kTargets{"t", {kScoredRows}, DType::kInt64};

/// The scores without those of each row with itself.
TensorRef without_itself(Calls& call, TensorRef x) {
  const auto positions = [&](Shape shape) {
    const TensorRef all =
        call.of_shape({kScoredRows}, "arange.default", {kScoredRows}, DType::kInt64);
    return call.of_shape(shape, "view.default", {all, std::vector<Argument>{shape[0], shape[1]}},
                         DType::kInt64);
  };
  const TensorRef itself =
      call("eq.Tensor", {positions({kScoredRows, 1}), positions({1, kScoredRows})}, DType::kBool);
  return call("masked_fill.Scalar", {x, itself, -INFINITY});
}

TensorRef column(Calls& call, TensorRef targets) {
  return call.of_shape({kScoredRows, 1}, "unsqueeze.default", {targets, 1}, DType::kInt64);
}

TensorRef gathered(Calls& call, TensorRef x, TensorRef targets) {
  return call.of_shape({kScoredRows, 1}, "gather.default", {x, 1, column(call, targets)});
}

TensorRef log_probability(GraphBuilder& graph, TensorRef x, TensorRef targets) {
  Calls call(graph, {kScoredRows, kScoredRows});
  return gathered(call, call("_log_softmax.default", {without_itself(call, x), 1, false}), targets);
}

/// The target's score less the logarithm of the sum, by the sum of these.
TensorRef score_less_total(GraphBuilder& graph, TensorRef x, TensorRef targets, bool all) {
  Calls call(graph, {kScoredRows, kScoredRows});
  const TensorRef masked = without_itself(call, x);
  const TensorRef total = call.of_shape({kScoredRows, 1}, "logsumexp.default",
                                        {all ? x : masked, std::vector<Argument>{1}, true});
  return call.of_shape({kScoredRows, 1}, "sub.Tensor", {gathered(call, masked, targets), total});
}

TEST(MaskedRows, AreGatheredFrom) {
  const auto with = [](bool all) {
    return formulas(
        log_probability,
        [all](GraphBuilder& graph, TensorRef x, TensorRef targets) {
          return score_less_total(graph, x, targets, all);
        },
        kScoreMatrix, kTargets);
  };
  EXPECT_TRUE(proves(with(false)));
  EXPECT_FALSE(proves(with(true)));
}

TensorRef read_at_targets(GraphBuilder& graph, TensorRef x, TensorRef targets) {
  Calls call(graph, {kScoredRows, kScoredRows});
  const TensorRef rows =
      call.of_shape({kScoredRows}, "arange.default", {kScoredRows}, DType::kInt64);
  return call.of_shape({kScoredRows}, "index.Tensor",
                       {without_itself(call, x), std::vector<Argument>{rows, targets}});
}

/// By a product with one-hots, in which 0 times an infinity is no number, or by a condition.
TensorRef summed_of_chosen(GraphBuilder& graph, TensorRef x, TensorRef targets, bool multiplied) {
  Calls call(graph, {kScoredRows, kScoredRows});
  const TensorRef masked = without_itself(call, x);
  const TensorRef one_hots = call("one_hot.default", {targets, kScoredRows}, DType::kInt64);
  TensorRef chosen;
  if (multiplied) {
    chosen = call("mul.Tensor", {call("_to_copy.default", {one_hots, DType::kFloat32}), masked});
  } else {
    const TensorRef others = call("eq.Scalar", {one_hots, 0}, DType::kBool);
    chosen = call("masked_fill.Scalar", {masked, others, 0.0});
  }
  return call.of_shape({kScoredRows}, "sum.dim_IntList", {chosen, std::vector<Argument>{1}});
}

TEST(MaskedRows, AreNotMultipliedByOneHots) {
  const auto with = [](bool multiplied) {
    return formulas(
        read_at_targets,
        [multiplied](GraphBuilder& graph, TensorRef x, TensorRef targets) {
          return summed_of_chosen(graph, x, targets, multiplied);
        },
        kScoreMatrix, kTargets);
  };
  EXPECT_TRUE(proves(with(false)));
  EXPECT_FALSE(proves(with(true)));
}

}  // namespace
}  // namespace assay::test
