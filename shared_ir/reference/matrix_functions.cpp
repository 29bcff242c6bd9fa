#include "shared_ir/reference/matrix_functions.h"

#include <cmath>
#include <unordered_map>
#include <utility>

namespace assay::reference {
namespace {

using Blocks = std::span<const Block>;

size_t rows(const Block& matrix) { return static_cast<size_t>(matrix.shape[0]); }

// A matrix beside right sides, while it becomes an upper triangle; and its determinant.
class Elimination {
 public:
  Elimination(Block matrix, std::vector<double> right)
      : n_(rows(matrix)), a_(std::move(matrix.values)), b_(std::move(right)) {
    for (size_t column = 0; column < n_; ++column) {
      pivot(column);
      for (size_t row = column + 1; row < n_; ++row) {
        const double factor = at(row, column) / at(column, column);
        for (size_t k = column; k < n_; ++k) at(row, k) -= factor * at(column, k);
        if (!b_.empty()) b_[row] -= factor * b_[column];
      }
    }
  }

  double determinant() {
    double product = sign_;
    for (size_t i = 0; i < n_; ++i) product *= at(i, i);
    return product;
  }

  std::vector<double> solution() {
    for (size_t row = n_; row-- > 0;) {
      for (size_t k = row + 1; k < n_; ++k) b_[row] -= at(row, k) * b_[k];
      b_[row] /= at(row, row);
    }
    return b_;
  }

 private:
  double& at(size_t row, size_t column) { return a_[row * n_ + column]; }

  void pivot(size_t column) {
    size_t best = column;
    for (size_t row = column + 1; row < n_; ++row)
      if (std::abs(at(row, column)) > std::abs(at(best, column))) best = row;
    if (best == column) return;
    for (size_t k = 0; k < n_; ++k) std::swap(at(best, k), at(column, k));
    if (!b_.empty()) std::swap(b_[best], b_[column]);
    sign_ = -sign_;
  }

  size_t n_;
  std::vector<double> a_, b_;
  double sign_ = 1;
};

void solve(const FunctionName&, Blocks in, Block& out) {
  out.values = Elimination(in[0], in[1].values).solution();
}

void det(const FunctionName&, Blocks in, Block& out) {
  out.values[0] = Elimination(in[0], {}).determinant();
}

void solve_triangular(const FunctionName& fn, Blocks in, Block& out) {
  const bool upper = fn.text(0) == "true", unit = fn.text(1) == "true";
  const size_t n = rows(in[0]);
  out.values = in[1].values;
  for (size_t step = 0; step < n; ++step) {
    const size_t row = upper ? n - 1 - step : step;
    for (size_t known = 0; known < step; ++known) {
      const size_t k = upper ? n - 1 - known : known;
      out.values[row] -= in[0].values[row * n + k] * out.values[k];
    }
    if (!unit) out.values[row] /= in[0].values[row * n + row];
  }
}

const std::unordered_map<std::string_view, BlockFunction> kMatrixFunctions = {
    {"solve", solve},
    {"solve_triangular", solve_triangular},
    {"det", det},
};

}  // namespace

BlockFunction find_matrix_function(std::string_view name) {
  const auto found = kMatrixFunctions.find(name);
  return found == kMatrixFunctions.end() ? nullptr : found->second;
}

}  // namespace assay::reference
