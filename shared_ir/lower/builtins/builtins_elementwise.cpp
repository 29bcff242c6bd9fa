// Builtins element by element. Tensors broadcast and promote as in PyTorch; numbers take part in
// both.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "shared_ir/cast.h"
#include "shared_ir/lower/builtins/broadcast.h"
#include "shared_ir/lower/builtins/builtins.h"
#include "shared_ir/lower/builtins/constant_values.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

bool all_numbers(const Call& call) { return call.number_if(0) && call.number_if(1); }

// Differences of unsigned integers wrap around zero. What PyTorch makes of a fraction as a factor
// of integers is another number for each operator.
CoreId combination(Call& call, std::vector<CoreId> operands, const std::vector<Rational>& coefs) {
  Builder& builder = call.builder();
  const DType dtype = builder.dtype(operands[0]);
  for (const Rational& coef : coefs)
    if (!is_floating(dtype) && !coef.is_integer())
      call.fail(fmt::format("the factor of integers is {}", to_string(coef)));
  const bool falls = std::any_of(coefs.begin(), coefs.end(),
                                 [](const Rational& coef) { return coef.is_negative(); });
  if (!is_unsigned(dtype) || !falls) return builder.linear(operands, coefs);
  for (CoreId& operand : operands) operand = builder.cast(operand, DType::kInt64);
  return builder.cast(builder.linear(operands, coefs), dtype);
}

// Factors of a sum multiply with those of the sums around it, and must stay within 64 bits when
// they do.
bool is_short(const Rational& coef) {
  constexpr Int kLimit = (Int{1} << 31) - 1;
  return coef.fits(kLimit);
}

// The number in argument i as a short coefficient; nullopt where it is none, such as a step size
// that the host has computed.
std::optional<Rational> short_coefficient(Call& call, size_t i) {
  if (const Int* integer = i < call.size() ? call[i].get_if<Int>() : nullptr)
    return is_short(Rational(*integer)) ? std::optional(Rational(*integer)) : std::nullopt;
  if (!std::isfinite(call.number(i))) return call.coefficient(i);  // reports it
  const RationalFromDouble exact = call.builder().rational(call.number(i));
  return exact.exact && is_short(exact.value) ? std::optional(exact.value) : std::nullopt;
}

bool all_integers(const Call& call) {
  for (size_t i = 0; i < call.size(); ++i)
    if (!call[i].get_if<Int>()) return false;
  return true;
}

// a + sign * alpha * b, alpha being the third argument if there is one.
Value weighted_sum(Call& call, int sign) {
  if (all_integers(call))
    return {plus(call.integer(0),
                 times(times(sign, call.has(2) ? call.integer(2) : 1), call.integer(1)))};
  const double alpha = call.has(2) ? call.number(2) : 1;
  if (all_numbers(call)) return {call.number(0) + sign * alpha * call.number(1)};
  Call pair(call.context(), sign > 0 ? "add" : "sub", {call[0], call[1]});
  AlikeOperands operands = alike_operands(pair, 0);
  if (is_bool(operands.dtype)) {
    if (sign < 0) call.fail("flags cannot be subtracted");
    if (alpha == 0) return tensor_value(operands.ids[0]);
    if (alpha != 1) call.fail(fmt::format("flags that are added {} times", alpha));
    return tensor_value(call.builder().map("or", operands.ids, DType::kBool, 0));
  }
  Builder& builder = call.builder();
  std::optional<Rational> coef = Rational(1);
  if (call.has(2)) {
    coef = is_floating(operands.dtype) ? short_coefficient(call, 2)
                                       : std::optional(call.coefficient(2));
  }
  if (!coef) {
    CoreId& b = operands.ids[1];
    b = builder.mul(b, builder.opaque_number(alpha, operands.dtype, Shape(builder.shape(b))));
    coef = Rational(1);
  }
  return tensor_value(combination(call, operands.ids, {Rational(1), Rational(sign) * *coef}));
}

Value add(Call& call) { return weighted_sum(call, 1); }
Value sub(Call& call) { return weighted_sum(call, -1); }

Value mul(Call& call) {
  if (all_integers(call)) return {times(call.integer(0), call.integer(1))};
  if (all_numbers(call)) return {call.number(0) * call.number(1)};
  AlikeOperands operands = alike_operands(call, 0);
  if (is_bool(operands.dtype))
    return tensor_value(call.builder().map("and", operands.ids, DType::kBool, 0));
  return tensor_value(call.builder().mul(operands.ids[0], operands.ids[1]));
}

Value scale(Call& call) {
  Rational coef = call.coefficient(1);
  DType dtype = promoted_dtype(call, 0);
  return tensor_value(combination(call, {call.builder().cast(call.tensor(0), dtype)}, {coef}));
}

