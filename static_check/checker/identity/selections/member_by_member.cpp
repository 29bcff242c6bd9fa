// Functions of selections by one row, or by a row and a part of it.
#include <algorithm>
#include <iterator>

#include "static_check/checker/identity/algebra.h"
#include "static_check/checker/identity/selections/rankings.h"

namespace assay::checker::identity {
namespace {

// How deep selections are nested whose members a function is taken of.
constexpr size_t kMostNested = 12;

class Nested {
 public:
  explicit Nested(size_t& depth) : depth_(depth) { ++depth_; }
  ~Nested() { --depth_; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;

 private:
  size_t& depth_;
};

}  // namespace

// What stands at that place of the members themselves, or c exp of the greatest.
// The first of some numbers whose order is that of the members.
std::optional<std::vector<Number>> Algebra::members_alike(const Number& x, const Ranking& ranking) {
  if (ranking.place != 0 || shared_.alike.empty()) return std::nullopt;
  const auto alike = shared_.alike.find(x.value.r);
  if (alike == shared_.alike.end()) return std::nullopt;
  std::map<uint64_t, Residues> in_place_of;
  std::vector<Residues> row;
  for (const auto& [number, member] : alike->second) {
    if (!in_place_of.emplace(member.r, number).second) return std::nullopt;
    row.push_back(member);
  }
  const Rational times = multiple_of_row(row);
  std::vector<Number> values;
  for (const auto& parts : ranking.members) {
    const auto number = in_place_of.find((parts[0] * residues_of(times)).r);
    if (number == in_place_of.end()) return std::nullopt;
    values.push_back(ordinary(number->second));
  }
  return values.size() == row.size() ? std::optional(values) : std::nullopt;
}

std::optional<std::vector<Number>> Algebra::members_as_values(const Number& x,
                                                              const Ranking& ranking) {
  if (ranking.of_flag) return values_by_flag(x, ranking);
  if (ranking.index || !x.is_finite() || is_integer_type(x.type)) return std::nullopt;
  for (const auto& parts : ranking.members)
    if (parts.size() != 1) return std::nullopt;
  const std::vector<Residues> members = parts_of(ranking);
  std::vector<Number> values;
  const auto standing = ranking.place == 0 ? std::nullopt : standing_of(x.value);
  if (ranking.place != 0 && (!standing || standing->place != ranking.place)) return std::nullopt;
  if (auto alike = members_alike(x, ranking)) return alike;
  if (standing || (x.kind == Kind::kExtreme && !extremes_[index(x)].least)) {
    std::vector<Residues> set = standing ? standing->row : std::vector<Residues>{};
    if (!standing) {
      const ExtremeForm& form = extremes_[index(x)];
      for (const SetElement& element : sets_[form.set]) set.push_back(element.value + form.shift);
    }
    const Rational times = multiple_of_row(set);
    if (!same_sets(times_constant(std::move(set), Rational(1) / times), members))
      return std::nullopt;
    for (const auto& parts : ranking.members)
      values.push_back(ordinary(parts[0] * residues_of(times)));
    return values;
  }
  if (x.kind != Kind::kOrdinary || !x.positive || selection_of(x) != nullptr) return std::nullopt;
  std::vector<Number> row;
  for (const Residues& member : members) row.push_back(ordinary(member));
  const Number greatest = standing_at(0, row);
  if (spell(x.value, 0).exponent.r != greatest.value.r) return std::nullopt;
  for (const auto& parts : ranking.members)
    values.push_back(multiply(x, exp(subtract(ordinary(parts[0]), greatest))));
  return values;
}

std::optional<Number> Algebra::member_by_member(std::span<const Number> of, Type type,
                                                const OfMembers& function) {
  // A number may have come out as a selection of itself.
  if (nested_members_ >= kMostNested) return std::nullopt;
  const Nested nested(nested_members_);
  std::optional<Ranking> common;
  for (const Number& x : of) {
    const Selection* selection = selection_of(x);
    if (selection == nullptr) continue;
    if (!common) {
      common = selection->ranking;
      continue;
    }
    if (common->is_same(selection->ranking)) continue;
    std::vector<Cell> cells;
    if (common->place != selection->ranking.place || !refine(*common, selection->ranking, cells)) {
      const Selection* first = selection_of(of[0]);
      if (of.size() != 2 || first == nullptr) return std::nullopt;
      return by_two_rankings(*first, *selection, type, function);
    }
    common->members.clear();
    common->marks = nullptr;
    for (const Cell& cell : cells) common->members.push_back(cell.parts);
  }
  if (!common || (common->of_flag && !few_branches(of))) return std::nullopt;
  std::vector<std::vector<Number>> arguments(common->members.size());
  for (const Number& x : of) {
    const Selection* selection = selection_of(x);
    std::vector<Cell> cells;
    const bool same = selection != nullptr && common->is_same(selection->ranking);
    if (selection != nullptr && !same && !refine(*common, selection->ranking, cells))
      return std::nullopt;
    const auto members = selection == nullptr ? members_as_values(x, *common) : std::nullopt;
    for (size_t i = 0; i < arguments.size(); ++i)
      arguments[i].push_back(selection != nullptr ? selection->values[same ? i : cells[i].second]
                             : members            ? (*members)[i]
                                                  : x);
  }
  Selection result{*common, {}};
  for (const auto& at : arguments) {
    const auto value = function(at);
    if (!value) return std::nullopt;
    result.values.push_back(*value);
  }
  return selected(std::move(result), type);
}

// Each ranking takes its own first of equal members. Where the function gives for them what it
// gives for one of them, this one comes first in a ranking of both.
std::optional<Number> Algebra::by_two_rankings(const Selection& a, const Selection& b, Type type,
                                               const OfMembers& function) {
  constexpr size_t kMostRanked = 33;
  const size_t rows = a.values.size(), columns = b.values.size();
  if (a.ranking.place != 0 || b.ranking.place != 0 || a.ranking.index || b.ranking.index ||
      rows > kMostRanked || columns > kMostRanked ||
      !same_sets(parts_of(a.ranking), parts_of(b.ranking)))
    return std::nullopt;
  std::vector<Number> table;
  for (size_t i = 0; i < rows; ++i)
    for (size_t k = 0; k < columns; ++k) {
      const auto value = function(std::vector{a.values[i], b.values[k]});
      if (!value || !value->is_finite()) return std::nullopt;
      table.push_back(*value);
    }
  std::vector<Cell> left;
  for (size_t i = 0; i < rows; ++i)
    for (size_t k = 0; k < columns; ++k) {
      Cell cell{{}, i, k};
      std::ranges::set_intersection(a.ranking.members[i], b.ranking.members[k],
                                    std::back_inserter(cell.parts), by_residue);
      if (!cell.parts.empty()) left.push_back(std::move(cell));
    }
  const auto value = [&](size_t i, size_t k) { return table[i * columns + k]; };
  Selection ranked;
  while (!left.empty()) {
    // Among it and any two others, what both rankings take gives the value of it.
    const auto leads = [&](const Cell& cell) {
      for (const Cell& x : left)
        for (const Cell& y : left)
          if (value(std::min({cell.first, x.first, y.first}),
                    std::min({cell.second, x.second, y.second}))
                  .value.r != value(cell.first, cell.second).value.r)
            return false;
      return true;
    };
    const auto next = std::ranges::find_if(left, leads);
    if (next == left.end()) return std::nullopt;
    ranked.ranking.members.push_back(next->parts);
    ranked.values.push_back(value(next->first, next->second));
    left.erase(next);
  }
  return selected(std::move(ranked), type);
}

bool Algebra::selects_constants(std::span<const Number> of) const {
  bool any = false;
  for (const Number& x : of) {
    if (x.is_constant()) continue;
    const Selection* selection = selection_of(x);
    if (selection == nullptr ||
        !std::ranges::all_of(selection->values, [](const Number& y) { return y.is_constant(); }))
      return false;
    any = true;
  }
  return any;
}

// A number that is 0 but where the greatest of all lies among some, times a selection of these.
std::optional<Number> Algebra::selection_within(const Number& outer, const Number& inner,
                                                Type type) {
  const Selection *all = selection_of(outer), *some = selection_of(inner);
  if (all == nullptr || some == nullptr || all->ranking.place != 0 || some->ranking.place != 0 ||
      all->ranking.index || some->ranking.index)
    return std::nullopt;
  const Ranking of_some = with_members_of(some->ranking, all->ranking.times);
  const std::vector<Residues> wanted = parts_of(of_some);
  Ranking within;
  std::vector<size_t> at;
  for (size_t i = 0; i < all->ranking.members.size(); ++i) {
    if (!std::ranges::includes(wanted, all->ranking.members[i], by_residue)) continue;
    if (!at.empty() && at.back() + 1 != i) return std::nullopt;
    within.members.push_back(all->ranking.members[i]);
    at.push_back(i);
  }
  std::vector<Cell> cells;
  if (at.empty() || !refine(within, of_some, cells)) return std::nullopt;
  Selection result;
  result.ranking.times = all->ranking.times;
  const auto beside = [&](size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
      if (!is_exactly(all->values[i], Rational(0))) return false;
      result.ranking.members.push_back(all->ranking.members[i]);
      result.values.push_back(exact(Rational(0), type));
    }
    return true;
  };
  if (!beside(0, at.front())) return std::nullopt;
  for (const Cell& cell : cells) {
    result.ranking.members.push_back(cell.parts);
    result.values.push_back(
        typed(multiply(all->values[at[cell.first]], some->values[cell.second]), type));
  }
  if (!beside(at.back() + 1, all->ranking.members.size())) return std::nullopt;
  return selected(std::move(result), type);
}

std::optional<Number> Algebra::product_of_selections(const Number& a, const Number& b, Type type) {
  if (selection_of(a) == nullptr && selection_of(b) == nullptr) return std::nullopt;
  const Number both[] = {a, b};
  const auto times = [&](std::span<const Number> x) {
    return std::optional(typed(multiply(x[0], x[1]), type));
  };
  if (auto product = exponential_by_places(a, b, type)) return product;
  if (auto product = exponential_by_places(b, a, type)) return product;
  if (auto product = member_by_member(both, type, times)) return product;
  if (auto product = place_by_place(both, type, times)) return product;
  if (auto product = selection_within(a, b, type)) return product;
  if (auto product = selection_within(b, a, type)) return product;
  if (auto product = selection_of_gathered(a, b, type)) return product;
  return selection_of_gathered(b, a, type);
}

}  // namespace assay::checker::identity
