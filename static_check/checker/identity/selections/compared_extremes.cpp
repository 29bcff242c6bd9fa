// Comparisons of the greatest of several numbers: which has the greatest of all.
#include <algorithm>

#include "static_check/checker/identity/algebra.h"
#include "static_check/checker/identity/selections/rankings.h"

namespace assay::checker::identity {

std::optional<std::vector<Residues>> Algebra::parts_of_extreme(const Number& x) const {
  if (x.kind != Kind::kExtreme) return std::vector{x.value};
  const ExtremeForm& form = extremes_[index(x)];
  if (form.least) return std::nullopt;
  std::vector<Residues> parts;
  for (const SetElement& element : sets_[form.set]) {
    if (element.constant >= 0) return std::nullopt;
    parts.push_back(element.value + form.shift);
    if (constants_.contains(parts.back().r)) return std::nullopt;
  }
  std::ranges::sort(parts, by_residue);
  return parts;
}

std::optional<std::pair<Number, Number>> Algebra::as_maxima(const Number& a, const Number& b) {
  if ((a.kind != Kind::kExtreme && b.kind != Kind::kExtreme) || a.is_constant() || b.is_constant())
    return std::nullopt;
  if (parts_of_extreme(a) && parts_of_extreme(b)) return std::pair{a, b};
  const Number first = negated(b), second = negated(a);
  if (parts_of_extreme(first) && parts_of_extreme(second)) return std::pair{first, second};
  return std::nullopt;
}

std::optional<Number> Algebra::extreme_is_greater(const Number& a, const Number& b) {
  const auto maxima = as_maxima(a, b);
  if (!maxima) return std::nullopt;
  const auto& [first, second] = *maxima;
  if (same_sets(*parts_of_extreme(first), *parts_of_extreme(second))) return std::nullopt;
  return select({second, first}, 0, {exact_flag(false), exact_flag(true)}, kFlag);
}

std::optional<Number> Algebra::extreme_is_equal(const Number& a, const Number& b) {
  const auto maxima = as_maxima(a, b);
  if (!maxima) return std::nullopt;
  const auto& [first, second] = *maxima;
  const auto own = *parts_of_extreme(first), other = *parts_of_extreme(second);
  if (same_sets(own, other)) return std::nullopt;
  const bool within = std::ranges::includes(other, own, by_residue);
  if (!within && !std::ranges::includes(own, other, by_residue)) return std::nullopt;
  return select(within ? std::vector{first, second} : std::vector{second, first}, 0,
                {exact_flag(true), exact_flag(false)}, kFlag);
}

}  // namespace assay::checker::identity