// By a constant: exact scaling. By a tensor: times its reciprocal, which is a function of its own.
Value div(Call& call) {
  if (all_numbers(call)) return {call.number(0) / call.number(1)};
  Builder& builder = call.builder();
  DType dtype = promoted_dtype(call, 0);
  if (!is_floating(dtype)) dtype = DType::kFloat32;
  if (const auto* whole = call[1].get_if<Int>(); whole && *whole != 0)
    return tensor_value(
        builder.scale(builder.cast(call.tensor(0), dtype), Rational(1) / Rational(*whole)));
  std::optional<double> divisor = call.number_if(1);
  if (const TensorRef* tensor = call.tensor_if(1);
      tensor && builder.is_finite_constant(tensor->id)) {
    const Rational& constant = builder.op(tensor->id).constant;
    if (builder.rank(tensor->id) == 0 ||
        builder.shape(tensor->id) == builder.shape(call.tensor(0))) {
      if (constant.is_zero()) call.fail("the divisor is 0");
      return tensor_value(
          builder.scale(builder.cast(call.tensor(0), dtype), Rational(1) / constant));
    }
  }
  if (divisor && (!std::isfinite(*divisor) || builder.rational(*divisor).exact)) {
    Rational coef = call.coefficient(1);
    if (coef.is_zero()) call.fail("the divisor is 0");
    return tensor_value(builder.scale(builder.cast(call.tensor(0), dtype), Rational(1) / coef));
  }
  const CoreId denominator = divisor ? builder.constant(*divisor, dtype, {}) : call.tensor(1);
  CoreId inverse = builder.map("reciprocal", {builder.cast(denominator, dtype)}, dtype, 0);
  Call product(call.context(), "div", {call[0], tensor_value(inverse)});
  return mul(product);
}

Value map_to(Call& call, bool floating, std::optional<DType> result) {
  AlikeOperands operands = alike_operands(call, 1, floating);
  return tensor_value(call.builder().map(call.text(0), operands.ids,
                                         result.value_or(operands.dtype), call.linear_operands(1)));
}

Value map(Call& call) { return map_to(call, false, {}); }
Value float_map(Call& call) { return map_to(call, true, {}); }
Value compare(Call& call) { return map_to(call, false, DType::kBool); }

Value linear(Call& call) { return {TensorRef{call.tensor(0), true}}; }

CoreId as_mask(Call& call, size_t i) {
  CoreId mask = call.tensor(i);
  if (call.builder().dtype(mask) != DType::kBool) call.fail("the mask must be bool");
  return mask;
}

// A number counts as true when it is not 0.
CoreId as_flag(Call& call, size_t i) {
  CoreId x = call.tensor(i);
  Builder& builder = call.builder();
  if (builder.dtype(x) == DType::kBool) return x;
  CoreId zero = builder.constant(Rational(0), builder.dtype(x), Shape(builder.shape(x)));
  return builder.map("ne", {x, zero}, DType::kBool, 0);
}

Value logic(Call& call) {
  Builder& builder = call.builder();
  std::vector<CoreId> operands;
  std::vector<Shape> shapes;
  for (size_t i = 1; i < call.size(); ++i) {
    operands.push_back(as_flag(call, i));
    shapes.push_back(builder.shape(operands.back()));
  }
  Shape shape = broadcast_shape(call, shapes);
  for (CoreId& operand : operands) operand = broadcast_to(builder, operand, shape);
  return tensor_value(builder.map(call.text(0), operands, DType::kBool, 0));
}

// On flags "and" is the logical and; on integers it works on bits, which is another function.
Value bitwise(Call& call) {
  AlikeOperands operands = alike_operands(call, 1);
  if (is_floating(operands.dtype)) call.fail("bits of floating point numbers");
  Builder& builder = call.builder();
  std::string fn = is_bool(operands.dtype) ? call.text(0) : "bitwise_" + call.text(0);
  return tensor_value(builder.map(fn, operands.ids, operands.dtype, 0));
}

CoreId kept(Builder& builder, CoreId mask, CoreId x, const Shape& shape) {
  return builder.keep(broadcast_to(builder, mask, shape), broadcast_to(builder, x, shape));
}

Value keep(Call& call) {
  Builder& builder = call.builder();
  CoreId mask = as_mask(call, 0), x = call.tensor(1);
  return tensor_value(
      kept(builder, mask, x, broadcast_shape(call, {builder.shape(mask), builder.shape(x)})));
}

