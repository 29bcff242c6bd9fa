// Restrictions against the set of label values that they let through, exhaustively.
#include "static_check/algebra/restriction.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "static_check/lift/lifting.h"

namespace assay::test {
namespace {

constexpr int64_t kLabelSize = 24;
constexpr int kRestrictionTrials = 4000;

bool holds(const Intervals& intervals, int64_t x) {
  for (const Interval& in : intervals) {
    if (in.lo <= x && x < in.hi) return true;
  }
  return false;
}

bool passes(const Restriction& r, int64_t label_value) {
  return holds(r.intervals, label_value / r.stride % r.radix);
}

std::vector<bool> allowed(const std::vector<Restriction>& restrictions, LabelId label) {
  std::vector<bool> result(kLabelSize, true);
  for (int64_t v = 0; v < kLabelSize; ++v) {
    for (const Restriction& r : restrictions) {
      if (r.label == label && !passes(r, v)) result[static_cast<size_t>(v)] = false;
    }
  }
  return result;
}

class RandomRestrictions {
 public:
  explicit RandomRestrictions(uint64_t seed) : random_(seed) {}

  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }

  Intervals intervals(int64_t size) {
    Intervals result;
    for (int64_t at = below(size); at < size; at += 1 + below(4)) {
      const int64_t end = std::min(size, at + 1 + below(6));
      result.push_back({at, end});
      at = end + 1;
    }
    if (result.empty()) result.push_back({0, 1});
    return result;
  }

  /// A digit of the label: strides and radices are divisors of its size.
  Restriction box(LabelId label) {
    constexpr int64_t digits[][2] = {{1, 24}, {1, 6},  {6, 4}, {1, 2}, {2, 3},
                                     {2, 12}, {12, 2}, {4, 6}, {1, 4}};
    const auto& digit = digits[below(std::size(digits))];
    Restriction r;
    r.label = label;
    r.stride = digit[0];
    r.radix = digit[1];
    r.intervals = intervals(r.radix);
    return r;
  }

 private:
  std::mt19937_64 random_;
};

TEST(Intervals, IntersectionUnionAndTheirTestsAreThoseOfSets) {
  RandomRestrictions random(1);
  for (int trial = 0; trial < kRestrictionTrials; ++trial) {
    const Intervals a = random.intervals(20), b = random.intervals(20);
    bool meets = false, within = true;
    for (int64_t x = -1; x <= 21; ++x) {
      ASSERT_EQ(holds(intersect(a, b), x), holds(a, x) && holds(b, x));
      ASSERT_EQ(holds(unite(a, b), x), holds(a, x) || holds(b, x));
      meets |= holds(a, x) && holds(b, x);
      within &= holds(a, x) || !holds(b, x);
    }
    ASSERT_EQ(disjoint(a, b), !meets);
    ASSERT_EQ(contains(a, b), within);
  }
}

TEST(Restrictions, NormalFormLetsTheSameLabelValuesThrough) {
  RandomRestrictions random(2);
  for (int trial = 0; trial < kRestrictionTrials; ++trial) {
    std::vector<Restriction> list;
    for (int64_t n = random.below(4); n >= 0; --n)
      list.push_back(random.box(static_cast<LabelId>(random.below(2))));
    const auto before0 = allowed(list, 0), before1 = allowed(list, 1);
    if (normalize(list)) {
      ASSERT_EQ(allowed(list, 0), before0);
      ASSERT_EQ(allowed(list, 1), before1);
    } else {
      const std::vector<bool> none(kLabelSize, false);
      ASSERT_TRUE(before0 == none || before1 == none);
    }
  }
}

TEST(Restrictions, AFullDomainIsDropped) {
  Restriction r;
  r.radix = 8;
  r.intervals = {{0, 8}};
  std::vector<Restriction> list{r};
  ASSERT_TRUE(normalize(list));
  EXPECT_TRUE(list.empty());
}

TEST(Restrictions, ADigitIsRewrittenToTheLowestStride) {
  Restriction r;
  r.stride = 4;
  r.radix = 6;
  r.intervals = {{1, 3}};
  std::vector<Restriction> list{r};
  ASSERT_TRUE(normalize(list));
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].stride, 1);
  EXPECT_EQ(list[0].radix, 24);
  EXPECT_EQ(list[0].intervals, (Intervals{{4, 12}}));
}

