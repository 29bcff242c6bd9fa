// A row that ranks its own places: where it says which member stands at each place, sorting it says
// at which place each member stands.
#include <algorithm>

#include "static_check/checker/identity/algebra.h"
#include "static_check/checker/identity/selections/rankings.h"

namespace assay::checker::identity {

// Whether place by place it is the number of the member that stands there, and these are 0, 1, ...
bool Algebra::numbers_members(const std::vector<Number>& row) const {
  const Selection* first = row.empty() ? nullptr : selection_of(row[0]);
  if (first == nullptr || row.size() > static_cast<size_t>(kMostSorted)) return false;
  std::vector<PlainInt> numbers;
  for (const Number& value : first->values) {
    if (!value.is_constant() || !rational(value).is_integer()) return false;
    numbers.push_back(static_cast<PlainInt>(rational(value).numerator()));
  }
  std::ranges::sort(numbers);
  for (size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != static_cast<PlainInt>(i)) return false;
  if (numbers.size() != row.size()) return false;
  for (size_t place = 0; place < row.size(); ++place) {
    const Selection* here = selection_of(row[place]);
    if (here == nullptr || here->ranking.index ||
        here->ranking.place != static_cast<PlainInt>(place) ||
        here->ranking.members.size() != row.size())
      return false;
    for (size_t member = 0; member < row.size(); ++member) {
      const std::vector<Residues>& parts = here->ranking.members[member];
      if (parts.size() != 1 || !same_sets(parts, first->ranking.members[member]) ||
          here->values[member].value.r != first->values[member].value.r)
        return false;
    }
  }
  return true;
}

std::optional<std::vector<Number>> Algebra::places_of_members(const std::vector<Number>& row) {
  if (cases() != nullptr || !numbers_members(row)) return std::nullopt;
  std::vector<Number> places;
  for (size_t member = 0; member < row.size(); ++member) {
    const Number number = exact(Rational(static_cast<PlainInt>(member)), row[0].type);
    std::vector<Number> stands;
    Residues total;
    for (size_t place = 0; place < row.size(); ++place) {
      stands.push_back(equal(row[place], number));
      const Residues factor = residues_of(Rational(static_cast<PlainInt>(place)));
      total = total + stands.back().value * factor;
    }
    places.push_back(ordinary(total, row[0].type));
    places.back().in_range = true;
    bounded(places.back(), static_cast<float>(row.size()));
    stands_.insert_or_assign(total.r, std::move(stands));
  }
  return places;
}

std::optional<bool> Algebra::place_lies_in(const Number& index, const Table& table) const {
  const auto known = stands_.find(index.value.r);
  if (!index.is_finite() || known == stands_.end()) return std::nullopt;
  for (size_t place = 0; place < known->second.size(); ++place)
    if (!table.contains(static_cast<PlainInt>(place))) return false;
  return true;
}

std::optional<Number> Algebra::is_place(const Number& index, PlainInt place) {
  const auto known = stands_.find(index.value.r);
  if (!index.is_finite() || known == stands_.end()) return std::nullopt;
  if (place < 0 || place >= static_cast<PlainInt>(known->second.size())) return exact_flag(false);
  return known->second[static_cast<size_t>(place)];
}

}  // namespace assay::checker::identity
