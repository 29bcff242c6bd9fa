#include "shared_ir/reference/operation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "shared_ir/cast.h"
#include "shared_ir/reference/element_functions.h"
#include "shared_ir/reference/movement.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::reference {
namespace {

using Operands = std::vector<const ReferenceTensor*>;

// A well mixed number in [0, 1) for each (seed text, element).
double uniform(const std::string& seed, Int element) {
  uint64_t state =
      std::hash<std::string>{}(seed) + 0x9E3779B97F4A7C15ull * static_cast<uint64_t>(element + 1);
  for (int round = 0; round < 3; ++round) state = (state ^ (state >> 29)) * 0xBF58476D1CE4E5B9ull;
  return static_cast<double>((state ^ (state >> 32)) >> 11) * 0x1p-53;
}

double special_constant(const CoreOp& op) {
  if (op.fn == "inf") return std::numeric_limits<double>::infinity();
  if (op.fn == "-inf") return -std::numeric_limits<double>::infinity();
  if (op.fn == "nan") return std::numeric_limits<double>::quiet_NaN();
  return op.constant.to_double();
}

// What a reduction of nothing gives.
double neutral(const CoreOp& op) {
  if (op.prim == Prim::kReduceSum) return 0;
  const bool greatest = op.prim == Prim::kReduceMin;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (is_floating(op.dtype)) return greatest ? kInfinity : -kInfinity;
  const auto [low, high] = integer_range(op.dtype);
  return static_cast<double>(greatest ? high : low);
}

void reduce(const CoreOp& op, const ReferenceTensor& x, ReferenceTensor& out) {
  out.values.assign(out.values.size(), neutral(op));
  for_each_reduced(x.shape, op.ints, out.shape, [&](size_t to, size_t from) {
    double &result = out.values[to], value = x.values[from];
    result = op.prim == Prim::kReduceSum               ? result + value
             : std::isnan(result) || std::isnan(value) ? std::numeric_limits<double>::quiet_NaN()
             : op.prim == Prim::kReduceMax             ? std::max(result, value)
                                                       : std::min(result, value);
  });
}

// What a function of integers gives is of their type; what is linear in an operand adds up as sums
// do, which wrap where they are read.
void wrap(const CoreOp& op, ReferenceTensor& out) {
  if (!is_integer(op.dtype) || op.linear != 0) return;
  for (double& value : out.values) value = cast_value(value, op.dtype);
}

void map(const CoreOp& op, const Operands& operands, ReferenceTensor& out) {
  FunctionName fn = parse_function_name(op.fn);
  MapFunction function = find_map(fn.name);
  if (function == nullptr) throw NoNumbers(fmt::format("no numeric definition of '{}'", op.fn));
  std::vector<double> at(operands.size());
  for (size_t i = 0; i < out.values.size(); ++i) {
    for (size_t k = 0; k < operands.size(); ++k) at[k] = operands[k]->values[i];
    out.values[i] = function(fn, at);
  }
  wrap(op, out);
}

void block(const BlockSpec& spec, const CoreOp& op, const Operands& operands,
           ReferenceTensor& out) {
  FunctionName fn = parse_function_name(op.fn);
  BlockFunction function = find_block(fn.name);
  if (function == nullptr) throw NoNumbers(fmt::format("no numeric definition of '{}'", op.fn));
  for_each_block(spec, operands, out, [&](const std::vector<Block>& blocks, Block& result) {
    function(fn, blocks, result);
  });
  wrap(op, out);
}

// Some smooth function of all operands that another operator, attribute or output number does not
// share. The opaque scalars and literals that lowering makes are what they say.
void opaque(const CoreOp& op, const Operands& operands, ReferenceTensor& out) {
  FunctionName fn = parse_function_name(op.fn);
  if (fn.name == "constant") {
    out.values.assign(out.values.size(), fn.number(0));
    return;
  }
  if (fn.name == "literal" || fn.name == "large_integers") {  // these as near as float64 comes
    for (size_t i = 0; i < out.values.size(); ++i) {
      std::string_view& digits = fn.attributes[i];
      digits.remove_prefix(std::min(digits.find_first_not_of('['), digits.size()));
      digits = digits.substr(0, digits.find(']'));
      out.values[i] = digits == "true" ? 1 : digits == "false" ? 0 : fn.number(i);
    }
    return;
  }
  const std::string first_weights = op.fn + "*", second_weights = op.fn + "**",
                    of_first = op.fn + "+", of_second = op.fn + "++";
  // Every element depends on all of them, by two sums with weights of their own.
  double first = 0, second = 0;
  Int k = 0;
  for (const ReferenceTensor* operand : operands)
    for (const double value : operand->values) {
      first += std::tanh(value) * uniform(first_weights, k);
      second += std::tanh(value) * uniform(second_weights, k++);
    }
  for (size_t i = 0; i < out.values.size(); ++i) {
    const auto element = static_cast<Int>(i);
    out.values[i] = std::sin(7 * uniform(op.fn, element) + first * uniform(of_first, element) +
                             second * uniform(of_second, element));
  }
}

}  // namespace

