#include "static_check/checker/identity/cases/coins.h"

#include <algorithm>

namespace assay::checker::identity {
namespace {

constexpr size_t kMostCoins = 16;      // that a set is kept of
constexpr float kUnbounded = 1 << 20;  // bits of larger ones: more than any trials tell apart

uint64_t divisors(const Dependence& a, const Dependence& b) {
  if (a.divisor == 0) return b.divisor;
  return b.divisor == 0 ? a.divisor : kSeveralDivisors;
}

}  // namespace

Coins::Coins() { intern({}); }

int32_t Coins::intern(Set set) {
  const auto [found, first] = by_coins_.try_emplace(set.coins, static_cast<int32_t>(sets_.size()));
  if (first) sets_.push_back(std::move(set));
  return found->second;
}

Dependence Coins::coin(uint64_t key, float bits) {
  tossed_ = true;
  return {bits, intern({{{key, bits}}, bits})};
}

float Coins::most(int32_t coins) const {
  return coins == kManyCoins ? kUnbounded : sets_[static_cast<size_t>(coins)].bits;
}

int32_t Coins::united(int32_t a, int32_t b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  if (a == kManyCoins || b == kManyCoins) return kManyCoins;
  const auto low = static_cast<uint64_t>(std::min(a, b)),
             high = static_cast<uint64_t>(std::max(a, b));
  const auto [known, first] = unions_.try_emplace(high << 32U | low, kManyCoins);
  if (!first) return known->second;
  const Set &one = sets_[low], &other = sets_[high];
  Set set;
  for (auto i = one.coins.begin(), j = other.coins.begin();
       i != one.coins.end() || j != other.coins.end();) {
    const bool left = j == other.coins.end() || (i != one.coins.end() && i->first <= j->first);
    const bool right = i == one.coins.end() || (j != other.coins.end() && j->first <= i->first);
    const uint64_t key = left ? i->first : j->first;
    const float bits = std::max(left ? i->second : 0, right ? j->second : 0);
    set.coins.emplace_back(key, bits);
    set.bits += bits;
    if (left) ++i;
    if (right) ++j;
  }
  if (set.coins.size() > kMostCoins) return kManyCoins;
  return known->second = intern(std::move(set));
}

Dependence Coins::fraction(float bits, int32_t coins, float below, int32_t coins_below,
                           uint64_t divisor) const {
  return {std::min(bits, most(coins)), coins, std::min(below, most(coins_below)), coins_below,
          divisor};
}

Dependence Coins::either(const Dependence& a, const Dependence& b) {
  const int32_t coins = united(a.coins, b.coins), below = united(a.coins_below, b.coins_below);
  // Two divisors that are equal in all trials are one function, or few trials tell them apart; in
  // the others this is counted in full.
  if (a.divisor == b.divisor && a.divisor != kSeveralDivisors)
    return fraction(std::max(a.bits, b.bits), coins, std::max(a.below, b.below), below, a.divisor);
  return fraction(std::max(a.bits + b.below, b.bits + a.below), united(coins, below),
                  a.below + b.below, below, divisors(a, b));
}

Dependence Coins::both(const Dependence& a, const Dependence& b) {
  return fraction(a.bits + b.bits, united(a.coins, b.coins), a.below + b.below,
                  united(a.coins_below, b.coins_below), divisors(a, b));
}

Dependence Coins::function_of(const Dependence& a) {
  const int32_t all = united(a.coins, a.coins_below);
  return {most(all), all};
}

Dependence Coins::inverse(const Dependence& x, uint64_t r) const {
  if (x.coins == 0 && x.coins_below == 0) return {};
  return {x.below, x.coins_below, x.bits, x.coins, x.divisor == 0 ? r : kSeveralDivisors};
}

float Coins::shown_by(const Dependence& a, const Dependence& b) {
  const Dependence difference = either(a, b);
  return std::min(difference.bits + difference.below,
                  most(united(difference.coins, difference.coins_below)));
}

}  // namespace assay::checker::identity
