// Read before each source of the second compilation (CMakeLists.txt). There the sources' int64_t is
// the integer that knows how it depends on the symbols, and their namespace is one of its own, so
// that both compilations are in one program. A macro, so that there is one text of the proof and
// its checker, which reads as what it ordinarily is; a source says PlainInt
// (shared_ir/symbolic/integer.h) where an integer does not depend on symbols.
//
// A header that is not ours must keep its int64_t, so it has to be read here first: one that is
// missing fails to compile where it says std::int64_t, or fails to link. Functions of std that the
// sources call with int64_t need an overload here, or fail to compile. What a Number is converted
// to by mistake is a decision, and recorded (shared_ir/symbolic/replay.h): it can cost a proof for
// all sizes, not make a wrong one.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <charconv>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <complex>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <random>
#include <ranges>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include <dlfcn.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#define ASSAY_SYMBOLIC
#define assay assay_symbolic
#include "shared_ir/symbolic/integer.h"

// The sources call these for integers by their full names.
namespace std {
inline string to_string(const symbolic::Number& number) { return symbolic::decimal(number); }
inline symbolic::Number gcd(const symbolic::Number& a, const symbolic::Number& b) {
  return symbolic::common_divisor(a, b);
}
inline symbolic::Number abs(const symbolic::Number& number) { return symbolic::abs(number); }
inline from_chars_result from_chars(const char* begin, const char* end, symbolic::Number& number) {
  int64_t value = 0;
  const auto result = from_chars(begin, end, value);
  number = value;
  return result;
}
}  // namespace std

template <>
struct fmt::formatter<symbolic::Number> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const symbolic::Number& number, Context& context) const {
    return fmt::formatter<std::string>::format(symbolic::decimal(number), context);
  }
};

#define int64_t symbolic::Number
