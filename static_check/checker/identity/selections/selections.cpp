// A selection is the sum of its values, each times an indicator of its member. Indicators are
// unknowns with two equations: their sum is 1, and with the members they add up to what stands at
// the place (of two members the first equation alone). What is selected twice by one row is
// selected member by member.
#include <algorithm>
#include <iterator>
#include <set>

#include "static_check/checker/identity/algebra.h"
#include "static_check/checker/identity/selections/rankings.h"

namespace assay::checker::identity {
namespace {

constexpr size_t kMostMembers = 256;

}  // namespace

const Selection* Algebra::selection_of(const Number& x) const {
  if (selections_.empty() || !x.is_finite() || x.is_constant()) return nullptr;
  const auto found = selections_.find(x.value.r);
  return found == selections_.end() ? nullptr : &found->second;
}

std::optional<std::vector<Number>> Algebra::exponents_of(const std::vector<Number>& row) {
  if (cases() != nullptr || row.size() < 2) return std::nullopt;
  for (const Number& x : row)
    if (!x.is_finite() || !x.positive || x.is_constant() || is_integer_type(x.type))
      return std::nullopt;
  const auto same_letters = [](const Word& a, const Word& b) {
    return a.constant == b.constant &&
           std::ranges::equal(a.letters, b.letters, [](const Letter& x, const Letter& y) {
             return x.of.r == y.of.r && x.power == y.power;
           });
  };
  const Word first = spell(row[0].value, 0);
  std::vector<Number> exponents;
  for (const Number& x : row) {
    const Word word = spell(x.value, 0);
    if (!same_letters(first, word)) return std::nullopt;
    exponents.push_back(ordinary(word.exponent));
  }
  return exponents;
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
    if (const auto standing = standing_of(row[i].value); standing && place == 0) {
      // Behind the first of its row, which came before.
      const auto came = [&](const Residues& of_row) { return seen.contains(of_row.r); };
      if (standing->place > 0 && std::ranges::all_of(standing->row, came)) continue;
    }
    if (place == 0 && row[i].kind == Kind::kExtreme && !extremes_[index(row[i])].least) {
      const ExtremeForm& form = extremes_[index(row[i])];
      member.clear();
      for (const SetElement& element : sets_[form.set])
        member.push_back(element.value + form.shift);
      std::ranges::sort(member, by_residue);
    }
    // A number that came before is the one that is meant.
    const size_t whole = member.size();
    std::erase_if(member, [&](const Residues& part) { return !seen.insert(part.r).second; });
    if (place != 0 && member.size() < whole) return std::nullopt;
    if (member.empty()) continue;
    selection.ranking.members.push_back(std::move(member));
    selection.values.push_back(values[i]);
  }
  const size_t count = selection.ranking.members.size();
  if (count == 0 || seen.size() > (place == 0 ? kMostMembers : kMostSorted) ||
      place >= static_cast<PlainInt>(count))
    return std::nullopt;
  return selected_of_multiple(std::move(selection), type);
}

