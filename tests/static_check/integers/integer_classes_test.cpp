// Proof by evaluation of integers of which some values are told apart: those that a clamp leaves,
// and those that a program compares with.
#include <gtest/gtest.h>

#include "tests/static_check/integer_formulas.h"

namespace assay::test {
namespace {

TEST(IntegerClasses, AnIntegerIsOneOfThoseItIsComparedWith) {
  const auto flags = [](const char* op, int limit, const char* other, int beside) {
    return [=](Integers& n, TensorRef x) {
      return n.of_flag(n.both_flags(n.flag(op, x, limit), n.flag(other, x, beside)));
    };
  };
  const auto flag = [](const char* op, int limit) {
    return [=](Integers& n, TensorRef x) { return n.of_flag(n.flag(op, x, limit)); };
  };
  for (const DType dtype : {DType::kInt64, DType::kInt8}) {
    EXPECT_TRUE(agree(dtype, flags("eq.Scalar", 0, "ne.Scalar", 3), flag("eq.Scalar", 0)));
    EXPECT_TRUE(agree(dtype, flags("gt.Scalar", 2, "lt.Scalar", 4), flag("eq.Scalar", 3)));
    EXPECT_TRUE(agree(dtype, flags("ge.Scalar", 3, "gt.Scalar", 2), flag("gt.Scalar", 2)));
    EXPECT_FALSE(agree(dtype, flags("gt.Scalar", 2, "lt.Scalar", 5), flag("eq.Scalar", 3)));
    EXPECT_FALSE(agree(dtype, flags("eq.Scalar", 0, "ne.Scalar", 0), flag("eq.Scalar", 0)));
  }
  EXPECT_TRUE(agree(DType::kInt8, flags("gt.Scalar", 126, "ne.Scalar", 3), flag("eq.Scalar", 127)));
  EXPECT_FALSE(
      agree(DType::kInt64, flags("gt.Scalar", 126, "ne.Scalar", 3), flag("eq.Scalar", 127)));
}

/// Rows of a table at the indices, which are limited, and these so many more.
Formula rows_at(int low, int high, int more) {
  return [=](GraphBuilder& graph, TensorRef table, TensorRef ids) {
    Calls calls(graph, {3});
    const TensorRef limited = calls("clamp.default", {ids, low, high}, DType::kInt64);
    const TensorRef at = calls("add.Tensor", {limited, more}, DType::kInt64);
    const TensorRef part = calls.of_shape({5, 2}, "slice.Tensor", {table, 0, 0, 5});
    return calls.of_shape({3, 2}, "index_select.default", {part, 0, at});
  };
}

/// The same of the table from a later row on.
Formula rows_after(int low, int high, int first) {
  return [=](GraphBuilder& graph, TensorRef table, TensorRef ids) {
    Calls calls(graph, {3});
    const TensorRef limited = calls("clamp.default", {ids, low, high}, DType::kInt64);
    const TensorRef part = calls.of_shape({5 - first, 2}, "slice.Tensor", {table, 0, first, 5});
    return calls.of_shape({3, 2}, "index_select.default", {part, 0, limited});
  };
}

TEST(IntegerClasses, AClampLeavesFewIndices) {
  const auto equal = [](const Formula& a, const Formula& b) {
    return proves(formulas(a, b, {"table", {5, 2}}, {"ids", {3}, DType::kInt64}));
  };
  EXPECT_TRUE(equal(rows_at(0, 2, 1), rows_after(0, 2, 1)));
  EXPECT_TRUE(equal(rows_at(1, 3, 0), rows_at(1, 3, 0)));
  EXPECT_FALSE(equal(rows_at(0, 2, 1), rows_after(0, 2, 2)));
  EXPECT_FALSE(equal(rows_at(0, 2, 1), rows_after(0, 1, 1)));
  EXPECT_FALSE(equal(rows_at(0, 3, 1), rows_at(1, 4, 0)));
}

}  // namespace
}  // namespace assay::test
