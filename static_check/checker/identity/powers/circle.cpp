#include "static_check/checker/identity/powers/circle.h"

#include <algorithm>

namespace assay::checker::identity {
namespace {

constexpr PlainInt kSixtieths = 60, kMostTurns = 60 * 60;
constexpr size_t kMostAsked = 192;

using Point = Circle::Point;

Point joined(const Point& a, const Point& b) {
  return {a.first * b.first - a.second * b.second, a.second * b.first + a.first * b.second};
}

Point multiple(Point of, PlainInt times) {
  if (times < 0) of.second = -of.second;
  Point result{{1, 1}, {}};
  for (PlainInt left = times < 0 ? -times : times; left > 0; left /= 2) {
    if (left % 2 == 1) result = joined(result, of);
    of = joined(of, of);
  }
  return result;
}

}  // namespace

std::optional<Circle::Turns> Circle::known(uint64_t angle) const {
  if (const auto found = turns_.find(angle); found != turns_.end()) return found->second;
  if (const auto found = turns_.find(minus<kP>(angle)); found != turns_.end()) {
    Turns opposite = found->second;
    for (auto& [of, turn] : opposite) turn = -turn;
    return opposite;
  }
  return std::nullopt;
}

// A multiple or part of one that was asked for, or the sum or difference of two.
std::optional<Circle::Turns> Circle::composed(uint64_t angle) const {
  if (auto turns = known(angle)) return turns;
  for (const uint64_t other : asked_) {
    const Turns& turns = turns_.at(other);
    for (PlainInt p = 1; p <= 6; ++p)
      for (PlainInt q = 1; q <= 6; ++q) {
        const uint64_t left = times<kP>(angle, static_cast<uint64_t>(q)),
                       right = times<kP>(other, static_cast<uint64_t>(p));
        if (left != right && left != minus<kP>(right)) continue;
        const PlainInt sign = left == right ? 1 : -1;
        if (std::any_of(turns.begin(), turns.end(),
                        [&](const auto& turn) { return turn.second * p % q != 0; }))
          continue;
        Turns part;
        for (const auto& [of, turn] : turns) part[of] = sign * turn * p / q;
        return part;
      }
    for (const bool less : {false, true}) {
      // angle = rest + other, or rest - other.
      auto rest = known(plus<kP>(angle, less ? other : minus<kP>(other)));
      if (!rest) continue;
      for (const auto& [of, turn] : turns) (*rest)[of] += less ? -turn : turn;
      return rest;
    }
  }
  return std::nullopt;
}

Point Circle::point(const Residues& angle) {
  if (angle.r == 0) return {{1, 1}, {}};
  if (!turns_.contains(angle.r)) {
    auto turns = composed(angle.r);
    const bool long_way = turns && std::any_of(turns->begin(), turns->end(), [](const auto& turn) {
                            return turn.second > kMostTurns || turn.second < -kMostTurns;
                          });
    if (!turns || long_way) turns = Turns{{angle.r, kSixtieths}};
    turns_.emplace(angle.r, std::move(*turns));
    if (asked_.size() < kMostAsked) asked_.push_back(angle.r);
  }
  Point result{{1, 1}, {}};
  for (const auto& [of, turn] : turns_.at(angle.r)) {
    const uint64_t keys[] = {of};
    const Residues tangent = random_("angle", keys), square = tangent * tangent, one{1, 1};
    const Residues scale = inverse(one + square);
    result = joined(result, multiple({(one - square) * scale, (tangent + tangent) * scale}, turn));
  }
  return result;
}

}  // namespace assay::checker::identity
