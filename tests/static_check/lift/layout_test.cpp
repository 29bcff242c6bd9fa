// The algebra of layouts, by brute force: every function against its meaning on all coordinates.
#include "static_check/algebra/layout.h"

#include <gtest/gtest.h>

#include <random>

#include "shared_ir/graph.h"
#include "tests/support/claims/claim_values.h"

namespace assay::test {
namespace {

Layout sliced(Layout layout, int64_t dim, int64_t start, int64_t count) {
  slice(layout, dim, start, count);
  return layout;
}

class RandomLayouts {
 public:
  explicit RandomLayouts(uint64_t seed) : random_(seed) {}

  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }

  Modes modes(int most) {
    Modes result;
    for (int64_t m = below(most + 1); m > 0; --m) {
      const int64_t strides[] = {0, 1, 2, 3, 4, 6, 12, 24};
      result.push_back({2 + below(3), strides[below(8)]});
    }
    coalesce(result);
    return result;
  }

  Layout layout(size_t dims, int most_modes = 3) {
    Layout result;
    result.offset = below(20);
    for (size_t d = 0; d < dims; ++d) result.dims.push_back(modes(most_modes));
    return result;
  }

 private:
  std::mt19937_64 random_;
};

Shape shape_of(const Layout& layout) {
  Shape shape;
  for (const auto& modes : layout.dims) shape.push_back(extent(modes));
  return shape;
}

Shape coordinates(int64_t index, const Shape& shape) {
  Shape at(shape.size());
  for (size_t d = shape.size(); d-- > 0; index /= shape[d]) at[d] = index % shape[d];
  return at;
}

/// The addresses of all elements, row-major.
std::vector<int64_t> addresses(const Layout& layout) {
  const Shape shape = shape_of(layout);
  std::vector<int64_t> result;
  for (int64_t i = 0; i < element_count(shape); ++i)
    result.push_back(address_of(layout, coordinates(i, shape)));
  return result;
}

bool is_canonical(const Layout& layout) {
  for (const auto& modes : layout.dims) {
    auto again = modes;
    coalesce(again);
    if (again != modes) return false;
  }
  return true;
}

constexpr int kLayoutTrials = 3000;

TEST(Layout, CoalescingKeepsTheFunction) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < kLayoutTrials; ++trial) {
    Layout layout;
    layout.dims.emplace_back();
    for (int m = 0; m < 4; ++m) {
      layout.dims[0].push_back(
          {static_cast<int64_t>(1 + random() % 3), static_cast<int64_t>(random() % 10)});
    }
    const auto before = addresses(layout);
    coalesce(layout.dims[0]);
    ASSERT_EQ(addresses(layout), before);
    ASSERT_TRUE(is_canonical(layout));
  }
}

TEST(Layout, TheLastAddressIsTheLargest) {
  RandomLayouts random(2);
  for (int trial = 0; trial < kLayoutTrials; ++trial) {
    const Layout layout = random.layout(2);
    const auto all = addresses(layout);
    ASSERT_EQ(last_address(layout), *std::max_element(all.begin(), all.end()));
  }
}

TEST(Layout, SlicesBetweenTheirCutsAreTheSameElements) {
  RandomLayouts random(3);
  for (int trial = 0; trial < kLayoutTrials; ++trial) {
    const Layout layout = random.layout(1, 4);
    const int64_t size = extent(layout.dims[0]);
    const int64_t start = random.below(size), count = 1 + random.below(size - start);
    std::vector<int64_t> points{start};
    for (int64_t cut : slice_cuts(layout.dims[0], start, count)) {
      ASSERT_GT(cut, points.back());
      ASSERT_LT(cut, start + count);
      points.push_back(cut);
    }
    points.push_back(start + count);
    const auto all = addresses(layout);
    for (size_t p = 0; p + 1 < points.size(); ++p) {
      const Layout piece = sliced(layout, 0, points[p], points[p + 1] - points[p]);
      ASSERT_TRUE(is_canonical(piece));
      ASSERT_EQ(addresses(piece),
                std::vector<int64_t>(all.begin() + points[p], all.begin() + points[p + 1]));
    }
  }
}

TEST(Layout, AStepTakesEveryNthElementOrNothing) {
  RandomLayouts random(4);
  int expressed = 0;
  for (int trial = 0; trial < kLayoutTrials; ++trial) {
    const Layout layout = random.layout(1);
    const int64_t size = extent(layout.dims[0]);
    const int64_t step = 1 + random.below(5);
    const int64_t count = 1 + random.below((size - 1) / step + 1);
    if (!slice_cuts(layout.dims[0], 0, (count - 1) * step + 1).empty()) continue;
    const auto strided = stride_by(layout, 0, step, count);
    if (!strided) continue;
    ++expressed;
    const auto all = addresses(layout), taken = addresses(*strided);
    ASSERT_EQ(static_cast<int64_t>(taken.size()), count);
    for (int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(taken[static_cast<size_t>(i)], all[static_cast<size_t>(i * step)]);
    }
  }
  EXPECT_GT(expressed, 500);
}

