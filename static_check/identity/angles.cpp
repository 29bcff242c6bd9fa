#include "static_check/identity/angles.h"

#include <algorithm>
#include <cstdlib>

#include "static_check/identity/algebra.h"

namespace assay::identity {
namespace {

constexpr size_t kMostSeen = 256;
constexpr int64_t kParts = 12, kMostParts = 8 * kParts;
constexpr int64_t kMostTwelfths = 1024;  // of an angle

// k by the value of k / 12.
const std::unordered_map<uint64_t, int64_t>& fractions() {
  static const auto all = [] {
    std::unordered_map<uint64_t, int64_t> result;
    for (int64_t k = -kMostParts; k <= kMostParts; ++k)
      if (k != 0) result.emplace(residue_of(Rational(k, kParts)).value, k);
    return result;
  }();
  return all;
}

Point product(const Point& a, const Point& b) {
  return {a.cos * b.cos - a.sin * b.sin, a.sin * b.cos + a.cos * b.sin};
}

Point power(Point point, int64_t times) {
  if (times < 0) point.sin = Residue{} - point.sin;
  Point result{{1, 1}, {}};
  for (int64_t i = 0; i < std::abs(times); ++i) result = product(result, point);
  return result;
}

}  // namespace

std::optional<Angles::Parts> Angles::known(uint64_t value) const {
  const auto found = parts_.find(value);
  return found == parts_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Angles::Parts> Angles::by_others(uint64_t value) const {
  const auto sum = [](Parts a, const Parts& b, int64_t sign) {
    for (const auto& [angle, times] : b) {
      const auto at = std::ranges::find(a, angle, &std::pair<uint64_t, int64_t>::first);
      if (at == a.end()) {
        a.emplace_back(angle, sign * times);
      } else {
        at->second += sign * times;
      }
    }
    return a;
  };
  if (const auto other = known(kValues.negative(value))) return sum({}, *other, -1);
  for (const auto& [angle, inverse] : independent_) {
    const auto found = fractions().find(kValues.multiply(value, inverse));
    if (found != fractions().end()) return Parts{{angle, found->second}};
  }
  for (const uint64_t other : seen_) {
    const Parts& parts = parts_.at(other);
    if (const auto rest = known(kValues.subtract(value, other))) return sum(*rest, parts, 1);
    if (const auto rest = known(kValues.add(value, other))) return sum(*rest, parts, -1);
    if (const auto rest = known(kValues.subtract(other, value))) return sum(parts, *rest, -1);
  }
  return std::nullopt;
}

Point Angles::of(const Parts& parts) {
  Point result{{1, 1}, {}};
  for (const auto& [angle, times] : parts) {
    const auto [entry, first] = twelfths_.try_emplace(angle);
    if (first) {
      const Residue t = random_(angle), square = t * t, one{1, 1};
      const Residue scale = raised(one + square, -1);
      entry->second = {(one - square) * scale, (t + t) * scale};
    }
    result = product(result, power(entry->second, times));
  }
  return result;
}

Point Angles::at(const Residue& angle) {
  const uint64_t value = angle.value;
  if (value == 0) return {{1, 1}, {}};
  std::optional<Parts> parts = known(value);
  if (!parts) {
    parts = by_others(value);
    if (!parts || std::ranges::any_of(*parts, [](const auto& part) {
          return std::abs(part.second) > kMostTwelfths;
        })) {
      parts = Parts{{value, kParts}};
      if (independent_.size() < kMostSeen) independent_.emplace_back(value, kValues.inverse(value));
    }
    parts_.emplace(value, *parts);
    if (seen_.size() < kMostSeen) seen_.push_back(value);
  }
  return of(*parts);
}

}  // namespace assay::identity
