// Sets of intervals, and restrictions of terms (proof.h) in normal form.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "shared_ir/proof/proof.h"

namespace assay {

using Intervals = std::vector<Interval>;  // sorted, disjoint, not adjacent, none empty

inline constexpr Interval kAllIntegers{INT64_MIN, INT64_MAX};

Intervals intersect(const Intervals& a, const Intervals& b);
Intervals unite(const Intervals& a, const Intervals& b);
bool contains(const Intervals& outer, const Intervals& inner);
bool disjoint(const Intervals& a, const Intervals& b);

// The values that a restriction's intervals range over: [0, radix), or all integers for a guard.
Interval domain(const Restriction& restriction);

// True when both restrict the same digit of the same label, or the same element of the same integer
// atom.
bool same_key(const Restriction& a, const Restriction& b);

bool all_are(const std::vector<Restriction>& restrictions, Restriction::Kind kind);
bool any_is(const std::vector<Restriction>& restrictions, Restriction::Kind kind);

// Order of Term::restrictions.
bool before(const Restriction& a, const Restriction& b);

// Brings restrictions to normal form: one per key (intersected), full domains dropped, digits
// rewritten to the lowest stride that no other digit of the label needs ([a, b) of digit (s, r) is
// [a*s, b*s) of digit (1, s*r)), sorted. Returns false when one of them is empty: the term is zero.
bool normalize(std::vector<Restriction>& restrictions);

// Sum of terms over one tile: like terms combined, disjoint parts united, zeros dropped, sorted.
// Terms under a maximum are kept apart: a maximum is not a sum.
void combine(std::vector<Term>& terms);

// A total order on terms that does not depend on offsets first: (atom, restrictions, coefficient,
// layout).
bool before(const Term& a, const Term& b);

// True when the term is a plain view: coefficient 1 and no restriction.
bool is_plain(const Term& term);

}  // namespace assay
