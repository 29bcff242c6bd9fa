// Bits of integers: fields that are packed into one, taken out again and given a sign; bitwise
// functions of two integers; ceilings.
#include <gtest/gtest.h>

#include "tests/static_check/integer_formulas.h"

namespace assay::test {
namespace {

constexpr DType kWide[] = {DType::kInt32, DType::kInt64};
constexpr DType kSignedTypes[] = {DType::kInt8, DType::kInt32, DType::kInt64};
constexpr DType kAll[] = {DType::kUint8, DType::kInt8, DType::kInt32, DType::kInt64};

TensorRef first(Integers& i, TensorRef x, TensorRef) { return i.times(x, 1); }

TEST(PackedIntegers, AFieldIsTakenOutAsItWasPutIn) {
  const auto packed = [](int above, int mask) {
    return [=](Integers& i, TensorRef x, TensorRef y) {
      return i.either(i.masked(x, mask), i.left(i.masked(y, 15), above));
    };
  };
  const auto taken = [=](int above, int mask, int at) {
    return [=](Integers& i, TensorRef x, TensorRef y) {
      return i.masked(i.right(packed(above, mask)(i, x, y), at), 15);
    };
  };
  const auto low = [](Integers& i, TensorRef x, TensorRef) { return i.masked(x, 15); };
  const auto high = [](Integers& i, TensorRef, TensorRef y) { return i.masked(y, 15); };
  for (const DType dtype : kWide) {
    EXPECT_TRUE(agree_on_pairs(dtype, taken(4, 15, 0), low));
    EXPECT_TRUE(agree_on_pairs(dtype, taken(4, 15, 4), high));
    EXPECT_FALSE(agree_on_pairs(dtype, taken(4, 31, 4), high));  // fields that overlap
    EXPECT_FALSE(agree_on_pairs(dtype, taken(3, 15, 3), high));
    EXPECT_FALSE(agree_on_pairs(dtype, taken(4, 15, 3), high));
    EXPECT_FALSE(agree_on_pairs(dtype, taken(4, 15, 0), high));
  }
  EXPECT_TRUE(agree_on_pairs(DType::kUint8, taken(4, 15, 4), high));
}

TEST(PackedIntegers, FieldsThatDoNotOverlapAddUp) {
  const auto joined = [](const char* op, int above) {
    return [=](Integers& i, TensorRef x, TensorRef y) {
      return i(op, i.masked(x, 15), i.left(i.masked(y, 7), above));
    };
  };
  for (const DType dtype : kWide) {
    EXPECT_TRUE(agree_on_pairs(dtype, joined("bitwise_or.Tensor", 4), joined("add.Tensor", 4)));
    EXPECT_TRUE(agree_on_pairs(dtype, joined("bitwise_xor.Tensor", 4), joined("add.Tensor", 4)));
    EXPECT_FALSE(agree_on_pairs(dtype, joined("bitwise_or.Tensor", 3), joined("add.Tensor", 3)));
  }
}

// Of four bits.
TEST(PackedIntegers, AFieldsHighestBitIsItsSign) {
  const auto turned = [](int bits) {
    return [=](Integers& i, TensorRef x) {
      return i.minus(i("bitwise_xor.Scalar", i.masked(x, 15), bits), bits);
    };
  };
  const auto chosen = [](int from) {
    return [=](Integers& i, TensorRef x) {
      const TensorRef field = i.masked(x, 15);
      return i.where(i.flag("ge.Scalar", field, from), i.minus(field, 16), field);
    };
  };
  const auto tested = [](int bit) {
    return [=](Integers& i, TensorRef x) {
      const TensorRef field = i.masked(x, 15);
      return i.where(i.flag("ne.Scalar", i.masked(x, bit), 0), i.minus(field, 16), field);
    };
  };
  const auto shifted = [](int by) {
    return [=](Integers& i, TensorRef x) { return i.right(i.left(x, by), by); };
  };
  for (const DType dtype : {DType::kInt8, DType::kInt32, DType::kInt64}) {
    EXPECT_FALSE(agree(dtype, turned(8), chosen(7)));
    EXPECT_FALSE(agree(dtype, turned(8), tested(4)));
    EXPECT_FALSE(agree(dtype, turned(4), chosen(8)));
  }
  EXPECT_TRUE(agree(DType::kInt8, turned(8), shifted(4)));
  EXPECT_TRUE(agree(DType::kInt32, turned(8), shifted(28)));
  EXPECT_FALSE(agree(DType::kInt32, turned(8), shifted(4)));
  EXPECT_FALSE(agree(DType::kUint8, turned(8), shifted(4)));
  EXPECT_FALSE(agree(DType::kInt8, turned(8), shifted(3)));
}

// Without the mask it is one of small numbers alone.
TEST(PackedIntegers, ASignIsTakenOfAFieldOnly) {
  const auto turned = [](Integers& i, TensorRef x) {
    return i.minus(i("bitwise_xor.Scalar", x, 8), 8);
  };
  const auto chosen = [](Integers& i, TensorRef x) {
    return i.where(i.flag("ge.Scalar", x, 8), i.minus(x, 16), x);
  };
  for (const DType dtype : kAll) EXPECT_FALSE(agree(dtype, turned, chosen));
}

TEST(PackedIntegers, BitsOfTwoAddUp) {
  const auto sum = [](Integers& i, TensorRef x, TensorRef y) { return i.plus(x, y); };
  const auto either_and_both = [](int times) {
    return [=](Integers& i, TensorRef x, TensorRef y) {
      return i.plus(i.either(x, y), i.times(i.both(x, y), times));
    };
  };
  const auto differing_and_both = [](int times) {
    return [=](Integers& i, TensorRef x, TensorRef y) {
      return i.plus(i.differing(x, y), i.times(i.both(x, y), times));
    };
  };
  const auto twice = [](Integers& i, TensorRef x, TensorRef y) {
    return i.differing(i.differing(x, y), y);
  };
  for (const DType dtype : kSignedTypes) {
    EXPECT_TRUE(agree_on_pairs(dtype, sum, either_and_both(1)));
    EXPECT_TRUE(agree_on_pairs(dtype, sum, differing_and_both(2)));
    EXPECT_TRUE(agree_on_pairs(dtype, twice, first));
    EXPECT_FALSE(agree_on_pairs(dtype, sum, either_and_both(2)));
    EXPECT_FALSE(agree_on_pairs(dtype, sum, differing_and_both(1)));
  }
}

TEST(PackedIntegers, BitsOfTwoHaveNoOrder) {
  const auto both = [](bool turned, int of_x, int of_y) {
    return [=](Integers& i, TensorRef x, TensorRef y) {
      const TensorRef a = i.times(turned ? y : x, turned ? of_y : of_x);
      const TensorRef b = i.times(turned ? x : y, turned ? of_x : of_y);
      return i.both(a, b);
    };
  };
  for (const DType dtype : kWide) {
    EXPECT_TRUE(agree_on_pairs(dtype, both(false, 3, 5), both(true, 3, 5)));
    EXPECT_FALSE(agree_on_pairs(dtype, both(false, 3, 5), both(true, 5, 3)));
  }
}

TEST(PackedIntegers, AllBitsInvertedIsTheNegativeLessOne) {
  const auto inverted = [](int plus) {
    return [=](Integers& i, TensorRef x) { return i.plus(i.inverted(x), plus); };
  };
  const auto negative = [](Integers& i, TensorRef x) { return i.negative(x); };
  for (const DType dtype : kSignedTypes) {
    EXPECT_TRUE(agree(dtype, inverted(1), negative));
    EXPECT_FALSE(agree(dtype, inverted(2), negative));
  }
  const auto difference = [](Integers& i, TensorRef x, TensorRef y) { return i.minus(x, y); };
  const auto inside = [](bool second) {
    return [=](Integers& i, TensorRef x, TensorRef y) {
      return i.inverted(i.plus(i.inverted(second ? y : x), second ? x : y));
    };
  };
  EXPECT_FALSE(agree_on_pairs(DType::kInt64, difference, inside(true)));
  // De Morgan's laws.
  const auto neither = [](Integers& i, TensorRef x, TensorRef y) {
    return i.inverted(i.either(x, y));
  };
  const auto both_inverted = [](Integers& i, TensorRef x, TensorRef y) {
    return i.both(i.inverted(x), i.inverted(y));
  };
  const auto one_inverted = [](Integers& i, TensorRef x, TensorRef y) {
    return i.both(i.inverted(x), y);
  };
  for (const DType dtype : kAll) {
    EXPECT_TRUE(agree_on_pairs(dtype, neither, both_inverted));
    EXPECT_FALSE(agree_on_pairs(dtype, neither, one_inverted));
  }
}

TEST(PackedIntegers, TheLowestBitIsWhatTheNegativeHasToo) {
  const auto cleared = [](int less) {
    return [=](Integers& i, TensorRef x) { return i.both(x, i.minus(x, less)); };
  };
  const auto without_lowest = [](Integers& i, TensorRef x) {
    return i.minus(x, i.both(x, i.negative(x)));
  };
  for (const DType dtype : kWide) {
    EXPECT_TRUE(agree(dtype, cleared(1), without_lowest));
    EXPECT_FALSE(agree(dtype, cleared(2), without_lowest));
  }
}

TEST(PackedIntegers, TheSignIsAllBitsOfAShift) {
  const auto shifted = [](int by) {
    return [=](Integers& i, TensorRef x) { return i.right(x, by); };
  };
  const auto flag = [](const char* op) {
    return [=](Integers& i, TensorRef x) { return i.negative(i.of_flag(i.flag(op, x, 0))); };
  };
  EXPECT_TRUE(agree(DType::kInt32, shifted(31), flag("lt.Scalar")));
  EXPECT_TRUE(agree(DType::kInt8, shifted(7), flag("lt.Scalar")));
  EXPECT_FALSE(agree(DType::kInt32, shifted(31), flag("le.Scalar")));
  EXPECT_FALSE(agree(DType::kInt32, shifted(30), flag("lt.Scalar")));
  EXPECT_FALSE(agree(DType::kUint8, shifted(7), flag("lt.Scalar")));
  const auto size = [](Integers& i, TensorRef x) { return i.alone("abs.default", x); };
  const auto turned = [](int by) {
    return [=](Integers& i, TensorRef x) {
      const TensorRef sign = i.right(x, by);
      return i.minus(i.differing(x, sign), sign);
    };
  };
  EXPECT_TRUE(agree(DType::kInt32, size, turned(31)));
  EXPECT_TRUE(agree(DType::kInt8, size, turned(7)));
  EXPECT_FALSE(agree(DType::kInt32, size, turned(30)));
}

TEST(PackedIntegers, ASumIsOddWhereOneIsOdd) {
  const auto low_bit = [](const char* op, int mask) {
    return [=](Integers& i, TensorRef x, TensorRef y) { return i.masked(i(op, x, y), mask); };
  };
  for (const DType dtype : kAll) {
    EXPECT_TRUE(agree_on_pairs(dtype, low_bit("add.Tensor", 1), low_bit("bitwise_xor.Tensor", 1)));
    EXPECT_TRUE(agree_on_pairs(dtype, low_bit("sub.Tensor", 1), low_bit("bitwise_xor.Tensor", 1)));
    EXPECT_FALSE(agree_on_pairs(dtype, low_bit("add.Tensor", 3), low_bit("bitwise_xor.Tensor", 3)));
    EXPECT_FALSE(agree_on_pairs(dtype, low_bit("add.Tensor", 1), low_bit("bitwise_or.Tensor", 1)));
  }
}

// Where the sums do not wrap, which the report lists.
TEST(PackedIntegers, ACeilingIsTheFloorOfTheNegative) {
  const auto above = [](int plus) {
    return [=](Integers& i, TensorRef x) { return i.quotient(i.plus(x, plus), 4); };
  };
  const auto negative = [](Integers& i, TensorRef x) {
    return i.negative(i.quotient(i.negative(x), 4));
  };
  EXPECT_TRUE(agree(DType::kInt64, above(3), negative));
  EXPECT_FALSE(agree(DType::kInt64, above(2), negative));
  EXPECT_FALSE(agree(DType::kInt64, above(4), negative));
  EXPECT_FALSE(agree(DType::kInt8, above(3), negative));  // 127 + 3 is -126
  const auto halves = [](int plus) {
    return [=](Integers& i, TensorRef x) {
      return i.plus(i.quotient(i.plus(x, plus), 2), i.quotient(x, 2));
    };
  };
  const auto itself = [](Integers& i, TensorRef x) { return i.times(x, 1); };
  EXPECT_TRUE(agree(DType::kInt64, halves(1), itself));
  EXPECT_FALSE(agree(DType::kInt64, halves(0), itself));
}

TEST(PackedIntegers, AMaskOfAMaskIsOne) {
  const auto twice = [](int a, int b) {
    return [=](Integers& i, TensorRef x) { return i.masked(i.masked(x, a), b); };
  };
  const auto once = [](int by) {
    return [=](Integers& i, TensorRef x) { return i.masked(x, by); };
  };
  for (const DType dtype : kAll) {
    EXPECT_TRUE(agree(dtype, twice(15, 3), once(3)));
    EXPECT_TRUE(agree(dtype, twice(15, 12), once(12)));
    EXPECT_FALSE(agree(dtype, twice(15, 3), once(15)));
    EXPECT_FALSE(agree(dtype, twice(12, 7), once(7)));
  }
}

TEST(PackedIntegers, SetBitsAreCountedByPairs) {
  const auto one_by_one = [](int bits) {
    return [=](Integers& i, TensorRef x) {
      TensorRef sum = i.masked(x, 1);
      for (int k = 1; k < bits; ++k) sum = i.plus(sum, i.masked(i.right(x, k), 1));
      return sum;
    };
  };
  const auto by_pairs = [](Integers& i, TensorRef x) {
    const TensorRef pairs = i.plus(i.masked(x, 5), i.masked(i.right(x, 1), 5));
    return i.plus(i.masked(pairs, 3), i.right(pairs, 2));
  };
  EXPECT_TRUE(agree(DType::kInt64, one_by_one(4), by_pairs));
  for (const DType dtype : kAll) {
    EXPECT_FALSE(agree(dtype, one_by_one(3), by_pairs));
  }
}

}  // namespace
}  // namespace assay::test
