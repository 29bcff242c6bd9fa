// Rankings of numbers that are themselves the first of other rows, in descending order: a program
// that ranks shares of a row and then what it gathered of them ranks the whole row. Whatever is
// among the first k of all is among the first k of its share.
#include <algorithm>
#include <set>

#include "static_check/checker/identity/algebra.h"
#include "static_check/checker/identity/selections/rankings.h"

namespace assay::checker::identity {

void Algebra::note_standing(const Number& x, PlainInt place, const std::vector<Number>& row) {
  if (row.size() < 2 || !x.is_finite() || standings_.contains(x.value.r)) return;
  Standing standing{{}, place};
  for (const Number& member : row) standing.row.push_back(member.value);
  std::ranges::sort(standing.row, by_residue);
  standings_.emplace(x.value.r, std::move(standing));
}

std::optional<Standing> Algebra::standing_of(const Residues& x) const {
  if (standings_.empty()) return std::nullopt;
  const auto as_it_is = standings_.find(x.r);
  if (as_it_is != standings_.end()) return as_it_is->second;
  const auto negative = standings_.find((-x).r);
  if (negative == standings_.end()) return std::nullopt;
  Standing mirrored;
  for (const Residues& member : negative->second.row) mirrored.row.push_back(-member);
  std::ranges::sort(mirrored.row, by_residue);
  mirrored.place = static_cast<PlainInt>(mirrored.row.size()) - 1 - negative->second.place;
  return mirrored;
}

// The members of one share with their values, appended to `whole`. `shares[i]` stands at place i of
// it. kNothing where what is selected depends on more than which member it is.
Algebra::ShareOf Algebra::append_share(const std::vector<Residues>& row,
                                       std::span<const Residues> shares,
                                       std::span<const Number> values, Selection& whole) const {
  bool themselves = true, constant = true;
  for (size_t i = 0; i < values.size(); ++i) {
    themselves = themselves && values[i].value.r == shares[i].r;
    constant = constant && values[i].value.r == values[0].value.r;
  }
  if (themselves || constant) {
    for (const Residues& member : row) {
      Number value = values[0];
      if (themselves) {
        value = {};
        value.kind = Kind::kOrdinary;
        value.value = member;
        value.type = kReal;
      }
      whole.ranking.members.push_back({member});
      whole.values.push_back(value);
    }
    return themselves ? ShareOf::kMembers : ShareOf::kOneNumber;
  }
  const Selection* first = selection_of(values[0]);
  if (first == nullptr || first->ranking.index) return ShareOf::kNothing;
  const Ranking ranking = with_members_of(first->ranking, Rational(1));
  if (!same_sets(parts_of(ranking), row) || ranking.members.size() != row.size())
    return ShareOf::kNothing;
  for (size_t i = 0; i < values.size(); ++i) {
    const Selection* at = selection_of(values[i]);
    if (at == nullptr || at->ranking.index || at->ranking.place != static_cast<PlainInt>(i) ||
        at->ranking.members.size() != row.size())
      return ShareOf::kNothing;
    for (size_t k = 0; k < row.size(); ++k)
      if (at->ranking.members[k].size() != 1 ||
          at->ranking.members[k][0].r != first->ranking.members[k][0].r ||
          at->values[k].value.r != first->values[k].value.r)
        return ShareOf::kNothing;
  }
  for (size_t k = 0; k < row.size(); ++k) {
    whole.ranking.members.push_back(ranking.members[k]);
    whole.values.push_back(first->values[k]);
  }
  return ShareOf::kSelections;
}

std::optional<Selection> Algebra::of_whole_row(const Selection& selection) const {
  if (standings_.empty() || selection.ranking.index) return std::nullopt;
  const Ranking gathered = with_members_of(selection.ranking, Rational(1));
  Selection whole;
  whole.ranking.place = gathered.place;
  ShareOf kind = ShareOf::kNothing;  // the same for all shares: else a sum that is not complete
  std::set<uint64_t> seen;
  size_t i = 0;
  while (i < gathered.members.size()) {
    if (gathered.members[i].size() != 1) return std::nullopt;
    const auto standing = standing_of(gathered.members[i][0]);
    if (!standing) {
      whole.ranking.members.push_back(gathered.members[i]);
      whole.values.push_back(selection.values[i++]);
      continue;
    }
    std::vector<Residues> share;
    for (size_t k = i; k < gathered.members.size() && gathered.members[k].size() == 1; ++k) {
      const auto next = standing_of(gathered.members[k][0]);
      if (!next || next->place != static_cast<PlainInt>(k - i) ||
          !same_sets(next->row, standing->row))
        break;
      share.push_back(gathered.members[k][0]);
    }
    const bool enough = static_cast<PlainInt>(share.size()) > gathered.place ||
                        share.size() == standing->row.size();
    if (share.empty() || !enough) return std::nullopt;
    const ShareOf found =
        append_share(standing->row, share, {&selection.values[i], share.size()}, whole);
    if (found == ShareOf::kNothing || (kind != ShareOf::kNothing && kind != found))
      return std::nullopt;
    kind = found;
    i += share.size();
  }
  for (const auto& member : whole.ranking.members)
    if (!seen.insert(member[0].r).second) return std::nullopt;
  if (kind == ShareOf::kNothing || seen.size() > kMostSorted) return std::nullopt;
  return whole;
}

// Where the factors are of such a row and of one of its shares: the share's number, times what the
// other factor is for each of the row's members.
std::optional<Number> Algebra::selection_of_gathered(const Number& outer, const Number& inner,
                                                     Type type) {
  const Selection *all = selection_of(outer), *some = selection_of(inner);
  if (all == nullptr || some == nullptr || all->ranking.index || some->ranking.index ||
      !selects_constants({&outer, 1}))
    return std::nullopt;
  const std::vector<Residues> row = parts_of(with_members_of(some->ranking, Rational(1)));
  bool gathered = false;
  const Ranking gathered_row = with_members_of(all->ranking, Rational(1));
  for (const auto& member : gathered_row.members) {
    if (member.size() != 1) return std::nullopt;
    const auto standing = standing_of(member[0]);
    gathered = gathered || (standing && same_sets(standing->row, row));
  }
  if (!gathered) return std::nullopt;
  Selection product{all->ranking, {}};
  for (const Number& constant : std::vector<Number>(all->values))
    product.values.push_back(typed(multiply(constant, inner), type));
  return selected(std::move(product), type);
}

}  // namespace assay::checker::identity
