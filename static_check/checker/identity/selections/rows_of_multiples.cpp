// Rows of c x, for a constant c > 0, have the order of x: the ranking is that of the first row of
// which others are multiples, and of what is selected of the row's own numbers 1/c is taken out.
#include <algorithm>

#include "static_check/checker/identity/algebra.h"
#include "static_check/checker/identity/selections/rankings.h"

namespace assay::checker::identity {

// The c by which the first such row is these numbers. Rows are told apart by the third moment about
// their mean over the second, which is c times as large for c x and knows nothing of places.
Rational Algebra::multiple_of_row(const std::vector<Residues>& parts) {
  const Rational one(1);
  if (parts.size() < 3) return one;
  const Residues mean = mean_of(parts);
  Residues second, third;
  for (const Residues& part : parts) {
    const Residues apart = part - mean;
    second = second + apart * apart;
    third = third + apart * apart * apart;
  }
  if (second.r == 0 || second.e == 0 || third.r == 0) return one;
  const Residues moment = third * inverse(second);
  const auto known = scales_.find(asked_rows_, moment.r);
  if (known) return known->times;
  asked_rows_.emplace(moment.r, ordinary(moment));
  return one;
}

std::vector<Residues> times_constant(std::vector<Residues> parts, const Rational& constant) {
  for (Residues& part : parts) part = part * residues_of(constant);
  std::ranges::sort(parts, by_residue);
  return parts;
}

Ranking with_members_of(Ranking ranking, const Rational& times) {
  if (ranking.times == times) return ranking;
  for (auto& member : ranking.members)
    member = times_constant(std::move(member), ranking.times / times);
  ranking.times = times;
  ranking.marks = nullptr;
  return ranking;
}

Number Algebra::selected_of_multiple(Selection selection, Type type) {
  const std::vector<Residues> row = parts_of(selection.ranking);
  const Rational times = selection.ranking.index ? Rational(1) : multiple_of_row(row);
  if (times.is_one()) return selected(std::move(selection), type);
  const Rational back = Rational(1) / times;
  bool themselves = type == kReal;
  for (size_t i = 0; i < selection.values.size() && themselves; ++i) {
    std::vector<Number> member;
    for (const Residues& part : selection.ranking.members[i]) member.push_back(ordinary(part));
    const Number greatest = member.size() == 1 ? member[0] : maximum(member);
    themselves = greatest.value.r == selection.values[i].value.r;
  }
  selection.ranking =
      with_members_of(std::move(selection.ranking), selection.ranking.times * times);
  if (!themselves) return selected(std::move(selection), type);
  const PlainInt place = selection.ranking.place;
  for (Number& value : selection.values) value = multiply(value, exact(back));
  const Number result = multiply(selected(std::move(selection), type), exact(times));
  std::vector<Number> numbers;
  for (const Residues& part : row) numbers.push_back(ordinary(part));
  note_standing(result, place, numbers);
  return result;
}

}  // namespace assay::checker::identity
