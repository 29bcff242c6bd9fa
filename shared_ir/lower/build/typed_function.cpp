#include "shared_ir/lower/build/typed_function.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace assay::lowering {
namespace {

constexpr std::string_view kOfAnyWidth[] = {
    "and",         "argmax", "argmin",      "argsort", "bitwise_and", "bitwise_not", "bitwise_or",
    "bitwise_xor", "cast",   "ceil",        "clamp",   "eq",          "floor",       "fmod",
    "ge",          "gt",     "le",          "lt",      "maximum",     "median",      "minimum",
    "ne",          "not",    "or",          "relu",    "remainder",   "round",       "sign",
    "sort",        "topk",   "topk_places", "trunc",   "xor",
};
static_assert(std::ranges::is_sorted(kOfAnyWidth));

}  // namespace

std::string typed_function(const std::string& fn, DType of, DType to) {
  if (!is_integer(of) && !is_integer(to)) return fn;
  const size_t end = std::min(fn.find('('), fn.size());
  const std::string_view name = std::string_view(fn).substr(0, end);
  if (std::ranges::binary_search(kOfAnyWidth, name)) return fn;
  std::string types = ":" + std::string(to_string(of));
  if (to != of) types += "->" + std::string(to_string(to));
  return std::string(name) + types + fn.substr(end);
}

}  // namespace assay::lowering
