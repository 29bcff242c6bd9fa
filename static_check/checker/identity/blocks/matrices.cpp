#include "static_check/checker/identity/blocks/matrices.h"

#include <algorithm>
#include <utility>

namespace assay::checker::identity {
namespace {

using Row = std::vector<Number>;

constexpr size_t kMostRows = 32;

std::vector<Row> rows_of(const NumberBlock& of) {
  const auto n = static_cast<size_t>(of.shape[0]);
  std::vector<Row> rows;
  for (auto at = of.values.begin(); rows.size() < n; at += static_cast<std::ptrdiff_t>(n))
    rows.emplace_back(at, at + static_cast<std::ptrdiff_t>(n));
  return rows;
}

// x less the sum of a[i] b[i] over these places.
Number less_products(Algebra& a, const Number& x, const Row& row, const Row& by,
                     const std::vector<size_t>& places) {
  Row terms{x};
  for (const size_t i : places) terms.push_back(a.negated(a.multiply(row[i], by[i])));
  return a.sum(terms);
}

// Gauss and Jordan: each row is made 1 on the diagonal and 0 elsewhere, with what stands at its
// right. The determinant; 0 where a column has nothing to divide by.
Number reduce(Algebra& a, std::vector<Row> rows, Row* right) {
  const size_t n = rows.size();
  Number determinant = a.exact(Rational(1));
  for (size_t column = 0; column < n; ++column) {
    const auto other = std::find_if(rows.begin() + static_cast<std::ptrdiff_t>(column), rows.end(),
                                    [&](const Row& row) { return row[column].value.r != 0; });
    if (other == rows.end()) return a.exact(Rational(0));
    const auto pivot = static_cast<size_t>(other - rows.begin());
    if (pivot != column) {
      std::swap(rows[pivot], rows[column]);
      if (right != nullptr) std::swap((*right)[pivot], (*right)[column]);
      determinant = a.negated(determinant);
    }
    const Number inverse = a.reciprocal(rows[column][column]);
    determinant = a.multiply(determinant, rows[column][column]);
    for (Number& x : rows[column]) x = a.multiply(x, inverse);
    if (right != nullptr) (*right)[column] = a.multiply((*right)[column], inverse);
    for (size_t row = 0; row < n; ++row) {
      if (row == column) continue;
      const Number factor = rows[row][column];
      for (size_t k = column; k < n; ++k)
        rows[row][k] = a.subtract(rows[row][k], a.multiply(factor, rows[column][k]));
      if (right != nullptr)
        (*right)[row] = a.subtract((*right)[row], a.multiply(factor, (*right)[column]));
    }
  }
  return determinant;
}

Row solve(Algebra& a, const NumberBlock& matrix, Row right) {
  if (reduce(a, rows_of(matrix), &right).value.r == 0)
    right.assign(right.size(), Algebra::undefined());
  return right;
}

Row solve_triangular(Algebra& a, const Use& use, const NumberBlock& matrix, Row right) {
  const bool upper = use.fn.text(0) == "true", unit = use.fn.text(1) == "true";
  const std::vector<Row> rows = rows_of(matrix);
  std::vector<size_t> known;
  for (size_t step = 0; step < rows.size(); ++step) {
    const size_t at = upper ? rows.size() - 1 - step : step;
    right[at] = less_products(a, right[at], rows[at], right, known);
    if (!unit) right[at] = a.multiply(right[at], a.reciprocal(rows[at][at]));
    known.push_back(at);
  }
  return right;
}

}  // namespace

bool matrix_function(Algebra& algebra, const Use& use, std::span<const NumberBlock> of,
                     NumberBlock& out) {
  const std::string_view name = use.fn.name;
  if (name != "solve" && name != "solve_triangular" && name != "det") return false;
  if (of[0].shape.empty() || of[0].shape[0] > static_cast<PlainInt>(kMostRows)) return false;
  Dependence all;
  for (const NumberBlock& operand : of) {
    for (const Number& x : operand.values)
      if (!x.is_finite() || is_integer_type(x.type)) return false;
    all = algebra.either(all, algebra.all(operand.values));
  }
  if (name == "det")
    out.values = {reduce(algebra, rows_of(of[0]), nullptr)};
  else if (name == "solve")
    out.values = solve(algebra, of[0], of[1].values);
  else
    out.values = solve_triangular(algebra, use, of[0], of[1].values);
  // The rows to divide by are others in other cases.
  if (algebra.cases() != nullptr)
    for (Number& x : out.values) x.depends = algebra.function_of(all);
  return true;
}

}  // namespace assay::checker::identity
