#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "shared_ir/base/error.h"
#include "shared_ir/cast.h"
#include "shared_ir/reference/element_functions.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::reference {
namespace {

using Args = std::span<const double>;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Hendrycks and Gimpel, "Gaussian Error Linear Units": x * Phi(x), or its tanh approximation.
double gelu(const FunctionName& fn, Args a) {
  double x = a[0];
  if (fn.text(0) == "none") return x * 0.5 * std::erfc(-x / std::numbers::sqrt2);
  double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1 + std::tanh(inner));
}

double gelu_slope(const FunctionName& fn, Args a) {
  double x = a[0];
  if (fn.text(0) == "none")
    return 0.5 * std::erfc(-x / std::numbers::sqrt2) +
           x * std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
  double scale = std::sqrt(2 / std::numbers::pi);
  double t = std::tanh(scale * (x + 0.044715 * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * scale * (1 + 3 * 0.044715 * x * x);
}

double clamp(const FunctionName& fn, Args a) {
  double low = fn.number(0), high = fn.number(1), x = a[0];
  if (!std::isnan(low)) x = std::max(x, low);
  if (!std::isnan(high)) x = std::min(x, high);
  return x;
}

double cast(const FunctionName& fn, Args a) {
  const auto to = parse_dtype(fn.text(0));
  ASSAY_CHECK(to, fmt::format("'{}' is no dtype", fn.text(0)));
  return is_floating(*to) ? nearest_number(a[0], *to) : cast_value(a[0], *to);
}

// PyTorch's of integers of the function's type ("shift_left:int32"): by fewer than 0 or all of the
// bits, to the left nothing stays, to the right the sign.
double shift(const FunctionName& fn, Args a, bool left) {
  const auto dtype = parse_dtype(fn.type);
  ASSAY_CHECK(dtype && is_integer(*dtype), fmt::format("'{}' shifts no integers", fn.name));
  const auto x = static_cast<Int>(a[0]);
  const auto bits = static_cast<double>(8 * byte_size(*dtype));
  const bool out = !(a[1] >= 0 && a[1] < bits);
  const int by = out ? 63 : static_cast<int>(a[1]);
  if (!left) return static_cast<double>(x >> by);
  const uint64_t moved = out ? 0 : static_cast<uint64_t>(x) << by;
  return static_cast<double>(cast_integer(static_cast<Int>(moved), *dtype));
}

double shift_left(const FunctionName& fn, Args a) { return shift(fn, a, true); }
double shift_right(const FunctionName& fn, Args a) { return shift(fn, a, false); }

// The remainder has the sign of the divisor.
double remainder(const FunctionName&, Args a) {
  const double rest = std::fmod(a[0], a[1]);
  return rest != 0 && (rest < 0) != (a[1] < 0) ? rest + a[1] : rest;
}

// The quotient of what the remainder leaves, which division rounds across an integer: x / y may be
// one where the exact quotient is below it.
double div_floor(const FunctionName& fn, Args a) {
  const double quotient = a[0] / a[1];
  if (a[1] == 0 || !std::isfinite(quotient)) return std::floor(quotient);
  return std::nearbyint((a[0] - remainder(fn, a)) / a[1]);
}

// Modulo 2^64, as the power of integers of any type is modulo its range.
uint64_t power(uint64_t x, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent > 0; exponent /= 2, x *= x)
    if (exponent % 2 == 1) result *= x;
  return result;
}

// Integers to negative powers are 0, but those of 1 and -1.
double pow(const FunctionName& fn, Args a) {
  const double x = a[0], exponent = a.size() > 1 ? a[1] : fn.number(0);
  const std::optional<DType> type = parse_dtype(fn.type);
  if (!type) return std::pow(x, exponent);
  if (exponent < 0 && std::abs(x) != 1) return 0;
  const uint64_t result =
      power(static_cast<uint64_t>(static_cast<Int>(x)), static_cast<uint64_t>(std::abs(exponent)));
  return static_cast<double>(cast_integer(static_cast<Int>(result), *type));
}

double softplus(const FunctionName& fn, Args a) {
  double scaled = fn.number(0) * a[0];
  return scaled > fn.number(1) ? a[0] : std::log1p(std::exp(scaled)) / fn.number(0);
}

double elu(const FunctionName& fn, Args a) {
  double x = a[0];
  return fn.number(1) * (x > 0 ? x : fn.number(0) * std::expm1(x * fn.number(2)));
}

// By the slopes at the function's argument, or (attribute 3) at its result.
double elu_slope(const FunctionName& fn, Args a) {
  double x = a[0], low = fn.number(0) * fn.number(1), input_scale = fn.number(2);
  if (x > 0) return fn.number(1);
  return fn.text(3) == "true" ? input_scale * (x + low)
                              : input_scale * low * std::exp(x * input_scale);
}

double softplus_slope(const FunctionName& fn, Args a) {
  double scaled = fn.number(0) * a[0];
  return scaled > fn.number(1) ? 1 : sigmoid(scaled);
}

// Misra, "Mish: A Self Regularized Non-Monotonic Activation Function".
double mish(const FunctionName&, Args a) { return a[0] * std::tanh(std::log1p(std::exp(a[0]))); }

// By Newton's method, from Winitzki's formula on.
double erfinv(double x) {
  if (std::abs(x) >= 1)
    return std::abs(x) > 1 ? std::numeric_limits<double>::quiet_NaN()
                           : std::copysign(std::numeric_limits<double>::infinity(), x);
  const double a = 0.147, log = std::log1p(-x * x), half = 2 / (std::numbers::pi * a) + log / 2;
  double y = std::copysign(std::sqrt(std::sqrt(half * half - log / a) - half), x);
  for (int i = 0; i < 4; ++i)
    y -= (std::erf(y) - x) * std::sqrt(std::numbers::pi) / 2 * std::exp(y * y);
  return y;
}

// By its recurrence up to where the asymptotic series is exact enough, and by reflection below 0.
double digamma(double x) {
  if (x == 0) return std::copysign(std::numeric_limits<double>::infinity(), -x);
  if (x < 0) {
    if (x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
    return digamma(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * std::remainder(x, 1));
  }
  double sum = 0;
  for (; x < 12; ++x) sum -= 1 / x;
  const double z = 1 / (x * x);
  const double series =
      z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132)))));
  return sum + std::log(x) - 0.5 / x - series;
}