/// For every pair of label values, the coefficients that count, by atom.
std::map<std::vector<int64_t>, int64_t> weights(const std::vector<Term>& terms) {
  std::map<std::vector<int64_t>, int64_t> result;
  for (const Term& term : terms) {
    const auto a = allowed(term.restrictions, 0), b = allowed(term.restrictions, 1);
    for (int64_t v = 0; v < kLabelSize; ++v) {
      for (int64_t w = 0; w < kLabelSize; ++w) {
        if (!a[static_cast<size_t>(v)] || !b[static_cast<size_t>(w)]) continue;
        auto& weight = result[{term.atom, term.layout.offset, v, w}];
        weight += term.coef.numerator();
      }
    }
  }
  std::erase_if(result, [](const auto& entry) { return entry.second == 0; });
  return result;
}

TEST(Terms, CombiningLikeTermsKeepsTheSum) {
  RandomRestrictions random(3);
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<Term> terms;
    for (int64_t n = 1 + random.below(5); n > 0; --n) {
      Term term;
      term.coef = random.below(5) - 2;
      term.atom = static_cast<AtomId>(10 + random.below(2));
      term.layout.offset = random.below(2);
      for (int64_t k = random.below(3); k > 0; --k) {
        term.restrictions.push_back(random.box(static_cast<LabelId>(random.below(2))));
      }
      if (normalize(term.restrictions)) terms.push_back(std::move(term));
    }
    const auto before = weights(terms);
    combine(terms);
    ASSERT_EQ(weights(terms), before);
    for (const Term& term : terms) ASSERT_FALSE(term.coef.is_zero());
  }
}

TEST(Terms, DisjointPartsThatCoverTheLabelAreTheWhole) {
  std::vector<Term> terms(3);
  for (int64_t i = 0; i < 3; ++i) {
    Restriction r;
    r.radix = 24;
    r.intervals = {{8 * i, 8 * i + 8}};
    terms[static_cast<size_t>(i)].restrictions = {r};
  }
  auto two = std::vector<Term>{terms[0], terms[2]};
  combine(terms);
  ASSERT_EQ(terms.size(), 1u);
  EXPECT_TRUE(is_plain(terms[0]));
  combine(two);
  ASSERT_EQ(two.size(), 1u);
  EXPECT_FALSE(is_plain(two[0]));
}

TEST(Terms, PartsOfAMaximumAreNotAdded) {
  std::vector<Term> terms(2);
  for (int64_t i = 0; i < 2; ++i) {
    Restriction r;
    r.kind = Restriction::Kind::kMax;
    r.radix = 2;
    r.intervals = {{i, i + 1}};
    terms[static_cast<size_t>(i)].restrictions = {r};
  }
  combine(terms);
  EXPECT_EQ(terms.size(), 2u);
}

TEST(TakenDigits, AreTheLabelValuesOfTheBlock) {
  RandomRestrictions random(4);
  int taken = 0;
  for (int trial = 0; trial < kRestrictionTrials; ++trial) {
    Modes steps;
    for (int64_t n = random.below(3); n > 0; --n) {
      const int64_t multiples[] = {1, 2, 3, 4, 6, 8, 12};
      steps.push_back({2 + random.below(3), multiples[random.below(7)]});
    }
    const int64_t first = random.below(kLabelSize);
    std::map<int64_t, int> visits;
    std::vector<int64_t> values{first};
    for (const Mode& step : steps) {
      std::vector<int64_t> more;
      for (int64_t v : values) {
        for (int64_t i = 0; i < step.size; ++i) more.push_back(v + i * step.stride);
      }
      values = std::move(more);
    }
    bool inside = true;
    for (int64_t v : values) {
      ++visits[v];
      inside &= v < kLabelSize;
    }
    if (!inside) continue;
    const auto boxes = take_digits(0, kLabelSize, first, steps, Restriction::Kind::kBox);
    if (!boxes) continue;
    ++taken;
    const auto through = allowed(*boxes, 0);
    for (int64_t v = 0; v < kLabelSize; ++v) {
      ASSERT_EQ(through[static_cast<size_t>(v)] ? 1 : 0, visits.contains(v) ? visits[v] : 0)
          << "label value " << v << " of a block that begins at " << first;
    }
  }
  EXPECT_GT(taken, 500);
}

}  // namespace
}  // namespace assay::test
