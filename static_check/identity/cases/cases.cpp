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
  if (use == Use::kFlag && at.of_inputs) known_ties_.meet(form_of(number), threshold, with_ties_);
  add_decision(decisions_.on(mixed_key(std::min(number, other)), worth(at, use)));
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

// A side, an interval of it, and what ties have of the cases: of what is drawn an eighth, of inputs
// a half of every second case is for all that they are compared with.
int Cases::worth(const Place& of, Use use) const {
  int place = thresholds_.all().size() > 1 ? thresholds_.bits() + 2 : 1;
  if (ordered_) place += 2;  // others that are positive make it so more often
  if (use == Use::kContinuous) return place;
  return of.of_inputs
             ? std::max(place + 1, 2 + static_cast<int>(std::bit_width(known_ties_.most() - 1)))
             : place + 3;
}

const Cases::Place& Cases::place(uint64_t number) {
  const auto found = places_.find(number);
  if (found != places_.end()) return found->second;
  const std::optional<int> implied = ordered_ ? implied_side(number) : std::nullopt;
  Place place{0, implied.value_or(symbol(side_of(number))), !form_of(number).empty()};
  if (placed_.size() < kMostPlaced) placed_.emplace_back(number, kValues.inverse(number));
  std::vector<double> beyond;  // thresholds of that side, by their distance from 0
  for (const Rational& threshold : thresholds_.all())
    if (threshold.to_double() * place.side > 0) beyond.push_back(std::abs(threshold.to_double()));
  std::ranges::sort(beyond);
  const bool tied = !implied && !place.of_inputs && draw(mixed_key(number) + 1, 8) == 0;
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

LinearForm Cases::form_of(uint64_t number) const {
  if (const auto known = forms_.find(number); known != forms_.end()) return known->second;
  const auto opposite = forms_.find(kValues.negative(number));
  if (opposite == forms_.end()) return {};
  LinearForm form = opposite->second;
  for (auto& [input, coefficient] : form) coefficient = -coefficient;
  return form;
}

void Cases::learn_sum(uint64_t number, uint64_t x, const Rational& a, uint64_t y,
                      const Rational& b) {
  if (forms_.size() >= kMostKnown || number == 0) return;
  LinearForm form = combined(form_of(x), a, form_of(y), b);
  if (!form.empty()) forms_.try_emplace(number, std::move(form));
}

bool Cases::coin(uint64_t key) {
  add_decision(decisions_.on(mixed_key(key), 1));
  return draw(key, 2) == 1;
}

uint64_t Cases::draw(uint64_t key) const {
  return mixed_key(mixed_key(seed_ + 0x9E3779B97F4A7C15ull) ^ mixed_key(key));
}

const Ties::Tie* Cases::tie(const Input& input, uint64_t residue) const {
  const std::vector<Ties::Tie>& ties = known_ties_.of(input);
  if (!with_ties_ || ties.empty() || draw(mixed_key(residue) + 9, 2) != 0) return nullptr;
  return &ties[draw(mixed_key(residue) + 10, ties.size())];
}

void Cases::learn_input(const Input& input, uint64_t residue) {
  if (forms_.size() < kMostKnown) forms_.try_emplace(residue, LinearForm{{input, Rational(1)}});
}

}  // namespace assay::identity
