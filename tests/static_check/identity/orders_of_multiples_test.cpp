// Proof by evaluation of what chooses by a row that was multiplied by a positive constant: the
// order is that of the row, and what is chosen of the row's own numbers is the multiple.
#include <gtest/gtest.h>

#include "tests/static_check/formula_case.h"
#include "tests/support/prove.h"

namespace assay::test {
namespace {

TensorRef times(GraphBuilder& graph, const std::string& name, TensorRef x, double by) {
  return graph.call(name, "aten.mul.Tensor", {x, by}, graph.shape(x));
}

std::vector<TensorRef> topk(GraphBuilder& graph, const std::string& name, TensorRef x) {
  return graph.call_many(name, "aten.topk.default", {x, int64_t{2}},
                         {{{4, 2}}, {{4, 2}, DType::kInt64}});
}

/// Where the greatest two of c x stand.
Formula places_of_multiple(double by) {
  return [by](GraphBuilder& graph, TensorRef x, TensorRef) {
    return topk(graph, "top", times(graph, "scaled", x, by))[1];
  };
}

/// They themselves, divided by `divisor`.
Formula greatest_of_multiple(double by, double divisor) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    const TensorRef top = topk(graph, "top", times(graph, "scaled", x, by))[0];
    return graph.call("unscaled", "aten.div.Tensor", {top, divisor}, {4, 2});
  };
}

TensorRef places(GraphBuilder& graph, TensorRef x, TensorRef) { return topk(graph, "top", x)[1]; }
TensorRef greatest(GraphBuilder& graph, TensorRef x, TensorRef) { return topk(graph, "top", x)[0]; }

TEST(OrdersOfMultiples, APositiveConstantLeavesThePlaces) {
  EXPECT_TRUE(proves(formulas(places, places_of_multiple(1.25))));
  EXPECT_TRUE(proves(formulas(places_of_multiple(0.5), places_of_multiple(3))));
  EXPECT_FALSE(proves(formulas(places, places_of_multiple(-1.25))));
}

TEST(OrdersOfMultiples, WhatIsChosenIsTheMultiple) {
  EXPECT_TRUE(proves(formulas(greatest, greatest_of_multiple(1.25, 1.25))));
  EXPECT_FALSE(proves(formulas(greatest, greatest_of_multiple(1.25, 1.5))));
  EXPECT_FALSE(proves(formulas(greatest, greatest_of_multiple(-1, -1))));
}

/// Of the parts of a row that is divided by a temperature: values, or places.
Formula of_parts(double by, bool values) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    std::vector<TensorRef> tops, where;
    for (const int64_t half : {int64_t{0}, int64_t{1}}) {
      const std::string name = "half" + std::to_string(half);
      const TensorRef part =
          graph.call(name, "aten.slice.Tensor", {x, 1, 3 * half, 3 * half + 3}, {4, 3});
      const auto top = topk(graph, name + "_top", times(graph, name + "_scaled", part, by));
      tops.push_back(top[0]);
      where.push_back(graph.call(name + "_place", "aten.add.Scalar", {top[1], 3 * half}, {4, 2},
                                 DType::kInt64));
    }
    const TensorRef all = graph.call("all", "aten.cat.default", {{tops[0], tops[1]}, 1}, {4, 4});
    const auto top = topk(graph, "top", all);
    if (values) return graph.call("back", "aten.div.Tensor", {top[0], by}, {4, 2});
    const TensorRef found =
        graph.call("found", "aten.cat.default", {{where[0], where[1]}, 1}, {4, 4}, DType::kInt64);
    return graph.call("chosen", "aten.gather.default", {found, 1, top[1]}, {4, 2}, DType::kInt64);
  };
}

TEST(OrdersOfMultiples, TheFirstOfPartsAreThoseOfTheWhole) {
  EXPECT_TRUE(proves(formulas(places, of_parts(0.25, false))));
  EXPECT_TRUE(proves(formulas(greatest, of_parts(0.25, true))));
  EXPECT_FALSE(proves(formulas(places, of_parts(-0.25, false))));
}

/// Probabilities at a temperature of the greatest two.
Formula probabilities(double scale, bool before) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    const TensorRef row = before ? times(graph, "scaled", x, scale) : x;
    TensorRef top = topk(graph, "top", row)[0];
    if (!before) top = times(graph, "scaled", top, scale);
    return graph.call("p", "aten._softmax.default", {top, -1, false}, {4, 2});
  };
}

TEST(OrdersOfMultiples, ATemperatureComesBeforeOrBehindTheChoice) {
  EXPECT_TRUE(proves(formulas(probabilities(2, false), probabilities(2, true))));
  EXPECT_FALSE(proves(formulas(probabilities(2, false), probabilities(4, true))));
  EXPECT_FALSE(proves(formulas(probabilities(-2, false), probabilities(-2, true))));
}

}  // namespace
}  // namespace assay::test
