#include "static_check/domains/trials/input_numbers.h"

#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include "static_check/algebra/each_element.h"

namespace assay {
namespace {

using Signs = InputNumbers::Signs;

struct DrawKind {
  Signs signs;
  double scale;
};

// The first is one for which most functions are defined.
DrawKind draw_kind(size_t draw) {
  constexpr std::array kSigns = {Signs::kAllPositive, Signs::kBoth, Signs::kAllNegative};
  constexpr std::array kScales = {1.0, 0.1, 10.0};
  if (draw < kSigns.size() * kScales.size())
    return {kSigns[draw % kSigns.size()], kScales[draw / kSigns.size()]};
  return {Signs::kByInput, kScales[draw % kScales.size()]};
}

// In the last draws: somewhere, everywhere, and at the same places of all inputs (0/0).
bool has_zero(size_t draw, int64_t place, std::mt19937_64& random) {
  if (draw < InputNumbers::kDraws - InputNumbers::kDrawsWithZeros) return false;
  if (draw < InputNumbers::kDraws - 3) return random() % 3 == 0;
  if (draw == InputNumbers::kDraws - 3) return true;
  return static_cast<size_t>(place) % 2 == draw % 2;
}

double with_sign(double magnitude, Signs signs, bool negative) {
  if (signs != Signs::kBoth) negative = signs == Signs::kAllNegative;
  return negative ? -magnitude : magnitude;
}

// What a rank has of a sum over ranks: as much as its part of the summed labels is of all.
double share(const std::vector<Restriction>& restrictions) {
  double share = 1;
  for (const Restriction& r : restrictions) {
    if (r.kind != Restriction::Kind::kBox) throw InputNumbers::Unknown{};
    int64_t count = 0;
    for (const Interval& interval : r.intervals) count += interval.hi - interval.lo;
    share *= static_cast<double>(count) / static_cast<double>(r.radix);
  }
  return share;
}

int64_t piece_value(const PiecewiseAffine& map, double number) {
  const auto x = static_cast<int64_t>(number);
  for (const auto& piece : map.pieces)
    if (piece.x.lo <= x && x < piece.x.hi) return piece.a * x + piece.b;
  throw InputNumbers::Unknown{};
}

}  // namespace

ReferenceTensor InputNumbers::of(const Value& value) {
  ReferenceTensor made{value.shape,
                       std::vector<double>(static_cast<size_t>(reference::count_of(value.shape)))};
  for_each_element(value, [&](const Tile& tile, const std::vector<int64_t>& at, size_t place) {
    double sum = 0;
    for (const Term& term : tile.terms)
      sum += term.coef.to_double() * share(term.restrictions) *
             element(term, address_at(term.layout, at));
    for (const PiecewiseAffine& map : tile.integer)
      sum += static_cast<double>(
          piece_value(map, numbers(map.atom).at(static_cast<size_t>(address_at(map.layout, at)))));
    made.values[place] = sum;
  });
  return made;
}

double InputNumbers::element(const Term& term, int64_t address) {
  if (term.atom == lifting_.one()) return 1;
  return numbers(term.atom).at(static_cast<size_t>(address));
}

// An index lies in its table, or is an ignore_index as often as not; in some draws all are the
// first, or the last, of what they may be. Of others, in every second draw one that lies in most
// tables.
double InputNumbers::integer(const Intervals& values, Signs own, std::mt19937_64& random) const {
  constexpr int64_t kMostValues = int64_t{1} << 40;
  int64_t count = 0;
  for (const Interval& interval : values) {
    if (interval.lo < -kMostValues || interval.hi > kMostValues) {
      const uint64_t below = draw_ % 2 == 0 ? 4 : 256;
      const auto number = static_cast<double>(random() % below);
      return below > 4 ? with_sign(number, own, random() % 2 == 0) : number;
    }
    count += interval.hi - interval.lo;
  }
  if (count == 0) throw Unknown{};
  const uint64_t kind = draw_ % 4;
  if (kind == 0) {
    const Interval& part = values[random() % values.size()];
    return static_cast<double>(part.lo) +
           static_cast<double>(random() % static_cast<uint64_t>(part.hi - part.lo));
  }
  const uint64_t any = random() % static_cast<uint64_t>(count);
  auto place = static_cast<int64_t>(kind == 1   ? 0
                                    : kind == 3 ? static_cast<uint64_t>(count) - 1
                                                : any);
  for (const Interval& interval : values) {
    if (place < interval.hi - interval.lo) return static_cast<double>(interval.lo + place);
    place -= interval.hi - interval.lo;
  }
  throw Unknown{};
}

// In some order, next to each other or with room between them, as slots of pages are.
std::vector<double> InputNumbers::distinct_integers(const Intervals& values, int64_t size,
                                                    std::mt19937_64& random) const {
  constexpr int64_t kMostValues = int64_t{1} << 40;
  constexpr std::array<int64_t, 4> kSteps = {1, 1, 4, 64};
  int64_t count = 0;
  for (const Interval& interval : values)
    count += std::min(interval.hi, kMostValues) - std::max(interval.lo, -kMostValues);
  std::vector<int64_t> order(static_cast<size_t>(size));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::shuffle(order.begin(), order.end(), random);
  const int64_t step = kSteps[draw_ % kSteps.size()];
  std::vector<double> numbers;
  const bool any = std::ranges::any_of(values, [](const Interval& interval) {
    return interval.lo < -kMostValues || interval.hi > kMostValues;
  });
  for (const int64_t at : order) {
    int64_t place = any ? at * step : at * step % std::max<int64_t>(count, 1);
    if (any) {
      numbers.push_back(static_cast<double>(place));
      continue;
    }
    for (const Interval& interval : values) {
      if (place < interval.hi - interval.lo) {
        numbers.push_back(static_cast<double>(interval.lo + place));
        break;
      }
      place -= interval.hi - interval.lo;
    }
  }
  if (numbers.size() != order.size()) throw Unknown{};
  return numbers;
}

const std::vector<double>& InputNumbers::numbers(AtomId id) {
  const auto [known, first] = numbers_.try_emplace(id);
  if (!first) return known->second;
  const Atom& atom = lifting_.atom(id);
  if (atom.kind != Atom::Kind::kInput && atom.kind != Atom::Kind::kUninit) throw Unknown{};
  std::mt19937_64 random(draw_ * 7919 + static_cast<uint64_t>(id));
  std::normal_distribution<double> normal;
  const auto [signs, scale] = draw_kind(draw_);
  Signs own = signs;
  if (distinct_ && is_integer(atom.dtype) && !is_bool(atom.dtype))
    return known->second = distinct_integers(lifting_.index_values(id), atom.size, random);
  if (own == Signs::kByInput) own = random() % 2 == 0 ? Signs::kAllPositive : Signs::kAllNegative;
  for (int64_t i = 0; i < atom.size; ++i) {
    double number = 0;
    if (is_bool(atom.dtype)) {
      number = static_cast<double>(random() % 2);
    } else if (is_integer(atom.dtype)) {
      number = integer(lifting_.index_values(id), own, random);
    } else {
      number = normal(random) * scale;
      number = with_sign(std::abs(number), own, number < 0);
      if (has_zero(draw_, i, random)) number = 0;
    }
    known->second.push_back(number);
  }
  return known->second;
}

}  // namespace assay