Value where(Call& call) {
  Builder& builder = call.builder();
  CoreId mask = as_mask(call, 0);
  Call branches(call.context(), "where", {call[1], call[2]});
  bool tensors = call.tensor_if(1) || call.tensor_if(2);
  DType dtype = promoted_dtype(branches, 0);
  Shape shape = builder.shape(mask);
  AlikeOperands operands;
  if (tensors) {
    operands = alike_operands(branches, 0);
    shape = broadcast_shape(call, {shape, builder.shape(operands.ids[0])});
  } else {
    for (size_t i : {1, 2}) operands.ids.push_back(constant_of_number(call, i, dtype, shape));
  }
  auto zero = [&](CoreId x) {
    return builder.is_finite_constant(x) && builder.op(x).constant.is_zero();
  };
  CoreId yes = operands.ids[0], no = operands.ids[1];
  if (zero(no)) return tensor_value(kept(builder, mask, yes, shape));
  CoreId other = kept(builder, builder.map("not", {mask}, DType::kBool, 0), no, shape);
  if (zero(yes)) return tensor_value(other);
  CoreId chosen = kept(builder, mask, yes, shape);
  if (is_bool(dtype)) return tensor_value(builder.map("or", {chosen, other}, dtype, 0));
  return tensor_value(builder.linear({chosen, other}, {Rational(1), Rational(1)}));
}

// What a floating number that no integer of the type is becomes is for the machine to say. Of
// others than constants it is an assumption where it matters (Builder::cast).
void check_constants_are_held(Call& call, CoreId x, DType to) {
  const Builder& builder = call.builder();
  if (!is_floating(builder.dtype(x)) || !is_integer(to)) return;
  const auto known = constant_values(builder.program(), x);
  const auto [low, high] = integer_range(to);
  const auto is_held = [low = static_cast<double>(PlainInt{low}),
                        high = static_cast<double>(PlainInt{high})](double value) {
    return std::trunc(value) >= low && std::trunc(value) < high + 1;
  };
  if (known && !std::ranges::all_of(*known, is_held))
    call.unsupported(
        fmt::format("a conversion of a constant that {} does not hold", to_string(to)));
}

Value cast(Call& call) {
  const CoreId x = call.tensor(0);
  const DType to = call.dtype_or_recorded(1);
  check_constants_are_held(call, x, to);
  return tensor_value(call.builder().cast(x, to));
}

// Numbers are of a category, and none is none.
Value promoted(Call& call) {
  std::vector<Value> operands;
  for (size_t i = 0; i < call.size(); ++i)
    if (call.has(i)) operands.push_back(call[i]);
  Call joined(call.context(), "promote", std::move(operands));
  return tensor_value(call.builder().cast(call.tensor(0), promoted_dtype(joined, 0)));
}

Value as_float(Call& call) {
  CoreId x = call.tensor(0);
  return tensor_value(
      is_floating(call.builder().dtype(x)) ? x : call.builder().cast(x, DType::kFloat32));
}

constexpr Builtin kElementwiseBuiltins[] = {
    {"add", 2, 3, add, Effect::kRounds,
     "add(a, b, alpha=1): a + alpha * b; on two numbers, a number"},
    {"sub", 2, 3, sub, Effect::kRounds, "sub(a, b, alpha=1): a - alpha * b"},
    {"mul", 2, 2, mul, Effect::kRounds, "mul(a, b): a * b"},
    {"scale", 2, 2, scale, Effect::kScales, "scale(x, number): the number times x, exactly"},
    {"div", 2, 2, div, Effect::kRounds, "div(a, b): a / b; integers become float32"},
    {"map", 2, kAnyNumber, map, Effect::kMaps,
     "map(fn, x, ...): fn of each element, in the promoted dtype"},
    {"float_map", 2, kAnyNumber, float_map, Effect::kMaps,
     "float_map(fn, x, ...): the same; integers become float32 first"},
    {"compare", 2, 3, compare, Effect::kSelects,
     "compare(fn, a, b): a flag for each element, or pair of them"},
    {"linear", 1, 1, linear, Effect::kMoves,
     "linear(x): as an operand of map or block: the function is linear in x"},
    {"logic", 2, kAnyNumber, logic, Effect::kSelects,
     "logic(fn, x, ...): and, or, xor, not of flags, or of whether numbers are not 0"},
    {"bitwise", 2, kAnyNumber, bitwise, Effect::kSelects,
     "bitwise(fn, x, ...): and, or, xor, not on flags or on bits of integers"},
    {"keep", 2, 2, keep, Effect::kSelects, "keep(mask, x): x where the mask is true, else 0"},
    {"where", 3, 3, where, Effect::kSelects, "where(mask, a, b): a where the mask is true, else b"},
    {"cast", 2, 2, cast, Effect::kCasts,
     "cast(x, dtype): x in another dtype; none: the recorded one"},
    {"promote", 2, kAnyNumber, promoted, Effect::kCasts,
     "promote(x, a, ...): x in the dtype that it and the others are promoted to"},
    {"as_float", 1, 1, as_float, Effect::kCasts, "as_float(x): integers and flags as float32"},
};

}  // namespace

std::span<const Builtin> elementwise_builtins() { return kElementwiseBuiltins; }

}  // namespace assay::lowering
