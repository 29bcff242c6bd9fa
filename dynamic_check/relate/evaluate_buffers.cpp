#include "dynamic_check/relate/evaluate_buffers.h"

#include <vector>

#include "shared_ir/clean_value.h"

namespace assay {
namespace {

// What clean_value() asks for.
struct Buffers {
  using Tensor = StridedBuffer;

  static Tensor concat(std::span<const Tensor> pieces, int64_t dim) {
    return assay::concat(pieces, dim);
  }
  static Tensor slice(const Tensor& x, int64_t dim, int64_t start, int64_t size) {
    return narrow(x, dim, start, size);
  }
  static Tensor sum(std::span<const Tensor> operands) { return assay::sum(operands); }
  static Tensor permute(const Tensor& x, const std::vector<int64_t>& dims) {
    return assay::permute(x, dims);
  }
  static Tensor reshape(const Tensor& x, const Shape& shape) { return assay::reshape(x, shape); }
  static Tensor pad(const Tensor& x, int64_t dim, int64_t before, int64_t after) {
    return assay::pad(x, dim, before, after);
  }
  static Tensor scale(const Tensor& x, int64_t numerator, int64_t denominator) {
    return assay::scale(x, static_cast<double>(numerator), static_cast<double>(denominator));
  }
};

}  // namespace

StridedBuffer evaluate_buffers(const CleanExpr& expr, const LeafBuffers& leaves) {
  return clean_value(Buffers{}, expr, [&](const std::string& name, Rank rank) -> const auto& {
    return *leaves.at({name, rank});
  });
}

StridedBuffer evaluate_step(const CleanExpr& expr, std::span<const StridedBuffer> operands) {
  return clean_step(Buffers{}, expr, operands);
}

}  // namespace assay
