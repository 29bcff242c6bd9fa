// Element by element: arithmetic, comparisons, choices, casts, and writes into memory.
#include <array>

#include "tests/fuzz/drawing/operator_drawing.h"

namespace assay::test {
namespace {

constexpr std::array kFunctions = {
    "exp",    "tanh", "sigmoid", "relu",        "silu",     "abs",       "sin",        "cos",
    "square", "erf",  "rsqrt",   "sqrt",        "log",      "log1p",     "reciprocal", "floor",
    "round",  "sign", "trunc",   "expm1",       "hardtanh", "hardswish", "softplus",   "leaky_relu",
    "elu",    "gelu", "mish",    "hardsigmoid", "ceil"};
constexpr std::array kLinear = {"neg", "clone", "detach"};
constexpr std::array kBinary = {"mul.Tensor", "div.Tensor", "maximum.default", "minimum.default",
                                "mul.Tensor"};
constexpr std::array kCompare = {"eq", "ne", "lt", "le", "gt", "ge"};
constexpr std::array kLogic = {"logical_and.default", "logical_or.default", "logical_xor.default",
                               "bitwise_and.Tensor",  "bitwise_or.Tensor",  "bitwise_xor.Tensor"};

std::string aten(const std::string& name) { return "aten." + name; }

}  // namespace

void OperatorDrawing::add_unary() {
  if (one_in(4)) {
    const Placed* x = find([](const Placed& placed) { return !is_bool(placed.dtype); });
    if (x == nullptr) return;
    const Placed operand = *x;
    return pointwise(aten(one_of(kLinear)) + std::string(".default"), {operand}, {}, operand.dtype,
                     true);
  }
  const Placed x = any_float();
  pointwise(aten(one_of(kFunctions)) + std::string(".default"), {x}, {}, x.dtype);
}

void OperatorDrawing::add_binary() {
  const Placed* found =
      one_in(6) ? nullptr : find([](const Placed& placed) { return !is_bool(placed.dtype); });
  const Placed x = found != nullptr ? *found : any_float();
  const Placed y = fitting(x.shape, x.dtype);
  std::vector<Placed> operands = {x, y};
  if (one_in(2)) std::swap(operands[0], operands[1]);
  if (one_in(2)) {
    std::vector<Argument> more;
    return pointwise(one_in(2) ? "aten.add.Tensor" : "aten.sub.Tensor", operands, more, x.dtype,
                     true);
  }
  const std::string op = one_of(kBinary);
  if (op == "div.Tensor" && !is_floating(x.dtype)) return;
  pointwise(aten(op), operands, {}, x.dtype);
}

void OperatorDrawing::add_scalar() {
  const Placed* found = find([](const Placed& placed) { return !is_bool(placed.dtype); });
  if (found == nullptr) return;
  const Placed x = *found;
  const Argument number = is_floating(x.dtype) && one_in(2)
                              ? Argument(static_cast<double>(below(9) - 4) / 4)
                              : Argument(below(5) - 2);
  switch (below(is_floating(x.dtype) ? 6 : 4)) {
    case 0:
      return pointwise("aten.add.Scalar", {x}, {number}, x.dtype);
    case 1:
      return pointwise("aten.mul.Scalar", {x}, {number}, x.dtype, true);
    case 2:
      return pointwise("aten.clamp_min.default", {x}, {number}, x.dtype);
    case 3:
      return pointwise("aten.rsub.Scalar", {x}, {number}, x.dtype);
    case 4:
      return pointwise("aten.pow.Tensor_Scalar", {x}, {1 + below(3)}, x.dtype);
    default:
      return pointwise("aten.div.Scalar", {x}, {1 + below(4)}, x.dtype, true);
  }
}

void OperatorDrawing::add_comparison() {
  const Placed* found = find([](const Placed&) { return true; });
  if (found == nullptr) return;
  const Placed x = *found;
  const std::string op = aten(one_of(kCompare));
  if (one_in(2) && !is_bool(x.dtype))
    return pointwise(op + ".Scalar", {x}, {below(20) == 0 ? int64_t{300} : below(7) - 3},
                     DType::kBool);
  pointwise(op + ".Tensor", {x, fitting(x.shape, x.dtype)}, {}, DType::kBool);
}

void OperatorDrawing::add_logic() {
  const Placed* found = find([](const Placed& placed) { return is_bool(placed.dtype); });
  if (found == nullptr) return;
  const Placed x = *found;
  if (one_in(4)) return pointwise("aten.logical_not.default", {x}, {}, DType::kBool);
  pointwise(aten(one_of(kLogic)), {x, fitting(x.shape, DType::kBool)}, {}, DType::kBool);
}

void OperatorDrawing::add_choice() {
  const Placed* found = find([](const Placed& placed) { return is_bool(placed.dtype); });
  if (found == nullptr) return;
  const Placed mask = *found;
  const Placed x = of_shape(mask.shape, one_in(3) ? DType::kInt64 : DType::kFloat32);
  if (one_in(3)) {
    const bool infinite = is_floating(x.dtype) && one_in(4);
    return pointwise(
        "aten.masked_fill.Scalar", {x, mask},
        {infinite ? Argument(-std::numeric_limits<double>::infinity()) : Argument(below(3) - 1)},
        x.dtype);
  }
  pointwise("aten.where.self", {mask, x, fitting(mask.shape, x.dtype)}, {}, x.dtype);
}

void OperatorDrawing::add_cast() {
  const Placed* found = find([](const Placed&) { return true; });
  if (found == nullptr) return;
  const Placed x = *found;
  const DType to = dtype();
  const bool linear = is_floating(x.dtype) && is_floating(to);
  pointwise("aten._to_copy.default", {x}, {to}, to, linear);
}

// A buffer, perhaps a part of it, is written where it lies.
void OperatorDrawing::add_write() {
  const Placed* found = find([](const Placed& placed) {
    return !placed.copied && !is_bool(placed.dtype) && placed.below == 0 &&
           element_count(placed.shape) > 0;
  });
  if (found == nullptr) return;
  Placed x = *found;
  if (one_in(2)) {
    pointwise("aten.clone.default", {x}, {}, x.dtype, true);
    x = pool_.back();
  }
  Placed target = x;
  const size_t dim = x.shape.empty() ? 0 : dim_of(x.shape);
  const bool sharded_here = x.placement.is_sharded() && x.placement.dim == dim;
  if (!x.shape.empty() && !sharded_here && x.shape[dim] > 1 && one_in(2)) {
    Shape part = x.shape;
    part[dim] = 1 + below(part[dim] - 1);
    const int64_t start = below(x.shape[dim] - part[dim] + 1);
    target = program_.call(
        "aten.slice.Tensor",
        [&](Side s) {
          return std::vector<Argument>{x[s], static_cast<int64_t>(dim), start, start + part[dim]};
        },
        part, x.dtype, x.placement);
  }
  constexpr std::array kWrites = {"add_.Tensor", "mul_.Tensor", "copy_.default", "sub_.Tensor"};
  const std::string op = one_of(kWrites);
  std::vector<Placed> operands = {target, of_shape(target.shape, target.dtype)};
  if (operands[1].below > 0 && operands[1].on[0].id == target.on[0].id) return;
  // The operand comes to where the target is.
  const bool linear = op != "mul_.Tensor";
  if (target.placement.is_partial() && !(linear && operands[1].placement.is_partial())) return;
  if (!target.placement.is_partial()) {
    Placed& y = operands[1];
    y = summed(y);
    if (y.placement != target.placement) {
      y = replicated(y);
      if (target.placement.is_sharded())
        y = program_.shard(y, target.placement.dim, target.placement.sizes);
    }
  }
  Placed made = program_.call(
      aten(op), [&](Side s) { return std::vector<Argument>{operands[0][s], operands[1][s]}; },
      target.shape, target.dtype, target.placement);
  keep(std::move(made));
}

}  // namespace assay::test
