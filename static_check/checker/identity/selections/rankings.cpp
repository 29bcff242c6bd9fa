#include "static_check/checker/identity/selections/rankings.h"

#include <algorithm>
#include <iterator>

namespace assay::checker::identity {

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

Residues mean_of(const std::vector<Residues>& parts) {
  Residues sum;
  for (const Residues& part : parts) sum = sum + part;
  return sum * residues_of(Rational(1, static_cast<PlainInt>(parts.size())));
}

namespace {

bool of_one_index(const Ranking& a, const Ranking& b) {
  return a.index.has_value() == b.index.has_value() && (!a.index || a.index->r == b.index->r);
}

}  // namespace

bool refine(const Ranking& a, const Ranking& b, std::vector<Cell>& cells) {
  if (!of_one_index(a, b)) return false;
  std::vector<std::vector<Residues>> rest_a = a.members, rest_b = b.members;
  // What all members have in common leaves their order as it is.
  const std::vector<Residues> parts_a = parts_of(a), parts_b = parts_of(b);
  if (parts_a.size() != parts_b.size()) return false;
  if (!a.index && !same_sets(parts_a, parts_b)) {
    const Residues apart = mean_of(parts_a) - mean_of(parts_b);
    for (std::vector<Residues>& member : rest_b) {
      for (Residues& part : member) part = part + apart;
      std::ranges::sort(member, by_residue);
    }
  }
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

}  // namespace assay::checker::identity
