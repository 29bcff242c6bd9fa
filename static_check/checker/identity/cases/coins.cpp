#include "static_check/checker/identity/cases/coins.h"

#include <algorithm>

namespace assay::checker::identity {
namespace {

constexpr size_t kMostCoins = 16;      // that a set is kept of
constexpr float kUnbounded = 1 << 20;  // bits of larger ones: more than any trials tell apart

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

Dependence Coins::either(const Dependence& a, const Dependence& b) {
  return {std::max(a.bits, b.bits), united(a.coins, b.coins)};
}

Dependence Coins::both(const Dependence& a, const Dependence& b) {
  Dependence result{a.bits + b.bits, united(a.coins, b.coins)};
  if (result.coins != kManyCoins)
    result.bits = std::min(result.bits, sets_[static_cast<size_t>(result.coins)].bits);
  return result;
}

Dependence Coins::function_of(const Dependence& a) const {
  return {a.coins == kManyCoins ? kUnbounded : sets_[static_cast<size_t>(a.coins)].bits, a.coins};
}

}  // namespace assay::checker::identity
