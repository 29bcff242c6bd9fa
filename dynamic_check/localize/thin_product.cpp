#include "dynamic_check/localize/thin_product.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstring>

#include "dynamic_check/buffers/buffers.h"
#include "shared_ir/base/error.h"

namespace assay {
namespace {

// Rows that share each load of the vectors; sums of that many fit the registers.
constexpr int64_t kRows = 4;

// As wide as the widest registers; narrower ones take several.
using Lanes [[gnu::vector_size(64)]] = double;
constexpr int64_t kLanes = 8, kGroups = kThin / kLanes;

// Of kRows rows, `stride` apart, of neighbouring elements; kThin products each.
ASSAY_VECTOR_CLONES
void multiply(const float* rows, int64_t stride, int64_t columns, const double* vectors,
              double* products) {
  Lanes sums[kRows][kGroups] = {};
  for (int64_t j = 0; j < columns; ++j) {
    Lanes of_vectors[kGroups];
    std::memcpy(of_vectors, vectors + j * kThin, sizeof(of_vectors));
    for (int64_t row = 0; row < kRows; ++row)
      for (int64_t group = 0; group < kGroups; ++group)
        sums[row][group] += static_cast<double>(rows[row * stride + j]) * of_vectors[group];
  }
  std::memcpy(products, sums, sizeof(sums));
}

// Of one row of neighbouring elements.
ASSAY_VECTOR_CLONES
double weighted_squares(const float* row, const double* weights, int64_t columns) {
  double sums[kLanes] = {};
  int64_t j = 0;
  for (; j + kLanes <= columns; j += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane)
      sums[lane] += static_cast<double>(row[j + lane]) * row[j + lane] * weights[j + lane];
  double sum = 0;
  for (; j < columns; ++j) sum += static_cast<double>(row[j]) * row[j] * weights[j];
  for (const double of_lane : sums) sum += of_lane;
  return sum;
}

// Rows of a matrix of float32 one at a time, of neighbouring elements.
class RowBlock {
 public:
  explicit RowBlock(const at::Tensor& matrix)
      : data_(matrix.const_data_ptr<float>()),
        columns_(matrix.size(1)),
        row_stride_(matrix.stride(0)),
        column_stride_(matrix.stride(1)) {
    if (column_stride_ != 1) copied_.resize(static_cast<size_t>(kBlock * columns_));
  }

  // As many as lie in a cache line where a column's elements are neighbours.
  static constexpr int64_t kBlock = 16;

  // Takes up rows `begin` and the following ones.
  void take(int64_t begin, int64_t count) {
    first_ = data_ + begin * row_stride_;
    stride_ = row_stride_;
    if (copied_.empty()) return;
    for (int64_t j = 0; j < columns_; ++j)
      for (int64_t row = 0; row < count; ++row)
        copied_[static_cast<size_t>(row * columns_ + j)] =
            first_[row * row_stride_ + j * column_stride_];
    first_ = copied_.data();
    stride_ = columns_;
  }

  const float* row(int64_t index) const { return first_ + index * stride_; }
  int64_t stride() const { return stride_; }

 private:
  const float* const data_;
  const int64_t columns_, row_stride_, column_stride_;
  std::vector<float> copied_;
  const float* first_ = nullptr;
  int64_t stride_ = 0;
};

}  // namespace

ThinProduct thin_product(const at::Tensor& matrix, const std::vector<double>& vectors,
                         const std::vector<double>& weights) {
  ASSAY_CHECK(matrix.dim() == 2 && matrix.is_floating_point() && matrix.is_cpu(),
              "thin products are of matrices");
  const at::Tensor values = matrix.to(at::kFloat);
  const int64_t count = values.size(0), columns = values.size(1);
  ASSAY_CHECK(static_cast<int64_t>(vectors.size()) == columns * kThin, "one row a column");
  const std::vector<double> ones(weights.empty() ? static_cast<size_t>(columns) : 0, 1.0);
  const double* factors = weights.empty() ? ones.data() : weights.data();
  ThinProduct result;
  result.products.resize(static_cast<size_t>(count * kThin));
  result.squares.resize(static_cast<size_t>(count));
  const int64_t blocks = (count + RowBlock::kBlock - 1) / RowBlock::kBlock;
  at::parallel_for(0, blocks, 1, [&](int64_t first, int64_t last) {
    RowBlock rows(values);
    for (int64_t block = first; block < last; ++block) {
      const int64_t begin = block * RowBlock::kBlock;
      const int64_t size = std::min(RowBlock::kBlock, count - begin);
      rows.take(begin, size);
      for (int64_t row = 0; row < size; ++row)
        result.squares[static_cast<size_t>(begin + row)] =
            weighted_squares(rows.row(row), factors, columns);
      // Rows before the last ones fill these up; fewer than kRows go one by one.
      const int64_t step = size < kRows ? 1 : kRows;
      for (int64_t row = 0; row < size; row += step) {
        const int64_t from = std::min(row, size - step);
        double products[kRows * kThin];
        multiply(rows.row(from), step == 1 ? 0 : rows.stride(), columns, vectors.data(), products);
        std::copy_n(products, step * kThin,
                    &result.products[static_cast<size_t>((begin + from) * kThin)]);
      }
    }
  });
  return result;
}

}  // namespace assay