TEST(Layout, PermutingMovesCoordinates) {
  RandomLayouts random(5);
  const std::vector<std::vector<int64_t>> orders{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};
  for (int trial = 0; trial < kLayoutTrials; ++trial) {
    const Layout layout = random.layout(3, 2);
    const auto& order = orders[static_cast<size_t>(random.below(4))];
    const Layout moved = permute(layout, order);
    const Shape shape = shape_of(moved);
    for (int64_t i = 0; i < element_count(shape); ++i) {
      const Shape at = coordinates(i, shape);
      Shape source(3);
      for (size_t d = 0; d < 3; ++d) source[static_cast<size_t>(order[d])] = at[d];
      ASSERT_EQ(address_of(moved, at), address_of(layout, source));
    }
  }
}

TEST(Layout, ReshapingKeepsTheRowMajorOrder) {
  RandomLayouts random(6);
  int expressed = 0;
  for (int trial = 0; trial < kLayoutTrials; ++trial) {
    const Layout layout = random.layout(1 + static_cast<size_t>(random.below(3)), 2);
    int64_t left = element_count(shape_of(layout));
    Shape shape;
    while (left > 1) {
      std::vector<int64_t> divisors;
      for (int64_t d = 1; d <= left; ++d) {
        if (left % d == 0) divisors.push_back(d);
      }
      shape.push_back(
          divisors[static_cast<size_t>(random.below(static_cast<int64_t>(divisors.size())))]);
      left /= shape.back();
    }
    const auto reshaped = reshape(layout, shape);
    if (!reshaped) continue;
    ++expressed;
    ASSERT_TRUE(is_canonical(*reshaped));
    ASSERT_EQ(shape_of(*reshaped), shape);
    ASSERT_EQ(addresses(*reshaped), addresses(layout));
  }
  EXPECT_GT(expressed, kLayoutTrials / 2);
}

TEST(Layout, ExpandingRepeatsADimension) {
  Layout layout = row_major({3, 1});
  expand(layout, 1, 4);
  EXPECT_EQ(addresses(layout), (std::vector<int64_t>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
}

TEST(Layout, JoiningPutsTheSecondBehindTheFirst) {
  RandomLayouts random(7);
  int joined_count = 0;
  for (int trial = 0; trial < 20 * kLayoutTrials; ++trial) {
    Layout first = random.layout(1, 2), second = random.layout(1, 2);
    if (random.below(2) == 0) {  // two neighbouring slices, which often join
      const Layout whole = random.layout(1, 3);
      const int64_t size = extent(whole.dims[0]);
      if (size < 2) continue;
      const int64_t at = 1 + random.below(size - 1);
      if (!slice_cuts(whole.dims[0], 0, at).empty() ||
          !slice_cuts(whole.dims[0], at, size - at).empty())
        continue;
      first = sliced(whole, 0, 0, at);
      second = sliced(whole, 0, at, size - at);
    }
    const auto joined = join(first, extent(first.dims[0]), second, extent(second.dims[0]), 0);
    if (!joined) continue;
    ++joined_count;
    auto expected = addresses(first);
    const auto rest = addresses(second);
    expected.insert(expected.end(), rest.begin(), rest.end());
    ASSERT_EQ(addresses(*joined), expected);
    ASSERT_TRUE(is_canonical(*joined));
  }
  EXPECT_GT(joined_count, 1000);
}

TEST(Layout, JoiningNeedsTheOtherDimensionsToAgree) {
  const Layout a = sliced(row_major({4, 4}), 0, 0, 2);
  Layout b = sliced(row_major({4, 4}), 0, 2, 2);
  EXPECT_TRUE(join(a, 2, b, 2, 0).has_value());
  b.dims[1] = {{4, 2}};
  EXPECT_FALSE(join(a, 2, b, 2, 0).has_value());
}

TEST(Layout, CommonDigitsHaveTheSameSizesAndTheSameFunctions) {
  RandomLayouts random(8);
  int nested = 0;
  for (int trial = 0; trial < 10 * kLayoutTrials; ++trial) {
    const auto a = random.modes(3), b = random.modes(3);
    if (extent(a) != extent(b)) continue;
    const std::vector<const Modes*> both{&a, &b};
    const auto digits = common_digits(both);
    if (!digits) continue;
    ++nested;
    ASSERT_EQ((*digits)[0].size(), (*digits)[1].size());
    for (size_t i = 0; i < (*digits)[0].size(); ++i)
      ASSERT_EQ((*digits)[0][i].size, (*digits)[1][i].size);
    ASSERT_EQ(addresses({0, {(*digits)[0]}}), addresses({0, {a}}));
    ASSERT_EQ(addresses({0, {(*digits)[1]}}), addresses({0, {b}}));
  }
  EXPECT_GT(nested, 1000);
}

TEST(Layout, DigitsThatDoNotNestHaveNoCommonOnes) {
  const Modes a{{2, 9}, {3, 1}}, b{{3, 9}, {2, 1}};
  const std::vector<const Modes*> both{&a, &b};
  EXPECT_FALSE(common_digits(both).has_value());
}

}  // namespace
}  // namespace assay::test