double log_sigmoid(const FunctionName&, Args a) {
  return std::min(a[0], 0.0) - std::log1p(std::exp(-std::abs(a[0])));
}

// Girshick, "Fast R-CNN": quadratic below beta.
double smooth_l1(const FunctionName& fn, Args a) {
  double size = std::abs(a[0]), beta = fn.number(0);
  return size < beta ? size * size / 2 / beta : size - beta / 2;
}

uint64_t bits(double x) { return static_cast<uint64_t>(static_cast<Int>(x)); }
double number(uint64_t x) { return static_cast<double>(static_cast<Int>(x)); }

#define ASSAY_UNARY(expression)               \
  [](const FunctionName&, Args a) -> double { \
    double x = a[0];                          \
    return expression;                        \
  }
#define ASSAY_BINARY(expression)              \
  [](const FunctionName&, Args a) -> double { \
    double x = a[0], y = a[1];                \
    return expression;                        \
  }

const std::unordered_map<std::string_view, MapFunction> kMaps = {
    {"reciprocal", ASSAY_UNARY(1 / x)},
    {"exp", ASSAY_UNARY(std::exp(x))},
    {"exp2", ASSAY_UNARY(std::exp2(x))},
    {"expm1", ASSAY_UNARY(std::expm1(x))},
    {"log", ASSAY_UNARY(std::log(x))},
    {"log2", ASSAY_UNARY(std::log2(x))},
    {"log10", ASSAY_UNARY(std::log10(x))},
    {"sqrt", ASSAY_UNARY(std::sqrt(x))},
    {"rsqrt", ASSAY_UNARY(1 / std::sqrt(x))},
    {"sin", ASSAY_UNARY(std::sin(x))},
    {"cos", ASSAY_UNARY(std::cos(x))},
    {"tan", ASSAY_UNARY(std::tan(x))},
    {"asin", ASSAY_UNARY(std::asin(x))},
    {"acos", ASSAY_UNARY(std::acos(x))},
    {"atan", ASSAY_UNARY(std::atan(x))},
    {"sinh", ASSAY_UNARY(std::sinh(x))},
    {"cosh", ASSAY_UNARY(std::cosh(x))},
    {"tanh", ASSAY_UNARY(std::tanh(x))},
    {"asinh", ASSAY_UNARY(std::asinh(x))},
    {"acosh", ASSAY_UNARY(std::acosh(x))},
    {"atanh", ASSAY_UNARY(std::atanh(x))},
    {"tanh_slope", ASSAY_UNARY(1 - x * x)},  // by tanh's result
    {"erf", ASSAY_UNARY(std::erf(x))},
    {"erfc", ASSAY_UNARY(std::erfc(x))},
    {"erfinv", ASSAY_UNARY(erfinv(x))},
    {"lgamma", ASSAY_UNARY(std::lgamma(x))},
    {"digamma", ASSAY_UNARY(digamma(x))},
    {"sigmoid", ASSAY_UNARY(sigmoid(x))},
    {"sigmoid_slope", ASSAY_UNARY(x * (1 - x))},  // by sigmoid's result
    {"silu", ASSAY_UNARY(x* sigmoid(x))},
    {"silu_slope", ASSAY_UNARY(sigmoid(x) * (1 + x * (1 - sigmoid(x))))},
    {"relu", ASSAY_UNARY(std::max(x, 0.0))},
    {"abs", ASSAY_UNARY(std::abs(x))},
    {"sign", ASSAY_UNARY(static_cast<double>((x > 0) - (x < 0)))},
    {"floor", ASSAY_UNARY(std::floor(x))},
    {"ceil", ASSAY_UNARY(std::ceil(x))},
    {"round", ASSAY_UNARY(std::nearbyint(x))},
    {"trunc", ASSAY_UNARY(std::trunc(x))},
    {"maximum", ASSAY_BINARY(x > y || std::isnan(x) ? x : y)},
    {"minimum", ASSAY_BINARY(x < y || std::isnan(x) ? x : y)},
    {"pow", pow},
    {"div_floor", div_floor},
    {"div_trunc", ASSAY_BINARY(std::trunc(x / y))},
    {"remainder", remainder},
    {"fmod", ASSAY_BINARY(std::fmod(x, y))},
    {"atan2", ASSAY_BINARY(std::atan2(x, y))},
    {"hypot", ASSAY_BINARY(std::hypot(x, y))},
    {"xlogy", ASSAY_BINARY(std::isnan(y) ? y
                           : x == 0      ? 0
                                         : x * std::log(y))},
    {"isnan", ASSAY_UNARY(std::isnan(x))},
    {"isinf", ASSAY_UNARY(std::isinf(x))},
    {"eq", ASSAY_BINARY(x == y)},
    {"ne", ASSAY_BINARY(x != y)},
    {"lt", ASSAY_BINARY(x < y)},
    {"le", ASSAY_BINARY(x <= y)},
    {"gt", ASSAY_BINARY(x > y)},
    {"ge", ASSAY_BINARY(x >= y)},
    {"and", ASSAY_BINARY(x != 0 && y != 0)},
    {"or", ASSAY_BINARY(x != 0 || y != 0)},
    {"xor", ASSAY_BINARY((x != 0) != (y != 0))},
    {"not", ASSAY_UNARY(x == 0)},
    {"bitwise_and", ASSAY_BINARY(number(bits(x) & bits(y)))},
    {"bitwise_or", ASSAY_BINARY(number(bits(x) | bits(y)))},
    {"bitwise_xor", ASSAY_BINARY(number(bits(x) ^ bits(y)))},
    {"bitwise_not", ASSAY_UNARY(number(~bits(x)))},
    {"shift_left", shift_left},
    {"shift_right", shift_right},
    {"gelu", gelu},
    {"gelu_slope", gelu_slope},
    {"clamp", clamp},
    {"cast", cast},
    {"softplus", softplus},
    {"softplus_slope", softplus_slope},
    {"elu", elu},
    {"elu_slope", elu_slope},
    {"mish", mish},
    {"log_sigmoid", log_sigmoid},
    {"hardswish", ASSAY_UNARY(x* std::clamp(x + 3, 0.0, 6.0) / 6)},
    {"hardsigmoid", ASSAY_UNARY(std::clamp(x + 3, 0.0, 6.0) / 6)},
    {"smooth_l1", smooth_l1},
    {"leaky_relu",
     [](const FunctionName& fn, Args a) { return a[0] > 0 ? a[0] : fn.number(0) * a[0]; }},
};

