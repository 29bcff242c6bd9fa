#include "dynamic_check/relate/clean_eval.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "dynamic_check/numbers/numbers.h"
#include "shared_ir/clean_value.h"

namespace assay {
namespace {

Shape shape_of_tensor(const at::Tensor& tensor) { return tensor.sizes().vec(); }

// What clean_value() asks for.
struct TorchTensors {
  using Tensor = at::Tensor;

  static Tensor concat(std::span<const Tensor> pieces, int64_t dim) {
    return at::cat(at::TensorList(pieces.data(), pieces.size()), dim);
  }
  static Tensor slice(const Tensor& x, int64_t dim, int64_t start, int64_t size) {
    return x.narrow(dim, start, size);
  }
  static Tensor sum(std::span<const Tensor> operands) {
    Tensor result = operands.front().clone();
    for (const Tensor& operand : operands.subspan(1)) result.add_(operand);
    return result;
  }
  static Tensor permute(const Tensor& x, const std::vector<int64_t>& dims) {
    return x.permute(dims);
  }
  static Tensor reshape(const Tensor& x, const Shape& shape) { return x.reshape(shape); }
  static Tensor pad(const Tensor& x, int64_t dim, int64_t before, int64_t after) {
    // The list starts at the last dimension.
    std::vector<int64_t> sides(2 * static_cast<size_t>(x.dim() - dim), 0);
    sides[sides.size() - 2] = before;
    sides[sides.size() - 1] = after;
    return at::constant_pad_nd(x, sides, 0);
  }
  static Tensor scale(const Tensor& x, int64_t numerator, int64_t denominator) {
    return x * static_cast<double>(numerator) / static_cast<double>(denominator);
  }
};

// Random multiples of the value that are half as large as it when `others` of them are added up: of
// both signs, element by element, so that a function of them is none of their sum, and so small
// that adding them and the rest up in any order rounds little more than the rest alone.
at::Tensor random_summand(const at::Tensor& value, size_t others, const RandomKey& key) {
  const at::Tensor factors = symmetric_tensor(key, value.sizes().vec());
  if (!value.is_floating_point()) return (factors * 3).to(value.scalar_type());
  const double scale = std::sqrt(3.0) / (2 * std::sqrt(static_cast<double>(others)));
  return (value.to(at::kDouble) * factors * scale).to(value.scalar_type());
}

}  // namespace

at::Tensor evaluate(const CleanExpr& expr,
                    const std::function<at::Tensor(const RankTensorName&)>& leaf) {
  std::map<RankTensorName, at::Tensor> leaves;
  const auto find = [&](const std::string& name, Rank rank) -> const at::Tensor& {
    auto found = leaves.find({name, rank});
    if (found == leaves.end())
      found = leaves.emplace(RankTensorName{name, rank}, leaf({name, rank})).first;
    return found->second;
  };
  infer_shape(expr,
              [&](const std::string& name, Rank rank) { return shape_of_tensor(find(name, rank)); },
              {});
  return clean_value(TorchTensors{}, expr, find);
}

void Parts::hand_out(const CleanExpr& expr, const at::Tensor& whole,
                     const std::function<Shape(const RankTensorName&)>& shape_of,
                     const SourcePlace& place) {
  const Shape shape = infer_shape(
      expr, [&](const std::string& name, Rank rank) { return shape_of({name, rank}); }, place);
  if (shape != shape_of_tensor(whole)) {
    throw UserError(
        place, fmt::format("{} has shape [{}], the sequential tensor has [{}]", to_string(expr),
                           fmt::join(shape, ", "), fmt::join(whole.sizes(), ", ")));
  }
  push(expr, whole, at::ones_like(whole, whole.options().dtype(at::kBool)), shape_of, place);
}

void Parts::push(const CleanExpr& expr, const at::Tensor& value, const at::Tensor& known,
                 const std::function<Shape(const RankTensorName&)>& shape_of,
                 const SourcePlace& place) {
  auto operand_shape = [&](const CleanExpr& operand) {
    return infer_shape(
        operand, [&](const std::string& name, Rank rank) { return shape_of({name, rank}); }, place);
  };
  switch (expr.kind) {
    case CleanExpr::Kind::kTensor: {
      auto [found, is_new] =
          parts_.try_emplace({expr.name, expr.rank}, Part{value.clone(), known.clone(), place});
      if (is_new) return;
      Part& part = found->second;
      const at::Tensor both = part.known.logical_and(known);
      if (part.value.ne(value).logical_and(both).any().item<bool>()) {
        throw UserError(
            place,
            fmt::format("the input relation gives an element of {}@{} two different values",
                        expr.name, expr.rank),
            part.place.known() ? "the other one is at " + to_string(part.place) : std::string());
      }
      part.value = at::where(known, value, part.value);
      part.known = part.known.logical_or(known);
      return;
    }
    case CleanExpr::Kind::kConcat: {
      int64_t start = 0;
      for (const CleanExpr& operand : expr.operands) {
        const int64_t size = operand_shape(operand).at(static_cast<size_t>(expr.dim));
        push(operand, value.narrow(expr.dim, start, size), known.narrow(expr.dim, start, size),
             shape_of, place);
        start += size;
      }
      return;
    }
    case CleanExpr::Kind::kSlice: {
      const CleanExpr& operand = expr.operands.front();
      const Shape shape = operand_shape(operand);
      at::Tensor whole = at::zeros(shape, value.options());
      at::Tensor mask = at::zeros(shape, known.options());
      whole.narrow(expr.dim, expr.start, expr.end - expr.start).copy_(value);
      mask.narrow(expr.dim, expr.start, expr.end - expr.start).copy_(known);
      return push(operand, whole, mask, shape_of, place);
    }
    case CleanExpr::Kind::kSum: {
      const size_t others = expr.operands.size() - 1;
      at::Tensor rest = value.is_floating_point() ? value.to(at::kDouble) : value;
      for (size_t i = 0; i < others; ++i) {
        const RandomKey key{seed_, fmt::format("split {}", splits_++)};
        const at::Tensor part = random_summand(value, others, key);
        rest = rest - part;
        push(expr.operands[i], part, known, shape_of, place);
      }
      return push(expr.operands.back(), rest.to(value.scalar_type()), known, shape_of, place);
    }
    case CleanExpr::Kind::kPermute: {
      std::vector<int64_t> inverse(expr.dims.size());
      for (size_t i = 0; i < expr.dims.size(); ++i)
        inverse[static_cast<size_t>(expr.dims[i])] = static_cast<int64_t>(i);
      return push(expr.operands.front(), value.permute(inverse), known.permute(inverse), shape_of,
                  place);
    }
    case CleanExpr::Kind::kReshape: {
      const Shape shape = operand_shape(expr.operands.front());
      return push(expr.operands.front(), value.reshape(shape), known.reshape(shape), shape_of,
                  place);
    }
    case CleanExpr::Kind::kPad: {
      const CleanExpr& operand = expr.operands.front();
      const int64_t size = operand_shape(operand).at(static_cast<size_t>(expr.dim));
      return push(operand, value.narrow(expr.dim, expr.start, size),
                  known.narrow(expr.dim, expr.start, size), shape_of, place);
    }
    case CleanExpr::Kind::kScale: {
      const double inverse =
          static_cast<double>(expr.denominator) / static_cast<double>(expr.numerator);
      return push(expr.operands.front(), value * inverse, known, shape_of, place);
    }
  }
}

std::map<RankTensorName, at::Tensor> Parts::take() {
  std::map<RankTensorName, at::Tensor> result;
  for (auto& [name, part] : parts_) {
    at::Tensor value = part.value;
    if (value.is_floating_point() && !part.known.all().item<bool>()) {
      const RandomKey key{seed_, fmt::format("unmentioned {}@{}", name.first, name.second)};
      const at::Tensor noise = normal_tensor(key, value.sizes().vec()).to(value.scalar_type());
      value = at::where(part.known, value, noise);
    }
    result.emplace(name, value.contiguous());
  }
  parts_.clear();
  return result;
}

}  // namespace assay
