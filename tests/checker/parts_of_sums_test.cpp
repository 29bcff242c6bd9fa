// When parts of one sum add up to the whole: vanishes() on (parts) - (whole).
#include <gtest/gtest.h>

#include "static_check/checker/boxes.h"

namespace assay::checker {
namespace {

// The sum of all elements of x[size]: atom 1, label 0.
struct SumOfAll {
  Graph graph;
  Universe universe;
  LinearIn linear;

  explicit SumOfAll(int64_t size) {
    graph.tensors.push_back({"x", DType::kFloat32, {size}, kNone, 0});
    graph.by_name["x"] = 0;
    graph.inputs = {0};
    Atom input;
    input.size = size;
    input.tensor = 0;
    Instance sum;
    sum.kind = Instance::Kind::kSum;
    sum.operands = {{0, 0}};
    InstanceLabel label;
    label.tag = InstanceLabel::Tag::kReduced;
    label.size = size;
    label.strides = {1};
    label.hidden = 0;
    sum.labels = {label};
    sum.output = 1;
    Atom output;
    output.kind = Atom::Kind::kInstance;
    output.instance = 0;
    output.hidden = {0};
    universe.atoms = {input, output};
    universe.instances = {sum};
    universe.labels = {{size, false, 0}};
  }
};

Box box(int64_t stride, int64_t radix, std::vector<Interval> in) {
  return {0, stride, radix, false, std::move(in)};
}

bool add_up(const SumOfAll& all, const std::vector<std::vector<Box>>& parts) {
  const Facts facts(all.universe, all.graph, all.linear);
  std::vector<Product> difference{{-1, {{1, {}}}, {}, {}}};
  for (const auto& boxes : parts) difference.push_back({1, {{1, {}}}, boxes, {}});
  return vanishes(facts, difference);
}

TEST(PartsOfSums, OnDigitsThatDoNotNest) {
  for (const int64_t size : {6, 6 << 18}) {
    const SumOfAll all(size);
    const Box thirds = box(1, 3, {{0, 1}});
    EXPECT_TRUE(add_up(all, {{thirds}, {box(1, 6, {{1, 3}})}, {box(1, 6, {{4, 6}})}})) << size;
    EXPECT_FALSE(add_up(all, {{thirds}, {box(1, 6, {{1, 3}})}, {box(1, 6, {{3, 5}})}})) << size;
    EXPECT_FALSE(add_up(all, {{thirds}, {box(1, 6, {{1, 3}})}})) << size;
    const Box evens = box(1, 2, {{0, 1}}), odds = box(1, 2, {{1, 2}});
    const Box others = box(1, 3, {{1, 3}});
    EXPECT_TRUE(add_up(all, {{thirds}, {others, evens}, {others, odds}})) << size;
    EXPECT_FALSE(add_up(all, {{thirds}, {others, evens}, {others, evens}})) << size;
  }
}

TEST(PartsOfSums, OnManyStripesWithinAHalf) {
  const int64_t size = 1 << 20, half = size / 2;
  const SumOfAll all(size);
  const Box lower = box(1, size, {{0, half}}), upper = box(2, half, {{half / 2, half}});
  const Box evens = box(1, 2, {{0, 1}}), odds = box(1, 2, {{1, 2}});
  EXPECT_TRUE(add_up(all, {{lower}, {upper, evens}, {upper, odds}}));
  EXPECT_FALSE(add_up(all, {{lower}, {upper, evens}, {upper, evens}}));
  EXPECT_FALSE(add_up(all, {{lower}, {upper, evens}}));
  const Box one_more = box(1, size, {{0, half + 1}});
  EXPECT_FALSE(add_up(all, {{one_more}, {upper, evens}, {upper, odds}}));
}

TEST(PartsOfSums, BeyondTheBoundAreRejected) {
  const SumOfAll all(6 << 20);
  const Box evens = box(1, 2, {{0, 1}}), odds = box(1, 2, {{1, 2}});
  EXPECT_THROW(add_up(all, {{box(1, 3, {{0, 1}})}, {box(1, 3, {{1, 3}}), evens}, {odds}}),
               Rejection);
}

}  // namespace
}  // namespace assay::checker