Number Algebra::selected(Selection selection, Type type) {
  if (selection.ranking.of_flag) return selected_by_flag(selection.ranking, selection.values, type);
  const std::vector<Number>& values = selection.values;
  for (const Number& value : values)
    if (!value.is_finite()) throw Rejection{"an infinity that is selected"};
  if (std::ranges::all_of(values, [&](const Number& x) { return x.value.r == values[0].value.r; }))
    return values[0];
  if (auto whole = of_whole_row(selection)) return selected_of_multiple(std::move(*whole), type);
  // An extremum has more rules.
  const auto& members = selection.ranking.members;
  const PlainInt place = selection.ranking.place;
  if (selection.ranking.marks == nullptr)
    selection.ranking.marks = std::make_shared<const Marks>(marks_of(selection.ranking));
  const std::vector<Number>& of = selection.ranking.marks->greatest;
  bool members_themselves = type == kReal && !selection.ranking.index &&
                            (place == 0 || place + 1 == static_cast<PlainInt>(members.size()));
  // Of more than two numbers their indicators say so.
  bool mirrored = members_themselves && parts_of(selection.ranking).size() == 2;
  for (size_t i = 0; i < members.size(); ++i) {
    members_themselves = members_themselves && of[i].value.r == values[i].value.r;
    mirrored = mirrored && (-of[i].value).r == values[i].value.r;
  }
  if (members_themselves || mirrored) {
    std::vector<Number> all;
    for (const Residues& part : parts_of(selection.ranking)) all.push_back(ordinary(part));
    const Number standing =
        standing_at(place == 0 ? 0 : static_cast<PlainInt>(all.size()) - 1, all);
    return mirrored ? negated(standing) : standing;
  }
  const std::vector<Residues>& indicators = selection.ranking.marks->indicators;
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

Marks Algebra::marks_of(const Ranking& ranking) {
  Marks marks;
  for (const auto& parts : ranking.members) {
    std::vector<Number> numbers;
    for (const Residues& part : parts) numbers.push_back(ordinary(part));
    marks.greatest.push_back(numbers.size() == 1 ? numbers[0] : maximum(numbers));
  }
  if (marks.greatest.size() > 1) marks.indicators = indicators_of(ranking, marks.greatest);
  return marks;
}

std::vector<Residues> Algebra::indicators_of(const Ranking& ranking,
                                             const std::vector<Number>& members) {
  const bool last = ranking.place > 0 && !ranking.index &&
                    ranking.place + 1 == static_cast<PlainInt>(members.size());
  if (last) {
    // A member stands there if it stands nowhere else.
    std::vector<Residues> nowhere_else(members.size(), Residues{1, 1});
    Ranking place{ranking.members};
    for (; place.place < ranking.place; ++place.place) {
      const std::vector<Residues> here = indicators_of(place, members);
      for (size_t i = 0; i < here.size(); ++i) nowhere_else[i] = nowhere_else[i] - here[i];
    }
    return nowhere_else;
  }
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
  // i + k = ones, i x + k y = total; and at the first place with exponentials, too, for three.
  const bool first = ranking.place == 0 && !ranking.index;
  const Number standing =
      ranking.index ? ordinary(*ranking.index) : standing_at(ranking.place, all);
  Residues ones{1, 1}, total = standing.value, powers;
  std::vector<Residues> indicators, power_of;
  if (first) {
    powers = exp(standing).value;
    for (const Number& member : members) power_of.push_back(exp(member).value);
  }
  const size_t drawn = members.size() - (first ? 3 : 2), end = members.size() - 1;
  const auto take = [&](size_t i, const Residues& indicator) {
    indicators.push_back(indicator);
    ones = ones - indicator;
    total = total - indicator * members[i].value;
    if (first) powers = powers - indicator * power_of[i];
  };
  for (size_t i = 0; i < drawn; ++i) {
    keys.push_back(i);
    take(i, random_("indicator", keys));
    keys.pop_back();
  }
  const Residues z = members[end].value, y = members[end - 1].value - z;
  if (first) {
    const Residues x = members[end - 2].value - z, e = power_of[end - 2] - power_of[end],
                   f = power_of[end - 1] - power_of[end];
    take(end - 2,
         ((total - ones * z) * f - (powers - ones * power_of[end]) * y) * inverse(x * f - e * y));
  }
  take(end - 1, (total - ones * z) * inverse(y));
  indicators.push_back(ones);
  return indicators;
}

Number Algebra::standing_at(PlainInt place, const std::vector<Number>& row) {
  const Number found = ranked_number(place, row);
  note_standing(found, place, row);
  return found;
}

// Of real numbers: the order of x + t is that of x, that of -x is the reverse of it, and all that
// stand somewhere add up to the row. What is in the middle is what the others leave of that.
Number Algebra::ranked_number(PlainInt place, const std::vector<Number>& row) {
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
  Residues total;
  for (const Number& x : row) total = total + x.value;
  const Residues mean = total * residues_of(Rational(1, last + 1));
  std::vector<uint64_t> up, down;
  for (const Number& x : row) {
    up.push_back((x.value - mean).r);
    down.push_back((mean - x.value).r);
  }
  std::ranges::sort(up);
  std::ranges::sort(down);
  const auto drawn = [&](std::vector<uint64_t>& keys, PlainInt at) {
    keys.push_back(static_cast<uint64_t>(at));
    const Residues number = random_("ranked", keys);
    keys.pop_back();
    return number;
  };
  const auto beside_mean = [&](PlainInt at) { return drawn(up, at) - drawn(down, last - at); };
  const PlainInt middle = last / 2, mirrored = last - middle;
  if (place != middle && place != mirrored) return variable(mean + beside_mean(place), kReal);
  Residues rest = total - ranked_number(0, row).value - ranked_number(last, row).value;
  for (PlainInt at = 1; at < middle; ++at)
    rest = rest - (mean + beside_mean(at)) - (mean + beside_mean(last - at));
  if (middle == mirrored) return variable(rest, kReal);
  const Residues half = rest * residues_of(Rational(1, 2)),
                 apart = drawn(up, middle) + drawn(down, middle);
  return variable(place == middle ? half + apart : half - apart, kReal);
}

void Algebra::select_values(const Number& index, const Table& table) {
  if (!reading_.by_values || static_cast<size_t>(table.size()) > kMostMembers) return;
  Selection selection;
  selection.ranking.index = index.value;
  for (PlainInt i = 0; i < table.size(); ++i) {
    selection.values.push_back(exact(Rational(table.index(i)), index.type));
    selection.ranking.members.push_back({selection.values.back().value});
  }
  if (table.size() < 2) return;
  selection.ranking.marks = std::make_shared<const Marks>(marks_of(selection.ranking));
  selections_.try_emplace(index.value.r, std::move(selection));
}

}  // namespace assay::checker::identity
