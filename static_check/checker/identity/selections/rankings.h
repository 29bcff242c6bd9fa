// Rows of members, cut into the parts that two of them have in common.
#pragma once

#include <cstddef>
#include <vector>

#include "static_check/checker/identity/selections/selections.h"

namespace assay::checker::identity {

bool by_residue(const Residues& a, const Residues& b);
bool same_sets(const std::vector<Residues>& a, const std::vector<Residues>& b);

// Of all members, sorted.
std::vector<Residues> parts_of(const Ranking& ranking);
Residues mean_of(const std::vector<Residues>& parts);
// Each times it, sorted.
std::vector<Residues> times_constant(std::vector<Residues> parts, const Rational& constant);

// The same with members that are the row's divided by `times`.
Ranking with_members_of(Ranking ranking, const Rational& times);

// Of a refinement of two rankings.
struct Cell {
  std::vector<Residues> parts;
  size_t first, second;  // the members of each that it is a part of
};

// Cuts both rankings, of the same numbers or of such that all differ by the same, where either has
// a cut; the parts are those of `a`. False where that is no order of the cells.
bool refine(const Ranking& a, const Ranking& b, std::vector<Cell>& cells);

}  // namespace assay::checker::identity
