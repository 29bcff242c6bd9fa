// What several places of a sorted row say of one member: a selection by the place at which it
// stands, of which there is one. A selection of a row that has another value for one member alone
// is such a selection.
#include <algorithm>

#include "static_check/checker/identity/algebra.h"
#include "static_check/checker/identity/selections/rankings.h"

namespace assay::checker::identity {
namespace {

constexpr size_t kMostPlaced = 64;

bool same_number(const Number& a, const Number& b) { return a.value.r == b.value.r; }

}  // namespace

MemberPlaces& Algebra::places_of(const Ranking& row, size_t member) {
  std::vector<uint64_t> key{member};
  const Residues mean = mean_of(parts_of(row));
  for (const auto& parts : row.members) key.push_back((parts[0] - mean).r);
  const auto [found, first] = places_.of.try_emplace(std::move(key));
  MemberPlaces& places = found->second;
  if (!first) return places;
  places.member = member;
  Marks marks;
  std::vector<Number> members, unordered;
  for (const auto& parts : row.members) {
    places.row.push_back(parts[0]);
    members.push_back(ordinary(parts[0]));
  }
  for (const Residues& part : parts_of(row)) unordered.push_back(ordinary(part));
  Residues number;
  Ranking at{row.members};
  for (; at.place < static_cast<PlainInt>(members.size()); ++at.place) {
    const Residues stands = indicators_of(at, members)[member];
    marks.greatest.push_back(exact(Rational(at.place)));
    marks.indicators.push_back(stands);
    places.ranking.members.push_back({marks.greatest.back().value});
    number = number + stands * marks.greatest.back().value;
    places.apart.push_back(places.row[member] - standing_at(at.place, unordered).value);
  }
  places.ranking.index = number;
  places.ranking.marks = std::make_shared<const Marks>(std::move(marks));
  places_.by_number.try_emplace(number.r, &places);
  return places;
}

const MemberPlaces* Algebra::placed_by(const Selection& selection) const {
  if (!selection.ranking.index) return nullptr;
  const auto found = places_.by_number.find(selection.ranking.index->r);
  return found == places_.by_number.end() ? nullptr : found->second;
}

std::optional<std::pair<const MemberPlaces*, std::vector<Number>>> Algebra::by_places(
    const Number& x) {
  const Selection* selection = selection_of(x);
  if (selection == nullptr) return std::nullopt;
  if (const MemberPlaces* places = placed_by(*selection))
    return std::pair(places, selection->values);
  const std::vector<Number> values = selection->values;
  const Ranking ranking = selection->ranking;
  if (ranking.index || !ranking.times.is_one() || values.size() < 3 ||
      values.size() > kMostPlaced ||
      std::ranges::any_of(ranking.members, [](const auto& parts) { return parts.size() != 1; }))
    return std::nullopt;
  // All but one of the values are what two of the first three are.
  const Number usual = same_number(values[0], values[1]) ? values[0] : values[2];
  const auto is_other = [&](const Number& value) { return !same_number(value, usual); };
  if (std::ranges::count_if(values, is_other) != 1) return std::nullopt;
  const auto member = static_cast<size_t>(std::ranges::find_if(values, is_other) - values.begin());
  std::vector<Number> at_places(values.size(), usual);
  at_places[static_cast<size_t>(ranking.place)] = values[member];
  return std::pair(&places_of(ranking, member), std::move(at_places));
}

std::optional<Number> Algebra::place_by_place(std::span<const Number> of, Type type,
                                              const OfMembers& function) {
  if (cases() != nullptr || selections_.empty()) return std::nullopt;
  const MemberPlaces* places = nullptr;
  std::vector<std::vector<Number>> values;  // of each number
  for (const Number& x : of) {
    values.emplace_back();
    if (x.is_constant()) continue;  // wherever the member stands
    auto found = by_places(x);
    if (!found || (places != nullptr && found->first != places)) return std::nullopt;
    places = found->first;
    values.back() = std::move(found->second);
  }
  if (places == nullptr) return std::nullopt;
  Selection result{places->ranking, {}};
  for (size_t place = 0; place < places->row.size(); ++place) {
    std::vector<Number> at;
    for (size_t i = 0; i < of.size(); ++i)
      at.push_back(values[i].empty() ? of[i] : values[i][place]);
    const auto value = function(at);
    if (!value || !value->is_finite()) return std::nullopt;
    result.values.push_back(*value);
  }
  return selected(std::move(result), type);
}

// Where the member stands at a place it is what stands there.
std::optional<Number> Algebra::exp_by_places(const Number& x) {
  const Selection* selection = selection_of(x);
  const MemberPlaces* places = selection == nullptr ? nullptr : placed_by(*selection);
  if (places == nullptr) return std::nullopt;
  Selection result{places->ranking, {}};
  const std::vector<Number> values = selection->values;
  for (size_t place = 0; place < values.size(); ++place) {
    const bool none = values[place].value.r == places->apart[place].r;
    result.values.push_back(none ? exact(Rational(1)) : exp(values[place]));
  }
  return selected(std::move(result), kReal);
}

// So is an exponential of the difference of both 1.
std::optional<Number> Algebra::exponential_by_places(const Number& a, const Number& b, Type type) {
  const Selection* selection = selection_of(a);
  const MemberPlaces* places = selection == nullptr ? nullptr : placed_by(*selection);
  const auto argument = exponents_.find(b.value.r);
  if (places == nullptr || argument == exponents_.end()) return std::nullopt;
  const uint64_t apart = argument->second.value.r;
  if (std::ranges::none_of(places->apart, [&](const Residues& x) { return x.r == apart; }))
    return std::nullopt;
  Selection result{places->ranking, {}};
  const std::vector<Number> values = selection->values;
  for (size_t place = 0; place < values.size(); ++place)
    result.values.push_back(
        places->apart[place].r == apart ? values[place] : typed(multiply(values[place], b), type));
  return selected(std::move(result), type);
}

// Of a row of which each member is hidden but where it stands at some places: what stands at the
// first of these.
std::optional<Number> Algebra::greatest_of_placed(const std::vector<Number>& of) {
  if (cases() != nullptr) return std::nullopt;
  const MemberPlaces* first = nullptr;
  std::vector<bool> hides;  // by place
  std::vector<std::optional<Number>> shown;
  for (const Number& x : of) {
    if (!is_hidden(x) || hidden_[index(x)].above) return std::nullopt;
    const HiddenForm form = hidden_[index(x)];
    const auto flag = by_places(form.flag);
    if (!flag) return std::nullopt;
    std::vector<bool> here;
    for (const Number& value : flag->second) {
      if (!is_exactly(value, Rational(0)) && !is_exactly(value, Rational(1))) return std::nullopt;
      here.push_back(is_exactly(value, Rational(1)));
    }
    if (first == nullptr) {
      first = flag->first;
      hides = here;
      shown.resize(here.size());
    }
    const size_t member = flag->first->member;
    if (here != hides || shown.size() != flag->first->row.size() || shown[member] ||
        (flag->first->row[member] - flag->first->row[0]).r !=
            (first->row[member] - first->row[0]).r)
      return std::nullopt;
    const auto value = by_places(form.value);
    if (value && value->first != flag->first) return std::nullopt;
    for (size_t place = 0; place < here.size(); ++place) {
      if (here[place]) continue;
      const Number& at = value ? value->second[place] : form.value;
      if (shown[member] && !same_number(*shown[member], at)) return std::nullopt;
      shown[member] = at;
    }
  }
  const auto place = std::ranges::find(hides, false) - hides.begin();
  if (first == nullptr || place == static_cast<std::ptrdiff_t>(hides.size())) return std::nullopt;
  Selection greatest;
  greatest.ranking.place = place;
  for (size_t i = 0; i < shown.size(); ++i) {
    if (!shown[i]) return std::nullopt;
    // All are the row's members with one number added.
    if ((shown[i]->value - first->row[i]).r != (shown[0]->value - first->row[0]).r)
      return std::nullopt;
    greatest.ranking.members.push_back({first->row[i]});
    greatest.values.push_back(*shown[i]);
  }
  return selected(std::move(greatest), kReal);
}

std::optional<Number> Algebra::known_of_sum(const std::string& function, const Number& x) const {
  if (places_.of_sums.empty() || selection_of(x) == nullptr) return std::nullopt;
  const auto of = places_.of_sums.find(function);
  if (of == places_.of_sums.end()) return std::nullopt;
  const auto known = of->second.find(x.value.r);
  return known == of->second.end() ? std::nullopt : std::optional(known->second);
}

void Algebra::learn_of_sum(const std::string& function, const Number& x, const Number& result) {
  constexpr size_t kMost = size_t{1} << 16;
  if (standings_.empty() || !x.is_finite() || x.is_constant() || selection_of(x) != nullptr) return;
  auto& of = places_.of_sums[function];
  if (of.size() < kMost) of.try_emplace(x.value.r, result);
}

// What stands behind another member of its row is not the greatest, nor what stands behind all.
void Algebra::leave_out_later_places(ElementSet& elements) const {
  if (cases() != nullptr || standings_.empty() || elements.size() < 2) return;
  std::set<uint64_t> all;
  for (const SetElement& element : elements) all.insert(element.value.r);
  std::vector<std::optional<Standing>> standing;
  for (const SetElement& element : elements) standing.push_back(standing_of(element.value));
  ElementSet left;
  for (size_t i = 0; i < elements.size(); ++i) {
    const auto is_before = [&](const std::optional<Standing>& other) {
      return other && other->place < standing[i]->place && same_sets(other->row, standing[i]->row);
    };
    const auto is_there = [&](const Residues& x) { return all.contains(x.r); };
    const bool later = standing[i] && standing[i]->place > 0 &&
                       (std::ranges::any_of(standing, is_before) ||
                        std::ranges::all_of(standing[i]->row, is_there));
    if (!later) left.push_back(elements[i]);
  }
  elements = std::move(left);
}

}  // namespace assay::checker::identity
