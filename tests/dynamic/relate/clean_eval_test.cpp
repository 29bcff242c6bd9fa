#include "dynamic_check/relate/clean_eval.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using Shapes = std::map<RankTensorName, Shape>;

CleanExpr parse(const std::string& text) { return parse_clean_expr(text, {}); }

at::Tensor counting(const Shape& shape) {
  int64_t elements = 1;
  for (int64_t size : shape) elements *= size;
  return at::arange(elements, at::kDouble).view(shape);
}

// Hands a tensor out to the leaves and rebuilds it from them.
void expect_round_trip(const std::string& text, const Shapes& shapes, const Shape& whole_shape) {
  const CleanExpr expr = parse(text);
  const at::Tensor whole = counting(whole_shape);
  Parts parts(5);
  parts.hand_out(expr, whole, [&](const RankTensorName& name) { return shapes.at(name); }, {});
  const auto leaves = parts.take();
  const at::Tensor rebuilt =
      evaluate(expr, [&](const RankTensorName& name) { return leaves.at(name); });
  EXPECT_TRUE(at::allclose(rebuilt, whole)) << text;
}

TEST(CleanEval, HandingOutInvertsEveryKindOfExpression) {
  expect_round_trip("a@0", {{{"a", 0}, {2, 3}}}, {2, 3});
  expect_round_trip("concat(a@0, a@1; dim=1)", {{{"a", 0}, {2, 3}}, {{"a", 1}, {2, 1}}}, {2, 4});
  expect_round_trip("sum(a@0, a@1, a@2)", {{{"a", 0}, {4}}, {{"a", 1}, {4}}, {{"a", 2}, {4}}}, {4});
  expect_round_trip("permute(a@0; dims=[2, 0, 1])", {{{"a", 0}, {2, 3, 4}}}, {4, 2, 3});
  expect_round_trip("reshape(a@0; shape=[6])", {{{"a", 0}, {2, 3}}}, {6});
  expect_round_trip("scale(a@0; by=1/2)", {{{"a", 0}, {3}}}, {3});
  expect_round_trip(
      "concat(slice(a@0; dim=0, start=0, end=2), slice(a@1; dim=0, start=0, end=2), slice(a@0; "
      "dim=0, start=2, end=3), "
      "slice(a@1; dim=0, start=2, end=3); dim=0)",
      {{{"a", 0}, {3}}, {{"a", 1}, {3}}}, {6});
}

TEST(CleanEval, PaddingIsZeros) {
  const at::Tensor padded = evaluate(parse("pad(a@0; dim=0, before=1, after=2)"),
                                     [](const RankTensorName&) { return counting({2, 2}) + 1; });
  EXPECT_EQ(padded.sizes().vec(), (std::vector<int64_t>{5, 2}));
  EXPECT_EQ(padded.sum().item<double>(), 10);
  EXPECT_EQ(padded.narrow(0, 1, 2).sum().item<double>(), 10);
}

TEST(CleanEval, ReplicasGetTheSameValue) {
  Parts parts(5);
  auto shape_of = [](const RankTensorName&) { return Shape{3}; };
  parts.hand_out(parse("a@0"), counting({3}), shape_of, {});
  parts.hand_out(parse("a@1"), counting({3}), shape_of, {});
  const auto leaves = parts.take();
  EXPECT_TRUE(at::equal(leaves.at({"a", 0}), leaves.at({"a", 1})));
}

TEST(CleanEval, ALeafElementWithTwoValuesIsRefused) {
  Parts parts(5);
  auto shape_of = [](const RankTensorName&) { return Shape{3}; };
  parts.hand_out(parse("a@0"), counting({3}), shape_of, {});
  EXPECT_THROW(parts.hand_out(parse("a@0"), counting({3}) + 1, shape_of, {}), UserError);
}

TEST(CleanEval, AnElementThatNobodyMentionsIsRandom) {
  const auto leaf = [](uint64_t seed) {
    Parts parts(seed);
    parts.hand_out(parse("slice(a@0; dim=0, start=0, end=2)"), counting({2}),
                   [](const RankTensorName&) { return Shape{3}; }, {});
    return parts.take().at({"a", 0});
  };
  EXPECT_TRUE(at::equal(leaf(5).narrow(0, 0, 2), counting({2})));
  EXPECT_TRUE(at::equal(leaf(5), leaf(5)));
  EXPECT_FALSE(at::equal(leaf(5).narrow(0, 2, 1), leaf(6).narrow(0, 2, 1)));
}

TEST(CleanEval, AWholeOfAnotherShapeIsRefused) {
  Parts parts(5);
  EXPECT_THROW(parts.hand_out(parse("a@0"), counting({4}),
                              [](const RankTensorName&) { return Shape{3}; }, {}),
               UserError);
}

}  // namespace
}  // namespace assay