#undef ASSAY_UNARY
#undef ASSAY_BINARY

}  // namespace

std::string_view FunctionName::text(size_t i) const {
  ASSAY_CHECK(i < attributes.size(), fmt::format("function '{}' has no attribute {}", name, i));
  return attributes[i];
}

double FunctionName::number(size_t i) const {
  std::string_view digits = text(i);
  if (digits == "none") return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  // A tensor's number, which is an operand.
  if (error != std::errc() || end != digits.data() + digits.size())
    throw NoNumbers(fmt::format("attribute '{}' of '{}' is no number", digits, name));
  return value;
}

namespace {
constexpr char kTypeMark = ':';  // "pow:int32(2)" (lower/typed_function.h)
}

FunctionName parse_function_name(std::string_view fn) {
  FunctionName result;
  size_t open = fn.find('(');
  const std::string_view typed = fn.substr(0, open);
  const size_t mark = typed.find(kTypeMark);
  result.name = typed.substr(0, mark);
  if (mark != std::string_view::npos) result.type = typed.substr(mark + 1);
  if (open == std::string_view::npos) return result;
  std::string_view rest = fn.substr(open + 1, fn.size() - open - 2);
  while (true) {
    size_t comma = rest.find(',');
    result.attributes.push_back(rest.substr(0, comma));
    if (comma == std::string_view::npos) return result;
    rest.remove_prefix(comma + 1);
  }
}

MapFunction find_map(std::string_view name) {
  auto found = kMaps.find(name);
  return found == kMaps.end() ? nullptr : found->second;
}

}  // namespace assay::reference
