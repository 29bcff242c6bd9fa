// A selection is the sum of its values, each times an indicator of its member. Indicators are
// unknowns with two equations: their sum is 1, and with the members they add up to what stands at
// the place (of two members the first equation alone). What is selected twice by one row is
// selected member by member.
#include "static_check/checker/identity/selections.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "static_check/checker/identity/algebra.h"

namespace assay::checker::identity {
namespace {

constexpr size_t kMostMembers = 256, kMostSorted = 64;

bool by_residue(const Residues& a, const Residues& b) { return a.r < b.r; }
bool same_residue(const Residues& a, const Residues& b) { return a.r == b.r; }
bool same_sets(const std::vector<Residues>& a, const std::vector<Residues>& b) {
  return std::ranges::equal(a, b, same_residue);
}

std::vector<Residues> parts_of(const Ranking& ranking) {
  std::vector<Residues> parts;
  for (const auto& member : ranking.members)
    parts.insert(parts.end(), member.begin(), member.end());
  std::ranges::sort(parts, by_residue);
  return parts;
}

// Of a refinement of two rankings.
struct Cell {
  std::vector<Residues> parts;
  size_t first, second;  // the members of each that it is a part of
};

bool of_one_index(const Ranking& a, const Ranking& b) {
  return a.index.has_value() == b.index.has_value() && (!a.index || a.index->r == b.index->r);
}

// Cuts both rankings where either has a cut. False where that is no order of the cells.
bool refine(const Ranking& a, const Ranking& b, std::vector<Cell>& cells) {
  if (!of_one_index(a, b)) return false;
  std::vector<std::vector<Residues>> rest_a = a.members, rest_b = b.members;
  size_t i = 0, k = 0;
  while (i < rest_a.size() && k < rest_b.size()) {
    std::vector<Residues> both;
    std::ranges::set_intersection(rest_a[i], rest_b[k], std::back_inserter(both), by_residue);
    // One of them has to be used up.
    if (both.empty() || (both.size() < rest_a[i].size() && both.size() < rest_b[k].size()))
      return false;
    const auto take = [&](std::vector<Residues>& from) {
      std::vector<Residues> left;
      std::ranges::set_difference(from, both, std::back_inserter(left), by_residue);
      from = std::move(left);
      return from.empty();
    };
    cells.push_back({both, i, k});
    const bool next_a = take(rest_a[i]), next_b = take(rest_b[k]);
    i += next_a ? 1 : 0;
    k += next_b ? 1 : 0;
  }
  return i == rest_a.size() && k == rest_b.size();
}

}  // namespace

const Selection* Algebra::selection_of(const Number& x) const {
  if (selections_.empty() || !x.is_finite() || x.is_constant()) return nullptr;
  const auto found = selections_.find(x.value.r);
  return found == selections_.end() ? nullptr : &found->second;
}

std::optional<Number> Algebra::select(const std::vector<Number>& row, PlainInt place,
                                      const std::vector<Number>& values, Type type) {
  if (cases() != nullptr) return std::nullopt;
  Selection selection;
  selection.ranking.place = place;
  std::set<uint64_t> seen;
  for (size_t i = 0; i < row.size(); ++i) {
    if (row[i].kind == Kind::kMinusInfinity && place == 0) continue;
    if (!row[i].is_finite() || is_integer_type(row[i].type)) return std::nullopt;
    std::vector<Residues> member{row[i].value};
    if (row[i].kind == Kind::kExtreme && !extremes_[index(row[i])].least) {
      const ExtremeForm& form = extremes_[index(row[i])];
      member.clear();
      for (const SetElement& element : sets_[form.set])
        member.push_back(element.value + form.shift);
      std::ranges::sort(member, by_residue);
    }
    // A number that came before is the one that is meant.
    const size_t whole = member.size();
    std::erase_if(member, [&](const Residues& part) { return !seen.insert(part.r).second; });
    if (place != 0 && (whole > 1 || member.empty())) return std::nullopt;
    if (member.empty()) continue;
    selection.ranking.members.push_back(std::move(member));
    selection.values.push_back(values[i]);
  }
  const size_t count = selection.ranking.members.size();
  if (count == 0 || seen.size() > (place == 0 ? kMostMembers : kMostSorted) ||
      place >= static_cast<PlainInt>(count))
    return std::nullopt;
  return selected(std::move(selection), type);
}

Number Algebra::selected(Selection selection, Type type) {
  const std::vector<Number>& values = selection.values;
  for (const Number& value : values)
    if (!value.is_finite()) throw Rejection{"an infinity that is selected"};
  if (std::ranges::all_of(values, [&](const Number& x) { return x.value.r == values[0].value.r; }))
    return values[0];
  // An extremum has more rules.
  const auto& members = selection.ranking.members;
  const PlainInt place = selection.ranking.place;
  const std::vector<Number> of = greatest_of_members(selection.ranking);
  bool members_themselves = type == kReal && !selection.ranking.index &&
                            (place == 0 || place + 1 == static_cast<PlainInt>(members.size()));
  for (size_t i = 0; members_themselves && i < members.size(); ++i)
    members_themselves = of[i].value.r == values[i].value.r;
  if (members_themselves) {
    std::vector<Number> all;
    for (const Residues& part : parts_of(selection.ranking)) all.push_back(ordinary(part));
    return standing_at(place == 0 ? 0 : static_cast<PlainInt>(all.size()) - 1, all);
  }
  const std::vector<Residues> indicators = indicators_of(selection.ranking);
  store(values.size());
  Residues total;
  bool in_range = true;
  for (size_t i = 0; i < values.size(); ++i) {
    total = total + indicators[i] * values[i].value;
    in_range = in_range && (values[i].is_constant() || values[i].in_range);
  }
  Number result = type == kFlag ? flag(total) : ordinary(total, type);
  if (result.is_constant()) return result;
  if (is_integer_type(type)) {
    result.in_range = in_range;
    float bound = 1;
    for (const Number& value : values) bound = std::max(bound, bound_of({&value, 1}));
    bounded(result, bound);
  }
  // What is made of later numbers is not put down for an earlier one: none is made of itself.
  selections_.try_emplace(total.r, std::move(selection));
  return result;
}

std::vector<Number> Algebra::greatest_of_members(const Ranking& ranking) {
  std::vector<Number> greatest;
  for (const auto& parts : ranking.members) {
    std::vector<Number> numbers;
    for (const Residues& part : parts) numbers.push_back(ordinary(part));
    greatest.push_back(numbers.size() == 1 ? numbers[0] : maximum(numbers));
  }
  return greatest;
}

std::vector<Residues> Algebra::indicators_of(const Ranking& ranking) {
  const std::vector<Number> members = greatest_of_members(ranking);
  std::vector<Number> all;
  Residues mean;
  for (const Residues& part : parts_of(ranking)) {
    all.push_back(ordinary(part));
    mean = mean + part;
  }
  mean = mean * residues_of(Rational(1, static_cast<PlainInt>(all.size())));
  std::vector<uint64_t> keys{static_cast<uint64_t>(ranking.place),
                             ranking.index ? ranking.index->r : 0};
  for (const auto& parts : ranking.members) {
    std::vector<uint64_t> apart;
    for (const Residues& part : parts) apart.push_back((part - mean).r);
    std::ranges::sort(apart);
    keys.push_back(apart.size());
    keys.insert(keys.end(), apart.begin(), apart.end());
  }
  // Of two the equations say all but which of them is meant where they are equal.
  if (members.size() == 2 && !ranking.index) {
    const Residues one = random_("indicator", keys);
    return {one, Residues{1, 1} - one};
  }
  Residues ones{1, 1},
      total = ranking.index ? *ranking.index : standing_at(ranking.place, all).value;
  std::vector<Residues> indicators;
  for (size_t i = 0; i + 2 < members.size(); ++i) {
    keys.push_back(i);
    indicators.push_back(random_("indicator", keys));
    keys.pop_back();
    ones = ones - indicators.back();
    total = total - indicators.back() * members[i].value;
  }
  const Residues &x = members[members.size() - 2].value, &y = members.back().value;
  // i + k = ones, i x + k y = total.
  const Residues one = (total - ones * y) * inverse(x - y);
  indicators.push_back(one);
  indicators.push_back(ones - one);
  return indicators;
}

// Of real numbers: the order of x + t is that of x.
Number Algebra::standing_at(PlainInt place, const std::vector<Number>& row) {
  const auto last = static_cast<PlainInt>(row.size()) - 1;
  if (place == 0) return maximum(row);
  if (place == last) {
    // Of these residues alone: what else is known of them may lead back here.
    std::vector<Number> negatives;
    for (const Number& x : row) negatives.push_back(ordinary(-x.value));
    const Number greatest = maximum(negatives);
    if (greatest.kind != Kind::kExtreme) return ordinary(-greatest.value);
    ExtremeForm form = extremes_[index(greatest)];
    form.least = true;
    Number least = with_form(-greatest.value, Kind::kExtreme, extremes_, form);
    least.type = kReal;
    return least;
  }
  Residues mean;
  for (const Number& x : row) mean = mean + x.value;
  mean = mean * residues_of(Rational(1, last + 1));
  std::vector<uint64_t> keys;
  for (const Number& x : row) keys.push_back((x.value - mean).r);
  std::ranges::sort(keys);
  keys.push_back(static_cast<uint64_t>(last - place));
  return variable(mean + random_("sorted", keys), kReal);
}

// The greatest of the members themselves.
std::optional<std::vector<Number>> Algebra::members_as_values(const Number& x,
                                                              const Ranking& ranking) {
  if (x.kind != Kind::kExtreme || extremes_[index(x)].least || is_integer_type(x.type) ||
      ranking.place != 0 || ranking.index)
    return std::nullopt;
  const ExtremeForm& form = extremes_[index(x)];
  std::vector<Residues> set;
  for (const SetElement& element : sets_[form.set]) set.push_back(element.value + form.shift);
  std::ranges::sort(set, by_residue);
  if (!same_sets(set, parts_of(ranking))) return std::nullopt;
  std::vector<Number> values;
  for (const auto& parts : ranking.members) {
    if (parts.size() != 1) return std::nullopt;
    values.push_back(ordinary(parts[0]));
  }
  return values;
}

std::optional<Number> Algebra::member_by_member(std::span<const Number> of, Type type,
                                                const OfMembers& function) {
  std::optional<Ranking> common;
  std::vector<std::vector<Number>> arguments;
  for (const Number& x : of) {
    const Selection* selection = selection_of(x);
    if (selection == nullptr) continue;
    if (!common) {
      common = selection->ranking;
      arguments.resize(common->members.size());
      continue;
    }
    std::vector<Cell> cells;
    if (common->place != selection->ranking.place || !refine(*common, selection->ranking, cells)) {
      const Selection* first = selection_of(of[0]);
      if (of.size() != 2 || first == nullptr) return std::nullopt;
      return by_two_rankings(*first, *selection, type, function);
    }
    common->members.clear();
    for (const Cell& cell : cells) common->members.push_back(cell.parts);
  }
  if (!common) return std::nullopt;
  arguments.assign(common->members.size(), {});
  for (const Number& x : of) {
    const Selection* selection = selection_of(x);
    std::vector<Cell> cells;
    if (selection != nullptr && !refine(*common, selection->ranking, cells)) return std::nullopt;
    const auto members = selection == nullptr ? members_as_values(x, *common) : std::nullopt;
    for (size_t i = 0; i < arguments.size(); ++i)
      arguments[i].push_back(selection != nullptr ? selection->values[cells[i].second]
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

std::optional<Number> Algebra::extreme_is_greater(const Number& a, const Number& b) {
  if ((a.kind != Kind::kExtreme && b.kind != Kind::kExtreme) || a.is_constant() || b.is_constant())
    return std::nullopt;
  const auto own = parts_of_extreme(a), other = parts_of_extreme(b);
  if (!own || !other) {
    // -min(x) is a maximum.
    const Number first = negated(b), second = negated(a);
    if (!parts_of_extreme(first) || !parts_of_extreme(second)) return std::nullopt;
    return extreme_is_greater(first, second);
  }
  if (same_sets(*own, *other)) return std::nullopt;
  return select({b, a}, 0, {exact_flag(false), exact_flag(true)}, kFlag);
}

std::optional<Number> Algebra::extreme_is_equal(const Number& a, const Number& b) {
  if ((a.kind != Kind::kExtreme && b.kind != Kind::kExtreme) || a.is_constant() || b.is_constant())
    return std::nullopt;
  const auto own = parts_of_extreme(a), other = parts_of_extreme(b);
  if (!own || !other) {
    const Number first = negated(a), second = negated(b);
    if (!parts_of_extreme(first) || !parts_of_extreme(second)) return std::nullopt;
    return extreme_is_equal(first, second);
  }
  if (same_sets(*own, *other)) return std::nullopt;
  const bool within = std::ranges::includes(*other, *own, by_residue);
  if (!within && !std::ranges::includes(*own, *other, by_residue)) return std::nullopt;
  return select(within ? std::vector{a, b} : std::vector{b, a}, 0,
                {exact_flag(true), exact_flag(false)}, kFlag);
}

void Algebra::select_values(const Number& index, const Table& table) {
  if (!reading_.by_values || !integers_.contains(index.value.r) ||
      static_cast<size_t>(table.size()) > kMostMembers)
    return;
  Selection selection;
  selection.ranking.index = index.value;
  for (PlainInt i = 0; i < table.size(); ++i) {
    selection.values.push_back(exact(Rational(table.index(i)), index.type));
    selection.ranking.members.push_back({selection.values.back().value});
  }
  selections_.try_emplace(index.value.r, std::move(selection));
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
  const std::vector<Residues> wanted = parts_of(some->ranking);
  Ranking within;
  std::vector<size_t> at;
  for (size_t i = 0; i < all->ranking.members.size(); ++i) {
    if (!std::ranges::includes(wanted, all->ranking.members[i], by_residue)) continue;
    if (!at.empty() && at.back() + 1 != i) return std::nullopt;
    within.members.push_back(all->ranking.members[i]);
    at.push_back(i);
  }
  std::vector<Cell> cells;
  if (at.empty() || !refine(within, some->ranking, cells)) return std::nullopt;
  Selection result;
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
  if (auto product = member_by_member(both, type, [&](std::span<const Number> x) {
        return std::optional(typed(multiply(x[0], x[1]), type));
      }))
    return product;
  if (auto product = selection_within(a, b, type)) return product;
  return selection_within(b, a, type);
}

}  // namespace assay::checker::identity
