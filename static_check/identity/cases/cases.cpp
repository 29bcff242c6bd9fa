#include "static_check/identity/cases/cases.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "static_check/identity/field.h"

namespace assay::identity {
namespace {

constexpr size_t kMostThresholds = 17;
// Numbers whose sums are looked for: a search is linear in them.
constexpr size_t kMostPositives = 256;
constexpr size_t kMostInputs = 4096;
// Numbers that others are compared with, as multiples by what is positive.
constexpr size_t kMostPlaced = 64;
constexpr size_t kMostKnown = size_t{1} << 14;

uint64_t mixed_key(uint64_t state) {
  state = (state ^ (state >> 32)) * 0xD6E8FEB86659FD93ull;
  state = (state ^ (state >> 32)) * 0xD6E8FEB86659FD93ull;
  return state ^ (state >> 32);
}

// The Legendre symbol of what is not 0: odd, as p is 3 modulo 4, and multiplicative as signs are;
// exponentials, powers of a square, have the symbol 1.
int symbol(uint64_t number) {
  return kValues.power(number, (kValues.modulus() - 1) / 2) == 1 ? 1 : -1;
}

}  // namespace

void Thresholds::meet(const Rational& at) {
  const auto add = [&](const Rational& value) {
    if (std::ranges::find(all_, value) != all_.end()) return;
    if (all_.size() == kMostThresholds) throw NotRepresented{"too many constants to compare with"};
    all_.push_back(value);
    std::ranges::sort(all_, {}, [](const Rational& x) { return x.to_double(); });
  };
  add(at);
  add(-at);
}

int Thresholds::bits() const { return static_cast<int>(std::bit_width(all_.size()) - 1); }

int Cases::sign(uint64_t number, const Rational& scale, const Rational& offset, Use use) {
  const Rational threshold = -offset / scale;
  thresholds_.meet(threshold);
  compared_ |= use == Use::kFlag;
  const uint64_t other = kValues.negative(number);
  const int turned = (number <= other ? 1 : -1) * (scale.is_negative() ? -1 : 1);
  const Place& at = place(std::min(number, other));
  add_decision(Dependence::on(mixed_key(std::min(number, other)), worth(at, use)));
  const double wanted = number <= other ? threshold.to_double() : -threshold.to_double();
  if (at.at > wanted) return turned;
  if (at.at < wanted) return -turned;
  const uint64_t key = std::min(number, other);
  if (use == Use::kFlag) {
    ties_.asked.try_emplace(key, turned);
    return 0;
  }
  const auto asked = ties_.asked.find(key);
  return turned * (asked == ties_.asked.end() ? at.side : asked->second * ties_.side);
}

// A side, an interval of it, and what ties have of the cases: of an input with a constant a quarter
// of every second, of two inputs a sixteenth of these.
int Cases::worth(const Place& of, Use use) const {
  int place = thresholds_.all().size() > 1 ? thresholds_.bits() + 2 : 1;
  if (ordered_) place += 2;  // others that are positive make it so more often
  if (use == Use::kContinuous) return place;
  return of.source == Source::kDifference ? 8 : place + 3;
}

const Cases::Place& Cases::place(uint64_t number) {
  const auto found = places_.find(number);
  if (found != places_.end()) return found->second;
  const std::optional<int> implied = ordered_ ? implied_side(number) : std::nullopt;
  Place place{0, implied.value_or(symbol(side_of(number))), source_of(number)};
  if (placed_.size() < kMostPlaced) placed_.emplace_back(number, kValues.inverse(number));
  std::vector<double> beyond;  // thresholds of that side, by their distance from 0
  for (const Rational& threshold : thresholds_.all())
    if (threshold.to_double() * place.side > 0) beyond.push_back(std::abs(threshold.to_double()));
  std::ranges::sort(beyond);
  const bool tied =
      !implied && place.source == Source::kComputed && draw(mixed_key(number) + 1, 8) == 0;
  if (tied) {
    const uint64_t which = draw(mixed_key(number) + 2, beyond.size() + 1);
    place.at = which == 0 ? 0 : beyond[which - 1] * place.side;
  } else {
    const uint64_t which = draw(mixed_key(number) + 3, beyond.size() + 1);
    const double from = which == 0 ? 0 : beyond[which - 1];
    const double to = which == beyond.size() ? from + 2 : beyond[which];
    place.at = (from + to) / 2 * place.side;
  }
  if (positives_.size() < kMostPositives && place.at != 0) {
    const uint64_t positive = place.side > 0 ? number : kValues.negative(number);
    if (positive_.insert(positive).second) positives_.push_back(positive);
  }
  return places_.emplace(number, place).first->second;
}

void Cases::learn_nonnegative(uint64_t number, bool positive) {
  if (sides_.size() >= kMostKnown || number == 0) return;
  sides_.insert_or_assign(number, 1);
  if (!positive) return;
  always_positive_.insert(number);
  some_positive_.add(number);
}

void Cases::learn_same_side(uint64_t number, uint64_t as) {
  if (sides_.size() < kMostKnown && number != as && as != 0)
    sides_.try_emplace(number, side_of(as));
}

uint64_t Cases::side_of(uint64_t number) const {
  const uint64_t negative = kValues.negative(number);
  if (const auto found = sides_.find(number); found != sides_.end()) return found->second;
  if (const auto found = sides_.find(negative); found != sides_.end())
    return kValues.negative(found->second);
  if (placed_.empty() || always_positive_.empty()) return number;
  const uint64_t inverse = kValues.inverse(number);
  for (const auto& [other, other_inverse] : placed_) {
    const auto known = places_.find(other);
    if (known == places_.end()) continue;  // this one
    const uint64_t quotients[] = {kValues.multiply(other, inverse),
                                  kValues.multiply(number, other_inverse)};
    const uint64_t side = known->second.side > 0 ? 1 : kValues.negative(1);
    for (const uint64_t quotient : quotients) {
      const auto is_positive = [&](uint64_t of) {
        return some_positive_.may_hold(of) && always_positive_.contains(of);
      };
      if (is_positive(quotient)) return side;
      if (is_positive(kValues.negative(quotient))) return kValues.negative(side);
    }
  }
  return number;
}

std::optional<int> Cases::implied_side(uint64_t number) const {
  const uint64_t negative = kValues.negative(number);
  for (const uint64_t summand : positives_) {
    if (positive_.contains(kValues.subtract(number, summand))) return 1;
    if (positive_.contains(kValues.subtract(negative, summand))) return -1;
  }
  return std::nullopt;
}

Cases::Source Cases::source_of(uint64_t number) const {
  if (input_.contains(number) || input_.contains(kValues.negative(number))) return Source::kInput;
  const bool is_difference = std::ranges::any_of(inputs_, [&](const Residue& input) {
    const uint64_t other = kValues.add(number, input.value);
    return some_inputs_.may_hold(other) && input_.contains(other);
  });
  return is_difference ? Source::kDifference : Source::kComputed;
}

bool Cases::coin(uint64_t key) {
  add_decision(Dependence::on(mixed_key(key), 1));
  return draw(key, 2) == 1;
}

uint64_t Cases::draw(uint64_t key) const {
  return mixed_key(mixed_key(seed_ + 0x9E3779B97F4A7C15ull) ^ mixed_key(key));
}

std::optional<Rational> Cases::tied_to_constant(uint64_t input) const {
  if (!with_ties_ || draw(mixed_key(input) + 4, 4) != 0) return std::nullopt;
  return thresholds_.all()[draw(mixed_key(input) + 5, thresholds_.all().size())];
}

Residue Cases::input(const Residue& input) {
  const auto [known, first] = input_.try_emplace(input.value, input);
  if (!first) return known->second;
  some_inputs_.add(input.value);
  const uint64_t key = mixed_key(input.value);
  if (with_ties_ && !inputs_.empty() && draw(key + 6, 4) == 0) {
    // Those that are near are more often compared.
    const uint64_t back = draw(key + 7, 2) == 0 ? 8 : inputs_.size();
    const uint64_t distance = draw(key + 8, std::min<uint64_t>(back, inputs_.size()));
    known->second = inputs_[inputs_.size() - 1 - distance];
  } else if (inputs_.size() < kMostInputs) {
    inputs_.push_back(input);
  }
  return known->second;
}

}  // namespace assay::identity
