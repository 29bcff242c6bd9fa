// Thin products are those of float64, whatever the matrix looks like in memory.
#include "dynamic_check/localize/thin_product.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dynamic_check/numbers/random.h"

namespace assay {
namespace {

std::vector<double> numbers(const at::Tensor& tensor) {
  const at::Tensor wide = tensor.to(at::kDouble).contiguous();
  return {wide.const_data_ptr<double>(), wide.const_data_ptr<double>() + wide.numel()};
}

void expect_product(const at::Tensor& matrix, const std::string& what) {
  const int64_t rows = matrix.size(0), columns = matrix.size(1);
  const at::Tensor vectors = normal_tensor({3, "vectors"}, {columns, kThin});
  const at::Tensor weights = normal_tensor({3, "weights"}, {columns}).square();
  const at::Tensor wide = matrix.to(at::kDouble);
  const std::vector<double> expected = numbers(at::matmul(wide, vectors));
  const std::vector<double> weighted = numbers(at::matmul(wide.square(), weights));
  const std::vector<double> plain = numbers(wide.square().sum(1));
  const ThinProduct with = thin_product(matrix, numbers(vectors), numbers(weights));
  const ThinProduct without = thin_product(matrix, numbers(vectors));
  ASSERT_EQ(with.products.size(), static_cast<size_t>(rows * kThin)) << what;
  ASSERT_EQ(with.squares.size(), static_cast<size_t>(rows)) << what;
  const double rounding = 1e-13 * static_cast<double>(columns);
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(with.products[i], expected[i], rounding) << what << " " << i;
    ASSERT_EQ(without.products[i], with.products[i]) << what << " " << i;
  }
  for (size_t i = 0; i < plain.size(); ++i) {
    ASSERT_NEAR(with.squares[i], weighted[i], rounding * 10) << what << " row " << i;
    ASSERT_NEAR(without.squares[i], plain[i], rounding * 10) << what << " row " << i;
  }
}

TEST(ThinProduct, IsThatOfFloat64ForAllSizes) {
  for (const int64_t rows : {1, 2, 3, 4, 5, 15, 16, 17, 19, 33, 64})
    for (const int64_t columns : {1, 7, 8, 9, 40, 300})
      expect_product(normal_tensor({1, "a"}, {rows, columns}).to(at::kFloat),
                     std::to_string(rows) + " x " + std::to_string(columns));
}

TEST(ThinProduct, TakesAMatrixAsItLiesInMemory) {
  const at::Tensor a = normal_tensor({1, "a"}, {38, 42}).to(at::kFloat);
  expect_product(a.t(), "transposed");
  expect_product(a.slice(0, 1, 37, 3), "every third row");
  expect_product(a.slice(1, 1, 41, 2), "every second column");
  expect_product(a[5].expand({20, 42}), "one row for all");
  expect_product(a.slice(1, 5, 6).expand({38, 9}), "one column for all");
}

TEST(ThinProduct, WidensShortNumbers) {
  for (const at::ScalarType dtype : {at::kBFloat16, at::kHalf}) {
    const at::Tensor a = normal_tensor({1, "a"}, {21, 30}).to(dtype);
    expect_product(a, "row-major");
    expect_product(a.t(), "transposed");
  }
}

TEST(ThinProduct, OfNothingIsNothing) {
  EXPECT_TRUE(thin_product(at::empty({0, 4}), std::vector<double>(4 * kThin)).products.empty());
  const ThinProduct empty = thin_product(at::empty({3, 0}), {});
  EXPECT_EQ(empty.products, std::vector<double>(3 * kThin));
  EXPECT_EQ(empty.squares, std::vector<double>(3));
}

}  // namespace
}  // namespace assay
