// Clean expressions over whatever stands for numbers.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shared_ir/clean_value.h"
#include "shared_ir/reference/movement.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::reference {

// Row-major tensors of numbers of an algebra:
//
//   Number zero(), add(a, b), scaled(a, Int numerator, Int denominator);
template <class Algebra>
class NumberTensors {
 public:
  using Tensor = TensorOf<typename Algebra::Number>;

  explicit NumberTensors(Algebra& algebra) : algebra_(algebra) {}

  Tensor concat(std::span<const Tensor> pieces, Int dim) const {
    Shape shape = pieces[0].shape;
    shape[dim] = 0;
    for (const Tensor& piece : pieces) shape[dim] += piece.shape[dim];
    Tensor out = zeros(std::move(shape));
    Int start = 0;
    for (const Tensor& piece : pieces) {
      place(piece, out, dim, start);
      start += piece.shape[dim];
    }
    return out;
  }
  Tensor slice(const Tensor& x, Int dim, Int start, Int size) const {
    const std::vector<Int> strides = strides_of(x.shape);
    Tensor out = zeros(x.shape, dim, size);
    read_strided(x, strides, start * strides[dim], out);
    return out;
  }
  Tensor sum(std::span<const Tensor> operands) const {
    Tensor out = zeros(operands[0].shape);
    for (const Tensor& operand : operands)
      for (size_t i = 0; i < out.values.size(); ++i)
        out.values[i] = algebra_.add(out.values[i], operand.values[i]);
    return out;
  }
  Tensor permute(const Tensor& x, const std::vector<Int>& dims) const {
    const std::vector<Int> own = strides_of(x.shape);
    std::vector<Int> strides;
    Shape shape;
    for (Int dim : dims) {
      strides.push_back(own[dim]);
      shape.push_back(x.shape[dim]);
    }
    Tensor out = zeros(std::move(shape));
    read_strided(x, strides, 0, out);
    return out;
  }
  static Tensor reshape(const Tensor& x, const Shape& shape) { return {shape, x.values}; }
  Tensor pad(const Tensor& x, Int dim, Int before, Int after) const {
    Tensor out = zeros(x.shape, dim, before + x.shape[dim] + after);
    place(x, out, dim, before);
    return out;
  }
  Tensor scale(Tensor x, Int numerator, Int denominator) const {
    for (auto& value : x.values) value = algebra_.scaled(value, numerator, denominator);
    return x;
  }

 private:
  Tensor zeros(Shape shape) const {
    Tensor out{std::move(shape), {}};
    out.values.assign(count_of(out.shape), algebra_.zero());
    return out;
  }
  Tensor zeros(Shape shape, Int dim, Int size) const {
    shape[dim] = size;
    return zeros(std::move(shape));
  }

  Algebra& algebra_;
};

// `leaf(name, rank)` is the value of a tensor. Throws UserError when shapes do not fit.
template <class Algebra, class Leaf>
TensorOf<typename Algebra::Number> evaluate(Algebra& algebra, const CleanExpr& expr,
                                            const Leaf& leaf) {
  infer_shape(expr, [&](const std::string& name, Rank rank) { return leaf(name, rank).shape; }, {});
  return clean_value(NumberTensors(algebra), expr, leaf);
}

}  // namespace assay::reference