double sample(const std::string& text, const std::string& seed, Int element) {
  FunctionName fn = parse_function_name(text);
  double u = uniform(seed, element);
  if (fn.name == "uniform") return fn.number(0) + u * (fn.number(1) - fn.number(0));
  if (fn.name == "integer") return fn.number(0) + std::floor(u * (fn.number(1) - fn.number(0)));
  if (fn.name == "bernoulli") return u < fn.number(0);
  if (fn.name == "dropout_mask") return u >= fn.number(0);
  if (fn.name == "normal")
    return fn.number(0) + fn.number(1) * std::sqrt(-2 * std::log(1 - u)) *
                              std::cos(2 * std::numbers::pi * uniform(seed + "'", element));
  throw NoNumbers(fmt::format("no numeric definition of '{}'", text));
}

ReferenceTensor default_sample(const CoreOp& op) {
  ReferenceTensor out{op.shape, std::vector<double>(count_of(op.shape))};
  std::string seed = fmt::format("{}#{}", op.fn, op.occurrence);
  for (size_t i = 0; i < out.values.size(); ++i)
    out.values[i] = sample(op.fn, seed, static_cast<Int>(i));
  return out;
}

ReferenceTensor run_operation(const CoreProgram& program, const CoreOp& op,
                              const Operands& operands) {
  ReferenceTensor out{op.shape, std::vector<double>(count_of(op.shape))};
  std::vector<double>& values = out.values;
  auto each = [&](auto function) {
    for (size_t i = 0; i < values.size(); ++i) values[i] = function(i);
  };
  switch (op.prim) {
    case Prim::kConst:
      each([&](size_t) { return special_constant(op); });
      break;
    case Prim::kIota:
      each([](size_t i) { return static_cast<double>(i); });
      break;
    case Prim::kUninit:
      each([](size_t) { return std::numeric_limits<double>::quiet_NaN(); });
      break;
    case Prim::kPermute:
      permute(op, *operands[0], out);
      break;
    case Prim::kReshape:
      values = operands[0]->values;
      break;
    case Prim::kExpand:
      expand(*operands[0], out);
      break;
    case Prim::kSlice:
      slice(op, *operands[0], out);
      break;
    case Prim::kCat:
      cat(op.ints[0], operands, out);
      break;
    case Prim::kLinear:
      each([&](size_t i) {
        double total = 0;
        for (size_t k = 0; k < operands.size(); ++k)
          total += op.coefs[k].to_double() * operands[k]->values[i];
        return total;
      });
      break;
    case Prim::kMul:
      each([&](size_t i) { return operands[0]->values[i] * operands[1]->values[i]; });
      break;
    case Prim::kMap:
      map(op, operands, out);
      break;
    case Prim::kKeep:
      each([&](size_t i) { return operands[0]->values[i] != 0 ? operands[1]->values[i] : 0; });
      break;
    case Prim::kCast:
      each([&](size_t i) { return cast_value(operands[0]->values[i], op.dtype); });
      break;
    case Prim::kReduceSum:
    case Prim::kReduceMax:
    case Prim::kReduceMin:
      reduce(op, *operands[0], out);
      break;
    case Prim::kOneHot: {
      auto classes = static_cast<size_t>(op.shape.back());
      each([&](size_t i) {
        return operands[0]->values[i / classes] == static_cast<double>(i % classes) ? 1.0 : 0.0;
      });
      break;
    }
    case Prim::kBlock:
      block(program.specs[op.spec], op, operands, out);
      break;
    case Prim::kOpaque:
      opaque(op, operands, out);
      break;
    case Prim::kInput:
    case Prim::kRandom:
    case Prim::kCollective:
      throw InternalError("this operator needs more than its operands");
  }
  return out;
}

}  // namespace assay::reference
