// Values on tile grids, by brute force: every operation against the elements before and after.
#include "static_check/algebra/value.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "static_check/algebra/layout.h"
#include "static_check/algebra/restriction.h"
#include "tests/support/claims/claim_values.h"

namespace assay::test {
namespace {

/// What one element is: coefficient by atom and address, for some values of the guarding integers.
using Element = std::map<std::string, Rational>;

Element element_of(const Tile& tile, const Shape& at) {
  Element result;
  for (int64_t sample = 0; sample < 4; ++sample) {
    for (const Term& term : tile.terms) {
      bool counts = true;
      for (const Restriction& r : term.restrictions) {
        ASSAY_CHECK(r.kind == Restriction::Kind::kGuard, "random values have guards alone");
        const int64_t integer = (address_of(r.where, at) * 5 + sample * 3) % 7;
        counts =
            counts && std::any_of(r.intervals.begin(), r.intervals.end(), [&](const Interval& in) {
              return in.lo <= integer && integer < in.hi;
            });
      }
      if (!counts) continue;
      Rational& coef = result[std::to_string(sample) + ": " + std::to_string(term.atom) + "[" +
                              std::to_string(address_of(term.layout, at)) + "]"];
      coef = coef + term.coef;
    }
  }
  std::erase_if(result, [](const auto& entry) { return entry.second.is_zero(); });
  return result;
}

Element element_of(const Value& value, const Shape& at) {
  size_t index = 0;
  Shape inner = at;
  for (size_t d = 0; d < at.size(); ++d) {
    const auto& cuts = value.cuts[d];
    const auto cell =
        static_cast<size_t>(std::upper_bound(cuts.begin(), cuts.end(), at[d]) - cuts.begin()) - 1;
    index = index * (cuts.size() - 1) + cell;
    inner[d] -= cuts[cell];
  }
  return element_of(value.tiles.at(index), inner);
}

std::vector<Element> elements(const Value& value) {
  std::vector<Element> result;
  for_each_cell(value.shape, [&](const Shape& at) { result.push_back(element_of(value, at)); });
  return result;
}

class RandomValues {
 public:
  explicit RandomValues(uint64_t seed) : random_(seed) {}

  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }

  /// A layout of that shape: a permuted and sometimes broadcast view, of hierarchical digits.
  Layout layout(const Shape& shape) {
    Layout result;
    result.offset = below(6);
    for (int64_t size : shape) {
      auto& modes = result.dims.emplace_back();
      for (int64_t left = size; left > 1;) {
        int64_t digit = below(2) == 0 ? left : 2;
        if (left % digit != 0) digit = left;
        const int64_t strides[] = {0, 1, 2, 4, 6, 12};
        modes.push_back({digit, strides[below(6)]});
        left /= digit;
      }
      coalesce(modes);
    }
    return result;
  }

  Value value(const Shape& shape) {
    Value result;
    result.shape = shape;
    for (int64_t size : shape) {
      Cuts cuts{0};
      for (int64_t at = 1; at < size; ++at) {
        if (below(4) == 0) cuts.push_back(at);
      }
      cuts.push_back(size);
      result.cuts.push_back(cuts);
    }
    result.tiles.resize(tile_count(result));
    for (size_t t = 0; t < result.tiles.size(); ++t) {
      const Shape size = tile_size(result, t);
      for (int64_t n = below(3); n > 0; --n) result.tiles[t].terms.push_back(term(size));
      combine(result.tiles[t].terms);
    }
    return result;
  }

  /// Cut from one view: its tiles can be joined again.
  Value cut_view(const Shape& shape) {
    Tile tile;
    tile.terms.push_back(term(shape));
    combine(tile.terms);
    return cut(single_tile(shape, std::move(tile)), positions(shape));
  }

  Grid positions(const Shape& shape) {
    Grid result;
    for (int64_t size : shape) {
      auto& list = result.emplace_back();
      for (int64_t at = 1; at < size; ++at) {
        if (below(3) == 0) list.push_back(at);
      }
    }
    return result;
  }

 private:
  Term term(const Shape& size) {
    Term made;
    made.coef = Rational(below(7) - 3, 1 + below(2));
    made.atom = static_cast<AtomId>(4 + below(2));
    made.layout = layout(size);
    if (below(4) == 0) {
      Restriction guard;
      guard.kind = Restriction::Kind::kGuard;
      guard.atom = 9;
      guard.where = layout(size);
      guard.intervals = {{2, 5}};
      made.restrictions.push_back(guard);
    }
    return made;
  }

