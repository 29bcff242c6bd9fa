// x z > y z is x > y for any z > 0, and rows x z are in the order of x: which positive numbers are
// in a product is put down as it is made.
#include "static_check/checker/identity/selections/selections.h"

namespace assay::checker::identity {
namespace {

constexpr size_t kMostFactors = size_t{1} << 16;

bool may_share(const Number& x) {
  return x.is_finite() && !x.is_constant() && x.kind != Kind::kLog && x.type == kReal &&
         x.value.r != 0 && x.value.e != 0;
}

}  // namespace

Residues SharedFactors::factor_of(const Number& x) const {
  if (x.positive) return x.value;
  const auto known = factors.find(x.value.r);
  return known == factors.end() ? Residues{1, 1} : known->second;
}

void SharedFactors::learn_product(const Number& product, const Number& a, const Number& b) {
  if (factors.size() >= kMostFactors || !may_share(a) || !may_share(b) || !may_share(product))
    return;
  if (a.positive) positive.insert(a.value.r);
  if (b.positive) positive.insert(b.value.r);
  if (a.positive && b.positive) return;
  const Residues factor = factor_of(a) * factor_of(b);
  if (factor.r != 1) factors.try_emplace(product.value.r, factor);
}

void SharedFactors::learn_multiple(const Number& product, const Number& of, const Rational& by) {
  if (factors.size() >= kMostFactors || by.is_zero() || !may_share(of) || !may_share(product) ||
      (of.positive && by.is_positive()))
    return;
  const Residues factor = factor_of(of);
  if (factor.r == 1) return;
  factors.try_emplace(product.value.r, factor * residues_of(by.is_negative() ? -by : by));
}

// What all terms have in common the sum has.
void SharedFactors::learn_sum(const Number& sum, const std::vector<Number>& terms) {
  if (factors.empty() || factors.size() >= kMostFactors || terms.size() < 2 || !may_share(sum))
    return;
  std::optional<Residues> common;
  for (const Number& x : terms) {
    if (x.is_constant() || x.positive) return;
    const auto known = factors.find(x.value.r);
    if (known == factors.end() || (common && common->r != known->second.r)) return;
    common = known->second;
  }
  factors.try_emplace(sum.value.r, *common);
}

std::optional<Residues> SharedFactors::times_earlier(const Row& row, size_t length) {
  constexpr size_t kMostRows = size_t{1} << 14, kMostCompared = 256, kMostTried = size_t{1} << 19;
  Rows& known = rows[length];
  // Of two numbers the row may be turned round.
  std::vector<Residues> spreads{row.spread};
  if (length == 2) spreads.push_back(-row.spread);
  for (const Residues& spread : spreads)
    if (known.spreads.contains(spread.r)) return std::nullopt;
  const uint64_t below = row.factor.r == 0 ? 0 : signed_power<kP>(row.factor.r, -1);
  for (const Residues& spread : spreads) {
    if (const auto same = known.by_quotient.find(times<kP>(spread.r, below));
        below != 0 && same != known.by_quotient.end())
      return spread * inverse(known.asked[same->second].spread);
    if (positive.empty()) continue;
    const uint64_t over = signed_power<kP>(spread.r, -1);
    for (size_t i = 0; i < known.asked.size() && i < kMostCompared && tried < kMostTried; ++i) {
      ++tried;
      const Residues& earlier = known.asked[i].spread;
      const uint64_t down = times<kP>(earlier.r, over);
      if (is_positive(down)) return spread * inverse(earlier);
      // Dividing by it: the factor itself is found by its own inverse.
      const uint64_t up = signed_power<kP>(down, -1);
      if (is_positive(up)) return spread * inverse(earlier);
    }
  }
  if (known.asked.size() >= kMostRows) return std::nullopt;
  known.spreads.insert(row.spread.r);
  if (below != 0) known.by_quotient.emplace(times<kP>(row.spread.r, below), known.asked.size());
  known.asked.push_back(row);
  return std::nullopt;
}

}  // namespace assay::checker::identity
