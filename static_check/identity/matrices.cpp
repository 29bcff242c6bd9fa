// Functions of one whole matrix by elimination: shared_ir/reference/matrix_functions.cpp over the
// algebra, whose numbers are 0 where the functions that they stand for are.
#include <algorithm>

#include "static_check/identity/functions.h"

namespace assay::identity {
namespace {

using NumberBlock = reference::TensorOf<Number>;

constexpr size_t kMostRows = 32;

class Matrix {
 public:
  Matrix(Algebra& algebra, const NumberBlock& of)
      : a_(algebra), n_(static_cast<size_t>(of.shape[0])), values_(of.values) {}

  size_t rows() const { return n_; }
  Number& at(size_t row, size_t column) { return values_[row * n_ + column]; }
  // less factor * by.
  void reduce(Number& number, const Number& factor, const Number& by) {
    number = a_.subtract(number, a_.multiply(factor, by));
  }

  // Makes an upper triangle of it. False where a column has nothing left to divide by.
  bool eliminate(std::vector<Number>& right) {
    for (size_t column = 0; column < n_; ++column) {
      size_t pivot = column;
      while (pivot < n_ && is_zero(at(pivot, column))) ++pivot;
      if (pivot == n_) return false;
      if (pivot != column) exchange(pivot, column, right);
      const Number inverse = a_.reciprocal(at(column, column));
      for (size_t row = column + 1; row < n_; ++row) {
        const Number factor = a_.multiply(at(row, column), inverse);
        for (size_t k = column; k < n_; ++k) reduce(at(row, k), factor, at(column, k));
        if (!right.empty()) reduce(right[row], factor, right[column]);
      }
    }
    return true;
  }

  Number determinant() {
    std::vector<Number> none;
    if (!eliminate(none)) return a_.constant(0);
    Number product = a_.constant(odd_ ? -1 : 1);
    for (size_t i = 0; i < n_; ++i) product = a_.multiply(product, at(i, i));
    return product;
  }

  void solve_triangle(bool upper, bool unit, std::vector<Number>& right) {
    for (size_t step = 0; step < n_; ++step) {
      const size_t row = upper ? n_ - 1 - step : step;
      for (size_t known = 0; known < step; ++known) {
        const size_t k = upper ? n_ - 1 - known : known;
        reduce(right[row], at(row, k), right[k]);
      }
      if (!unit) right[row] = a_.multiply(right[row], a_.reciprocal(at(row, row)));
    }
  }

 private:
  bool is_zero(const Number& x) { return a_.is_zero(x) || a_.settled(x).residue.value == 0; }

  void exchange(size_t row, size_t other, std::vector<Number>& right) {
    for (size_t k = 0; k < n_; ++k) std::swap(at(row, k), at(other, k));
    if (!right.empty()) std::swap(right[row], right[other]);
    odd_ = !odd_;
  }

  Algebra& a_;
  size_t n_;
  std::vector<Number> values_;
  bool odd_ = false;
};

}  // namespace

bool Functions::of_matrix(const reference::FunctionName& fn,
                          const std::vector<NumberBlock>& operands, NumberBlock& result) {
  static const std::set<std::string_view> kNames{"solve", "solve_triangular", "det"};
  if (!kNames.contains(fn.name)) return false;
  Dependence all;
  bool finite = true;
  for (const NumberBlock& operand : operands)
    for (const Number& number : operand.values) {
      finite = finite && number.is_finite();
      all = product(all, number.depends());
    }
  Matrix matrix(algebra_, operands[0]);
  if (!finite || matrix.rows() > kMostRows) return false;
  if (fn.name == "det") {
    result.values = {matrix.determinant()};
  } else {
    std::vector<Number> right = operands[1].values;
    const bool triangle = fn.name == "solve_triangular";
    const bool upper = !triangle || fn.text(0) == "true";
    if (!triangle && !matrix.eliminate(right))
      right.assign(right.size(), Algebra::undefined());
    else
      matrix.solve_triangle(upper, triangle && fn.text(1) == "true", right);
    result.values = std::move(right);
  }
  // Which rows are exchanged may differ from case to case.
  if (all.of != nullptr || all.below != nullptr || all.free_root != FreeRoot::kNone)
    for (Number& number : result.values) number = depending(number, function_of(all));
  return true;
}

}  // namespace assay::identity