  std::mt19937_64 random_;
};

constexpr int kTrials = 400;
const Shape kShape{4, 6};

/// Layouts cover their tiles' extents, cuts are sorted, and there is a tile for each cell.
void expect_well_formed(const Value& value) {
  ASSERT_EQ(value.cuts.size(), value.shape.size());
  for (size_t d = 0; d < value.shape.size(); ++d) {
    ASSERT_EQ(value.cuts[d].front(), 0);
    ASSERT_EQ(value.cuts[d].back(), value.shape[d]);
    ASSERT_TRUE(std::is_sorted(value.cuts[d].begin(), value.cuts[d].end(), std::less_equal<>()));
  }
  ASSERT_EQ(value.tiles.size(), tile_count(value));
  for (size_t t = 0; t < value.tiles.size(); ++t) {
    const Shape size = tile_size(value, t);
    for (const Term& term : value.tiles[t].terms) {
      for (size_t d = 0; d < size.size(); ++d) ASSERT_EQ(extent(term.layout.dims[d]), size[d]);
    }
  }
}

TEST(Value, CuttingAndMergingKeepEveryElement) {
  RandomValues random(1);
  for (int trial = 0; trial < kTrials; ++trial) {
    const Value value = random.value(kShape);
    Value fine = cut(value, random.positions(kShape));
    expect_well_formed(fine);
    ASSERT_EQ(elements(fine), elements(value));
    merge_tiles(fine);
    expect_well_formed(fine);
    ASSERT_EQ(elements(fine), elements(value));
  }
}

TEST(Value, MergingFindsTheViewThatWasCut) {
  int whole = 0;
  RandomValues random(2);
  for (int trial = 0; trial < kTrials; ++trial) {
    Value value = random.cut_view(kShape);
    const auto before = elements(value);
    merge_tiles(value);
    expect_well_formed(value);
    ASSERT_EQ(elements(value), before);
    whole += value.tiles.size() == 1;
  }
  EXPECT_GT(whole, kTrials / 2);
}

TEST(Value, AligningBringsValuesToOneGrid) {
  RandomValues random(3);
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<Value> values{random.value(kShape), random.value(kShape), random.value(kShape)};
    const auto before = values;
    align(values);
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(values[i].cuts, values[0].cuts);
      expect_well_formed(values[i]);
      ASSERT_EQ(elements(values[i]), elements(before[i]));
    }
  }
}

TEST(Value, SlicesTakeEveryNthElement) {
  RandomValues random(4);
  for (int trial = 0; trial < 2 * kTrials; ++trial) {
    const Value value = random.value(kShape);
    const int64_t dim = random.below(2), size = kShape[static_cast<size_t>(dim)];
    const int64_t start = random.below(size), step = 1 + random.below(3);
    const int64_t count = 1 + random.below((size - start - 1) / step + 1);
    const Value taken = slice(value, dim, start, count, step);
    expect_well_formed(taken);
    ASSERT_EQ(taken.shape[static_cast<size_t>(dim)], count);
    for_each_cell(taken.shape, [&](const Shape& at) {
      Shape source = at;
      source[static_cast<size_t>(dim)] = start + at[static_cast<size_t>(dim)] * step;
      ASSERT_EQ(element_of(taken, at), element_of(value, source));
    });
  }
}

TEST(Value, PermutingAndExpandingMoveCoordinates) {
  RandomValues random(5);
  const std::vector<int64_t> order{2, 0, 1};
  for (int trial = 0; trial < kTrials; ++trial) {
    const Value value = random.value({1, 4, 3});
    const Value moved = permute(value, order);
    expect_well_formed(moved);
    for_each_cell(moved.shape, [&](const Shape& at) {
      ASSERT_EQ(element_of(moved, at), element_of(value, {at[1], at[2], at[0]}));
    });
    const Value wide = expand(value, {5, 4, 3});
    expect_well_formed(wide);
    for_each_cell(wide.shape, [&](const Shape& at) {
      ASSERT_EQ(element_of(wide, at), element_of(value, {0, at[1], at[2]}));
    });
  }
}

TEST(Value, ReshapingKeepsTheRowMajorOrder) {
  RandomValues random(6);
  int expressed = 0;
  const std::vector<Shape> shapes{{24},    {2, 2, 6}, {4, 2, 3},    {4, 3, 2},
                                  {2, 12}, {8, 3},    {1, 4, 6, 1}, {6, 4}};
  for (int trial = 0; trial < 4 * kTrials; ++trial) {
    const Value value = random.below(2) == 0 ? random.cut_view(kShape) : random.value(kShape);
    const auto reshaped = reshape(value, shapes[static_cast<size_t>(random.below(8))]);
    if (!reshaped) continue;
    ++expressed;
    expect_well_formed(*reshaped);
    ASSERT_EQ(elements(*reshaped), elements(value));
  }
  EXPECT_GT(expressed, kTrials);
}

TEST(Value, ConcatenationPutsTheSecondBehindTheFirst) {
  RandomValues random(7);
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto d = static_cast<size_t>(random.below(2));
    std::vector<Value> values{random.value(kShape), random.value(kShape), random.value(kShape)};
    const Value joined = concat(values, static_cast<int64_t>(d));
    expect_well_formed(joined);
    for_each_cell(joined.shape, [&](const Shape& at) {
      Shape source = at;
      const auto p = static_cast<size_t>(at[d] / kShape[d]);
      source[d] %= kShape[d];
      ASSERT_EQ(element_of(joined, at), element_of(values[p], source));
    });
  }
}

TEST(Value, SumsAndScalesAreElementwise) {
  RandomValues random(8);
  for (int trial = 0; trial < kTrials; ++trial) {
    const Value a = random.cut_view(kShape), b = random.cut_view(kShape);
    const Value doubled = add({a, a});
    ASSERT_EQ(elements(doubled), elements(scale(a, 2)));
    const Value nothing = add({a, b, scale(a, -1), scale(b, -1)});
    for (const Element& element : elements(nothing)) ASSERT_TRUE(element.empty());
  }
}

TEST(Value, EqualValuesHaveEqualElements) {
  RandomValues random(9);
  for (int trial = 0; trial < 4 * kTrials; ++trial) {
    const Value a = random.cut_view({2, 2}), b = random.cut_view({2, 2});
    if (equal(a, b)) {
      ASSERT_EQ(elements(a), elements(b));
    }
    ASSERT_TRUE(equal(a, cut(a, random.positions({2, 2}))));
  }
}

}  // namespace
}  // namespace assay::test
