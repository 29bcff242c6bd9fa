#include "shared_ir/capture/fit/same_arguments.h"

#include <algorithm>
#include <bit>

namespace assay {
namespace {

bool same(const Arg& a, const Arg& b, Integers integers);

bool same(const ArgList& a, const ArgList& b, Integers integers) {
  return std::ranges::equal(
      a, b, [&](const Arg& left, const Arg& right) { return same(left, right, integers); });
}

bool same(const Arg& a, const Arg& b, Integers integers) {
  if (a.value.index() != b.value.index()) return false;
  return std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        const T& other = std::get<T>(b.value);
        if constexpr (std::is_same_v<T, NoArg>) {
          return true;
        } else if constexpr (std::is_same_v<T, Int>) {
          return integers == Integers::kIgnored || value == other;
        } else if constexpr (std::is_same_v<T, TensorArg>) {
          return value.id == other.id;
        } else if constexpr (std::is_same_v<T, double>) {
          return std::bit_cast<uint64_t>(value) == std::bit_cast<uint64_t>(other);
        } else if constexpr (std::is_same_v<T, ArgList>) {
          return same(value, other, integers);
        } else {
          return value == other;
        }
      },
      a.value);
}

}  // namespace

bool same_arguments(const Node& a, const Node& b, Integers integers) {
  return same(a.args, b.args, integers) &&
         std::ranges::equal(a.kwargs, b.kwargs, [&](const auto& left, const auto& right) {
           return left.first == right.first && same(left.second, right.second, integers);
         });
}

}  // namespace assay
