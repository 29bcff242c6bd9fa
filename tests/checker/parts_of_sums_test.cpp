// When parts of one sum add up to the whole: vanishes() on (parts) - (whole).
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "static_check/checker/arithmetic/boxes.h"

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
  return vanishes(facts, Region{}, difference);
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

bool holds(const std::vector<Interval>& in, int64_t value) {
  return std::any_of(in.begin(), in.end(),
                     [&](const Interval& one) { return one.lo <= value && value < one.hi; });
}

constexpr int64_t kSize = 12, kValues = 3;  // of the label, and of each guarded integer

// What the products add up to at this value of the label and of two guarded integers.
Rational at(const std::vector<Product>& products, int64_t label,
            const std::array<int64_t, 2>& guarded) {
  Rational sum = 0;
  for (const Product& product : products) {
    bool counts = true;
    for (const Box& part : product.boxes)
      counts = counts && holds(part.in, label / part.stride % part.radix);
    for (const Guard& guard : product.guards)
      counts = counts && holds(guard.in, guarded[static_cast<size_t>(guard.element.index.base)]);
    if (counts) sum = sum + product.coef;
  }
  return sum;
}

bool is_zero_everywhere(const std::vector<Product>& products) {
  for (int64_t label = 0; label < kSize; ++label)
    for (int64_t first = 0; first < kValues; ++first)
      for (int64_t second = 0; second < kValues; ++second)
        if (!at(products, label, {first, second}).is_zero()) return false;
  return true;
}

// A partition of the values below `count`, as intervals.
std::vector<std::vector<Interval>> partition(std::mt19937_64& random, int64_t count) {
  const auto cut = static_cast<int64_t>(random() % static_cast<uint64_t>(count));
  if (cut == 0) return {{{0, count}}};
  return {{{0, cut}}, {{cut, count}}};
}

// Each product in parts that add up to it, along its label or a guarded integer.
std::vector<Product> in_parts(std::mt19937_64& random, const std::vector<Product>& products) {
  constexpr std::array<std::array<int64_t, 2>, 5> kDigits{
      {{1, 12}, {1, 2}, {2, 6}, {4, 3}, {3, 4}}};
  std::vector<Product> parts;
  for (const Product& product : products) {
    const uint64_t along = random() % 4;
    if (along < 2) {
      for (auto& in : partition(random, kValues)) {
        // What is guarded may be any integer.
        if (in.front().lo == 0) in.front().lo = INT64_MIN;
        if (in.back().hi == kValues) in.back().hi = INT64_MAX;
        parts.push_back(product);
        parts.back().guards.push_back({{0, {static_cast<int64_t>(along), {}}}, in});
      }
      continue;
    }
    const auto& [stride, radix] = kDigits[random() % kDigits.size()];
    for (const auto& in : partition(random, radix)) {
      parts.push_back(product);
      parts.back().boxes.push_back(box(stride, radix, in));
    }
  }
  return parts;
}

TEST(PartsOfSums, AddUpWhereTheyDoAtEveryValue) {
  const SumOfAll all(kSize);
  const Facts facts(all.universe, all.graph, all.linear);
  std::mt19937_64 random(1);
  size_t zeros = 0, others = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<Product> products{{1, {{1, {}}}, {}, {}}};
    for (uint64_t cuts = 1 + random() % 4; cuts > 0; --cuts) products = in_parts(random, products);
    products.push_back({-1, {{1, {}}}, {}, {}});
    if (random() % 2 == 0) {
      Product& changed = products[random() % products.size()];
      if (random() % 2 == 0 || changed.boxes.empty())
        changed.coef = changed.coef + Rational(1);
      else
        changed.boxes.pop_back();
    }
    const bool zero = is_zero_everywhere(products);
    EXPECT_EQ(vanishes(facts, Region{}, products), zero) << "round " << round;
    ++(zero ? zeros : others);
  }
  EXPECT_GT(zeros, 100u);
  EXPECT_GT(others, 100u);
}

}  // namespace
}  // namespace assay::checker
