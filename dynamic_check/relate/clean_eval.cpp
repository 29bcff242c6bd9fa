#include "dynamic_check/relate/clean_eval.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dynamic_check/numbers/random.h"

namespace assay {
namespace {

Shape shape_of_tensor(const at::Tensor& tensor) { return tensor.sizes().vec(); }

// at::constant_pad_nd's list starts at the last dimension.
std::vector<int64_t> pad_list(int64_t rank, int64_t dim, int64_t before, int64_t after) {
  std::vector<int64_t> pad(2 * static_cast<size_t>(rank - dim), 0);
  pad[pad.size() - 2] = before;
  pad[pad.size() - 1] = after;
  return pad;
}

at::Tensor evaluate_checked(const CleanExpr& expr,
                            const std::function<at::Tensor(const RankTensorName&)>& leaf) {
  if (expr.kind == CleanExpr::Kind::kTensor) return leaf({expr.name, expr.rank});
  std::vector<at::Tensor> operands;
  for (const CleanExpr& operand : expr.operands)
    operands.push_back(evaluate_checked(operand, leaf));
  const at::Tensor& first = operands.front();
  switch (expr.kind) {
    case CleanExpr::Kind::kTensor:
      break;
    case CleanExpr::Kind::kConcat:
      return at::cat(operands, expr.dim);
    case CleanExpr::Kind::kSlice:
      return first.narrow(expr.dim, expr.start, expr.end - expr.start);
    case CleanExpr::Kind::kSum: {
      at::Tensor sum = first.clone();
      for (size_t i = 1; i < operands.size(); ++i) sum.add_(operands[i]);
      return sum;
    }
    case CleanExpr::Kind::kPermute:
      return first.permute(expr.dims);
    case CleanExpr::Kind::kReshape:
      return first.reshape(expr.dims);
    case CleanExpr::Kind::kPad:
      return at::constant_pad_nd(first, pad_list(first.dim(), expr.dim, expr.start, expr.end), 0);
    case CleanExpr::Kind::kScale:
      return first * static_cast<double>(expr.numerator) / static_cast<double>(expr.denominator);
  }
  throw InternalError("unknown kind of clean expression");
}

}  // namespace

at::Tensor evaluate(const CleanExpr& expr,
                    const std::function<at::Tensor(const RankTensorName&)>& leaf) {
  std::map<RankTensorName, at::Tensor> leaves;
  auto find = [&](const RankTensorName& name) -> const at::Tensor& {
    auto found = leaves.find(name);
    if (found == leaves.end()) found = leaves.emplace(name, leaf(name)).first;
    return found->second;
  };
  infer_shape(
      expr, [&](const std::string& name, Rank rank) { return shape_of_tensor(find({name, rank})); },
      {});
  return evaluate_checked(expr, find);
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
      at::Tensor rest = value.clone();
      for (size_t i = 0; i + 1 < expr.operands.size(); ++i) {
        const at::Tensor part =
            normal_tensor({seed_, fmt::format("split {}", splits_++)}, value.sizes().vec())
                .to(value.scalar_type());
        rest = rest - part;
        push(expr.operands[i], part, known, shape_of, place);
      }
      return push(expr.operands.back(), rest, known, shape_of, place);
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
