#include "static_check/identity/cuts/total_functions.h"

#include <algorithm>
#include <string_view>

#include "shared_ir/reference/element_functions.h"

namespace assay::identity {
namespace {

constexpr std::string_view kTotalMaps[] = {
    "abs",   "and",        "atan",        "ceil",       "clamp",   "cos",         "cosh",
    "elu",   "eq",         "erf",         "erfc",       "exp",     "exp2",        "expm1",
    "floor", "ge",         "gelu",        "gelu_slope", "gt",      "hardsigmoid", "hardswish",
    "le",    "leaky_relu", "log_sigmoid", "lt",         "maximum", "minimum",     "mish",
    "ne",    "not",        "or",          "relu",       "round",   "sigmoid",     "sigmoid_slope",
    "sign",  "silu",       "silu_slope",  "sin",        "sinh",    "tanh",        "tanh_slope",
    "trunc"};
constexpr std::string_view kDefinedForPositive[] = {"log",        "log10", "log1p", "log2",
                                                    "reciprocal", "rsqrt", "sqrt"};
constexpr std::string_view kTotalBlocks[] = {"argmax",  "argmin", "argsort", "cummax", "cummin",
                                             "cumprod", "cumsum", "flip",    "prod",   "sort"};

bool holds(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

}  // namespace

bool is_total(const std::string& fn) {
  const auto parsed = reference::parse_function_name(fn);
  if (parsed.name != "pow") return holds(kTotalMaps, parsed.name);
  if (parsed.attributes.size() != 1) return false;
  const double exponent = parsed.number(0);
  return exponent == 1 || exponent == 2 || exponent == 3 || exponent == 4;
}

bool is_defined_for_positive(const std::string& fn) {
  const auto parsed = reference::parse_function_name(fn);
  return holds(kDefinedForPositive, parsed.name) ||
         (parsed.name == "pow" && parsed.attributes.size() == 1);
}

bool is_total_of_blocks(const std::string& fn) {
  return holds(kTotalBlocks, reference::parse_function_name(fn).name);
}

}  // namespace assay::identity
