#include "static_check/identity/cases/dependence.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace assay::identity {
namespace {

constexpr size_t kMostDecisions = 16;  // of a set that is kept
constexpr int kUnbounded = 1 << 20;    // bits of larger ones: more than any cases tell apart

const DecisionSet* united(const DecisionSet* a, const DecisionSet* b) {
  if (a == b || b == nullptr) return a;
  return a == nullptr ? b : a->home->united(a, b);
}

// No term depends on more than all of it does.
int limited(int bits, const DecisionSet* all) {
  return all == nullptr ? 0 : std::min(bits, all->bits);
}

uint32_t folded(uint64_t number) {
  const auto name = static_cast<uint32_t>(number ^ (number >> 32));
  return name == 0 || name == Dependence::kSeveral ? 1 : name;
}

Dependence fraction(int bits, const DecisionSet* of, int under, const DecisionSet* below,
                    uint32_t divisor, FreeRoot free_root) {
  return {limited(bits, of), of, limited(under, below), below, divisor, free_root};
}

}  // namespace

int Dependence::shown_in() const { return limited(bits + under, united(of, below)); }

Dependence sum(const Dependence& a, const Dependence& b) {
  const DecisionSet *of = united(a.of, b.of), *below = united(a.below, b.below);
  const FreeRoot free_root = std::max(a.free_root, b.free_root);
  if (a.divisor == b.divisor && a.divisor != Dependence::kSeveral)
    return fraction(std::max(a.bits, b.bits), of, std::max(a.under, b.under), below, a.divisor,
                    free_root);
  const uint32_t divisor = a.divisor == 0   ? b.divisor
                           : b.divisor == 0 ? a.divisor
                                            : Dependence::kSeveral;
  return fraction(std::max(a.bits + b.under, b.bits + a.under), united(of, below),
                  a.under + b.under, below, divisor, free_root);
}

Dependence product(const Dependence& a, const Dependence& b) {
  const uint32_t divisor = a.divisor == 0   ? b.divisor
                           : b.divisor == 0 ? a.divisor
                                            : Dependence::kSeveral;
  return fraction(a.bits + b.bits, united(a.of, b.of), a.under + b.under, united(a.below, b.below),
                  divisor, std::max(a.free_root, b.free_root));
}

Dependence function_of(const Dependence& a) {
  const DecisionSet* all = united(a.of, a.below);
  return {limited(kUnbounded, all), all, 0, nullptr, 0, a.free_root};
}

Dependence inverse(const Dependence& a, uint64_t number) {
  if (a.of == nullptr && a.below == nullptr) return {0, nullptr, 0, nullptr, 0, a.free_root};
  return {a.under,    a.below, a.bits, a.of, a.divisor == 0 ? folded(number) : Dependence::kSeveral,
          a.free_root};
}

DecisionSets::DecisionSets() : many_{this, {}, kUnbounded} {}

Dependence DecisionSets::on_one_of(uint64_t key, int64_t count) {
  return on_worth(
      key, static_cast<int>(std::ceil(Dependence::kBit * std::log2(static_cast<double>(count)))));
}

Dependence DecisionSets::on_worth(uint64_t key, int worth) {
  return {worth, intern({{key, worth}})};
}

const DecisionSet* DecisionSets::intern(std::vector<std::pair<uint64_t, int>> decisions) {
  std::unique_ptr<const DecisionSet>& known = sets_[decisions];
  if (known == nullptr) {
    int bits = 0;
    for (const auto& [key, worth] : decisions) bits += worth;
    known = std::make_unique<const DecisionSet>(DecisionSet{this, std::move(decisions), bits});
  }
  return known.get();
}

const DecisionSet* DecisionSets::united(const DecisionSet* a, const DecisionSet* b) {
  if (a == &many_ || b == &many_) return &many_;
  const auto [known, first] = unions_.try_emplace(std::minmax(a, b), &many_);
  if (!first) return known->second;
  std::vector<std::pair<uint64_t, int>> all;
  std::ranges::merge(a->decisions, b->decisions, std::back_inserter(all));
  // Of one key the last has the greater worth.
  std::vector<std::pair<uint64_t, int>> decisions;
  for (const auto& decision : all) {
    if (!decisions.empty() && decisions.back().first == decision.first) decisions.pop_back();
    decisions.push_back(decision);
  }
  if (decisions.size() <= kMostDecisions) known->second = intern(std::move(decisions));
  return known->second;
}

}  // namespace assay::identity
