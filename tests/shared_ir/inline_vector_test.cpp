// InlineVector holds what std::vector holds after the same operations, on either side of the number
// of elements that it has room for in itself.
#include "shared_ir/base/inline_vector.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace assay {
namespace {

// Long enough to own memory: a lost or doubled destructor shows under the sanitizers.
std::string text(int number) { return "element number " + std::to_string(number); }

using Texts = InlineVector<std::string, 2>;

std::vector<std::string> content(const Texts& texts) { return {texts.begin(), texts.end()}; }

TEST(InlineVector, HoldsWhatAVectorHoldsAfterTheSameOperations) {
  std::mt19937_64 random(7);
  const auto below = [&](size_t bound) { return static_cast<size_t>(random() % bound); };
  Texts texts;
  std::vector<std::string> expected;
  for (int step = 0; step < 20'000; ++step) {
    const std::string value = text(step);
    const auto at = static_cast<ptrdiff_t>(below(expected.size() + 1));
    switch (below(8)) {
      case 0:
        texts.push_back(value);
        expected.push_back(value);
        break;
      case 1:
        texts.insert(texts.begin() + at, value);
        expected.insert(expected.begin() + at, value);
        break;
      case 2: {
        const std::vector<std::string> more{value, text(-step), value};
        texts.insert(texts.begin() + at, more.begin(), more.end());
        expected.insert(expected.begin() + at, more.begin(), more.end());
        break;
      }
      case 3:
        if (expected.empty()) break;
        texts.pop_back();
        expected.pop_back();
        break;
      case 4:
        texts.erase(texts.begin(), texts.begin() + at);
        expected.erase(expected.begin(), expected.begin() + at);
        break;
      case 5: {
        const size_t size = below(6);
        texts.resize(size, value);
        expected.resize(size, value);
        break;
      }
      case 6: {
        Texts copy = texts;
        EXPECT_EQ(copy, texts);
        texts = std::move(copy);
        break;
      }
      case 7:
        erase_if(texts, [](const std::string& one) { return one.back() == '3'; });
        std::erase_if(expected, [](const std::string& one) { return one.back() == '3'; });
        break;
    }
    ASSERT_EQ(content(texts), expected) << step;
  }
}

TEST(InlineVector, AMovedFromVectorIsEmptyAndMayBeUsedAgain) {
  for (const size_t size : {1, 5}) {
    Texts from(size, text(1));
    const Texts to = std::move(from);
    EXPECT_EQ(to.size(), size);
    EXPECT_TRUE(from.empty());  // NOLINT: this is what is tested
    from.push_back(text(2));
    EXPECT_EQ(from.back(), text(2));
  }
}

TEST(InlineVector, AnElementOfItsOwnMayBeAddedWhenItGrows) {
  Texts texts{text(1), text(2)};
  texts.push_back(texts.front());
  EXPECT_EQ(content(texts), (std::vector<std::string>{text(1), text(2), text(1)}));
}

TEST(InlineVector, AssignmentToItselfChangesNothing) {
  Texts texts{text(1), text(2), text(3)};
  Texts& same = texts;
  texts = same;
  texts = std::move(same);
  EXPECT_EQ(texts.size(), 3u);
}

TEST(InlineVector, HoldsWhatCannotBeCopied) {
  InlineVector<std::unique_ptr<int>, 1> owners;
  for (int i = 0; i < 4; ++i) owners.emplace_back(std::make_unique<int>(i));
  const InlineVector<std::unique_ptr<int>, 1> moved = std::move(owners);
  EXPECT_EQ(*moved[3], 3);
}

}  // namespace
}  // namespace assay
