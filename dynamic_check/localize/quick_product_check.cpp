#include "dynamic_check/localize/quick_product_check.h"

#include <ATen/DimVector.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/matmul.h>

#include <algorithm>
#include <array>
#include <span>

#include "dynamic_check/localize/thin_product.h"
#include "dynamic_check/numbers/numbers.h"

namespace assay {
namespace {

// Of the norm that is allowed: room for the chance in the error's estimate, and for rows in which
// the kernel rounds less than in the ones that were measured.
constexpr double kShare = 0.25;

// Of the rows, in which the kernel's own rounding is measured; at least so many.
constexpr int64_t kMeasuredPart = 16, kMeasuredRows = 32;

// One number a row of the product, batches one after the other.
using Rows = std::vector<double>;

double sum(const Rows& rows, int64_t begin, int64_t end) {
  double total = 0;
  for (int64_t i = begin; i < end; ++i) total += rows[static_cast<size_t>(i)];
  return total;
}

// Of a row, from kThin products of its error with the vectors.
double squared_norm(std::span<const double, kThin> products) {
  double squares = 0;
  for (const double product : products) squares += product * product;
  return squares / kThin;
}

// The matrices of a batch.
std::vector<at::Tensor> matrices_of(const at::Tensor& tensor) {
  if (tensor.dim() == 2) return {tensor};
  return tensor.flatten(0, -3).unbind(0);
}

class ProductCheck {
 public:
  ProductCheck(const ProductOperands& operands, const std::vector<at::Tensor>& arguments,
               const at::Tensor& actual, const ProductTolerance& tolerance)
      : a_(matrices_of(arguments.at(operands.first))),
        b_(matrices_of(arguments.at(operands.first + 1))),
        columns_(actual.size(-1)),
        rows_(actual.numel() / columns_),
        tolerance_(tolerance) {
    const at::Tensor normal = normal_tensor({tolerance.seed, "vectors"}, {columns_, kThin});
    const auto* data = normal.const_data_ptr<double>();
    vectors_.assign(data, data + normal.numel());
    std::vector<at::Tensor> added;
    if (operands.added) added = matrices_of(arguments.at(*operands.added).expand(actual.sizes()));
    const std::vector<at::Tensor> results = matrices_of(actual);
    for (size_t i = 0; i < results.size(); ++i)
      add_matrix(i, results[i], added.empty() ? at::Tensor() : added[i]);
  }

  bool is_right() const { return within(1) || within(1 + kernel_rounding()); }

 private:
  void add_matrix(size_t index, const at::Tensor& actual, const at::Tensor& added) {
    const ThinProduct b = thin_product(b_[index], vectors_);
    const ThinProduct a = thin_product(a_[index], b.products, b.squares);
    const ThinProduct c = thin_product(actual, vectors_);
    ThinProduct d;
    if (added.defined()) d = thin_product(added, vectors_);
    const double variance = tolerance_.roundoff * tolerance_.roundoff / 3;
    // The root mean square of adding up one after the other (fault_kind.h), in squares.
    const double adding = 0.16 * tolerance_.roundoff * tolerance_.roundoff *
                          static_cast<double>(a_[index].size(1)) / 2;
    for (size_t row = 0; row < c.squares.size(); ++row) {
      std::array<double, kThin> error{};
      for (size_t i = 0; i < kThin; ++i) {
        const size_t at = row * kThin + i;
        error[i] = c.products[at] - a.products[at] - (added.defined() ? d.products[at] : 0);
      }
      errors_.push_back(squared_norm(error));
      rounding_.push_back(variance * (2 * a.squares[row] + c.squares[row]));
      explained_.push_back(adding * std::max(a.squares[row], c.squares[row]));
    }
    if (index == 0) exact_of_first_ = a.products;
  }

  // The errors of every block and of the whole against the share of what rounding, times `raised`
  // in variance, allows. Of a block's rows that lie in it in part, the errors count whole and the
  // rounding not at all.
  bool within(double raised) const {
    const double share = kShare * kShare * raised;
    const double of_block = share * tolerance_.block_factor * tolerance_.block_factor;
    const double of_whole = share * tolerance_.whole_factor * tolerance_.whole_factor;
    if (!(sum(errors_, 0, rows_) <= of_whole * sum(rounding_, 0, rows_))) return false;
    const int64_t elements = rows_ * columns_, block = block_size(elements);
    for (int64_t begin = 0; begin < elements; begin += block) {
      const int64_t end = std::min(begin + block, elements);
      const double error = sum(errors_, begin / columns_, (end + columns_ - 1) / columns_);
      const double allowed =
          of_block * sum(rounding_, (begin + columns_ - 1) / columns_, end / columns_);
      if (!(error <= allowed)) return false;
    }
    return true;
  }

  // The variance of what the kernel itself rounds, over that of rounding factors and result.
  double kernel_rounding() const {
    const int64_t count = a_.front().size(0);
    const int64_t measured = std::min(std::max(count / kMeasuredPart, kMeasuredRows), count);
    const int64_t step = count / measured;
    const at::Tensor some = a_.front().slice(0, 0, measured * step, step).contiguous();
    const ThinProduct again = thin_product(at::matmul(some, b_.front()), vectors_);
    double error = 0, rounding = 0, explained = 0;
    for (size_t i = 0; i < again.squares.size(); ++i) {
      const size_t row = i * static_cast<size_t>(step);
      std::array<double, kThin> difference{};
      for (size_t k = 0; k < kThin; ++k)
        difference[k] = again.products[i * kThin + k] - exact_of_first_[row * kThin + k];
      error += squared_norm(difference);
      rounding += rounding_[row];
      explained += explained_[row];
    }
    return rounding > 0 ? std::min(error, explained) / rounding : 0;
  }

  const std::vector<at::Tensor> a_, b_;  // factors, by matrix of the batch
  const int64_t columns_, rows_;
  const ProductTolerance tolerance_;
  std::vector<double> vectors_, exact_of_first_;  // the first matrix of the batch times these
  Rows errors_;                                   // squared norms, estimated
  Rows rounding_;   // variance: factors and result rounded to the precision
  Rows explained_;  // variance: added up in the precision, one after the other
};

}  // namespace

bool product_is_right(const ProductOperands& operands, const std::vector<at::Tensor>& arguments,
                      const at::Tensor& actual, const ProductTolerance& tolerance) {
  const at::NoGradGuard no_grad;
  if (actual.numel() == 0 || actual.scalar_type() == at::kDouble) return false;
  const at::Tensor &a = arguments.at(operands.first), &b = arguments.at(operands.first + 1);
  const int64_t dims = actual.dim();
  if (dims < 2 || a.dim() != dims || b.dim() != dims) return false;
  at::DimVector shape(a.sizes());
  shape.back() = b.size(-1);
  if (actual.sizes() != at::IntArrayRef(shape)) return false;
  return ProductCheck(operands, arguments, actual, tolerance).is_right();
}

}  // namespace assay
