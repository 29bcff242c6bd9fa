#include "static_check/algebra/restriction.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <tuple>

#include "shared_ir/symbolic/integer.h"

namespace assay {

namespace {

std::strong_ordering compare(const Layout& a, const Layout& b) {
  if (auto order = a.dims.size() <=> b.dims.size(); order != 0) return order;
  for (size_t d = 0; d < a.dims.size(); ++d) {
    if (auto order = a.dims[d].size() <=> b.dims[d].size(); order != 0) return order;
    for (size_t i = 0; i < a.dims[d].size(); ++i) {
      if (auto order = a.dims[d][i].stride <=> b.dims[d][i].stride; order != 0) return order;
      if (auto order = a.dims[d][i].size <=> b.dims[d][i].size; order != 0) return order;
    }
  }
  return a.offset <=> b.offset;
}

std::strong_ordering compare_key(const Restriction& a, const Restriction& b) {
  if (auto order = a.kind <=> b.kind; order != 0) return order;
  if (a.kind == Restriction::Kind::kGuard) {
    if (auto order = a.atom <=> b.atom; order != 0) return order;
    return compare(a.where, b.where);
  }
  return std::tie(a.label, a.stride, a.radix) <=> std::tie(b.label, b.stride, b.radix);
}

std::strong_ordering compare(const Restriction& a, const Restriction& b) {
  if (auto order = compare_key(a, b); order != 0) return order;
  if (auto order = a.intervals.size() <=> b.intervals.size(); order != 0) return order;
  for (size_t i = 0; i < a.intervals.size(); ++i) {
    if (auto order = std::tie(a.intervals[i].lo, a.intervals[i].hi) <=>
                     std::tie(b.intervals[i].lo, b.intervals[i].hi);
        order != 0) {
      return order;
    }
  }
  return std::strong_ordering::equal;
}

std::strong_ordering compare(const std::vector<Restriction>& a, const std::vector<Restriction>& b) {
  if (auto order = a.size() <=> b.size(); order != 0) return order;
  for (size_t i = 0; i < a.size(); ++i) {
    if (auto order = compare(a[i], b[i]); order != 0) return order;
  }
  return std::strong_ordering::equal;
}

std::strong_ordering compare(const Rational& a, const Rational& b) {
  const auto in_order = [](const Rational& x) {
    const auto [p, q, e] = x.parts();
    return std::make_tuple(p, q, e);
  };
  return in_order(a) <=> in_order(b);
}

bool same_function(const Term& a, const Term& b) {
  return a.atom == b.atom && a.layout == b.layout;
}

// The one key in which two otherwise equal restriction lists differ; a key that is missing on one
// side is its full domain. nullptr when they differ in none or in several.
const Restriction* only_difference(const std::vector<Restriction>& a,
                                   const std::vector<Restriction>& b) {
  const Restriction* found = nullptr;
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const auto order = i == a.size()   ? std::strong_ordering::greater
                       : j == b.size() ? std::strong_ordering::less
                                       : compare_key(a[i], b[j]);
    const Restriction* here = order > 0 ? &b[j] : &a[i];
    const bool equal = order == 0 && a[i].intervals == b[j].intervals;
    i += order <= 0;
    j += order >= 0;
    if (equal) continue;
    if (found != nullptr) return nullptr;
    found = here;
  }
  return found;
}

Intervals intervals_of(const std::vector<Restriction>& restrictions, const Restriction& key) {
  for (const Restriction& r : restrictions) {
    if (same_key(r, key)) return r.intervals;
  }
  return {domain(key)};
}

std::vector<Restriction> with(std::vector<Restriction> restrictions, const Restriction& key,
                              const Intervals& intervals) {
  std::erase_if(restrictions, [&](const Restriction& r) { return same_key(r, key); });
  Restriction replacement = key;
  replacement.intervals = intervals;
  restrictions.push_back(std::move(replacement));
  normalize(restrictions);
  return restrictions;
}

// Replaces terms i and j, which differ in one key, by their sum as a step function over that key.
void add_steps(std::vector<Term>& terms, size_t i, size_t j, const Restriction& key) {
  const Intervals a = intervals_of(terms[i].restrictions, key),
                  b = intervals_of(terms[j].restrictions, key);
  const Term base = terms[i];
  const Rational ca = terms[i].coef, cb = terms[j].coef;
  std::vector<Int> points;
  for (const auto& list : {a, b}) {
    for (const Interval& interval : list) points.insert(points.end(), {interval.lo, interval.hi});
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  std::vector<std::pair<Rational, Intervals>> steps;
  for (size_t p = 0; p + 1 < points.size(); ++p) {
    const Intervals piece{{points[p], points[p + 1]}};
    const Rational coef =
        (contains(a, piece) ? ca : Rational(0)) + (contains(b, piece) ? cb : Rational(0));
    if (coef.is_zero()) continue;
    auto step =
        std::find_if(steps.begin(), steps.end(), [&](const auto& s) { return s.first == coef; });
    if (step == steps.end()) {
      steps.emplace_back(coef, piece);
    } else {
      step->second = unite(step->second, piece);
    }
  }
  terms.erase(terms.begin() + static_cast<ptrdiff_t>(j));
  terms.erase(terms.begin() + static_cast<ptrdiff_t>(i));
  for (const auto& [coef, intervals] : steps) {
    Term term = base;
    term.coef = coef;
    term.restrictions = with(base.restrictions, key, intervals);
    terms.push_back(std::move(term));
  }
}

// Summing two steps that only partly overlap keeps their number; it is worth it when they merge or
// when keys coincide.
bool worth_adding(const Term& a, const Term& b, const Restriction& key) {
  if (a.coef == b.coef &&
      disjoint(intervals_of(a.restrictions, key), intervals_of(b.restrictions, key)))
    return true;
  return !disjoint(intervals_of(a.restrictions, key), intervals_of(b.restrictions, key));
}

// Fewer terms than this are compared with each other as they come.
constexpr size_t kFewTerms = 16;

// Adds terms of one function up, as long as any two can be.
void add_like(std::vector<Term>& terms) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t i = 0; i < terms.size() && !changed; ++i) {
      for (size_t j = i + 1; j < terms.size() && !changed; ++j) {
        if (!same_function(terms[i], terms[j]) ||
            any_is(terms[i].restrictions, Restriction::Kind::kMax) ||
            any_is(terms[j].restrictions, Restriction::Kind::kMax))
          continue;
        if (terms[i].restrictions == terms[j].restrictions) {
          terms[i].coef = terms[i].coef + terms[j].coef;
          terms.erase(terms.begin() + static_cast<ptrdiff_t>(j));
          changed = true;
        } else if (const Restriction* key =
                       only_difference(terms[i].restrictions, terms[j].restrictions);
                   key != nullptr && worth_adding(terms[i], terms[j], *key)) {
          const Restriction copy = *key;
          add_steps(terms, i, j, copy);
          changed = true;
        }
      }
    }
  }
}

// The same, where only terms of one function are compared with each other.
void add_like_by_function(std::vector<Term>& terms) {
  std::stable_sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
    return a.atom != b.atom ? a.atom < b.atom : compare(a.layout, b.layout) < 0;
  });
  std::vector<Term> result;
  for (auto first = terms.begin(); first != terms.end();) {
    const auto last = std::find_if_not(
        first, terms.end(), [&](const Term& term) { return same_function(*first, term); });
    std::vector<Term> group(std::make_move_iterator(first), std::make_move_iterator(last));
    add_like(group);
    std::move(group.begin(), group.end(), std::back_inserter(result));
    first = last;
  }
  terms = std::move(result);
}

}  // namespace

Intervals intersect(const Intervals& a, const Intervals& b) {
  Intervals result;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Int lo = std::max(a[i].lo, b[j].lo), hi = std::min(a[i].hi, b[j].hi);
    if (lo < hi) result.push_back({lo, hi});
    (a[i].hi < b[j].hi ? i : j)++;
  }
  return result;
}

Intervals unite(const Intervals& a, const Intervals& b) {
  Intervals all = a;
  all.insert(all.end(), b.begin(), b.end());
  std::sort(all.begin(), all.end(),
            [](const Interval& x, const Interval& y) { return x.lo < y.lo; });
  Intervals result;
  for (const Interval& interval : all) {
    if (!result.empty() && interval.lo <= result.back().hi) {
      result.back().hi = std::max(result.back().hi, interval.hi);
    } else {
      result.push_back(interval);
    }
  }
  return result;
}

bool contains(const Intervals& outer, const Intervals& inner) {
  return intersect(outer, inner) == inner;
}

bool disjoint(const Intervals& a, const Intervals& b) { return intersect(a, b).empty(); }

Interval domain(const Restriction& restriction) {
  return restriction.kind == Restriction::Kind::kGuard ? kAllIntegers
                                                       : Interval{0, restriction.radix};
}

bool same_key(const Restriction& a, const Restriction& b) { return compare_key(a, b) == 0; }

bool all_are(const std::vector<Restriction>& restrictions, Restriction::Kind kind) {
  return std::all_of(restrictions.begin(), restrictions.end(),
                     [&](const Restriction& r) { return r.kind == kind; });
}

bool any_is(const std::vector<Restriction>& restrictions, Restriction::Kind kind) {
  return std::any_of(restrictions.begin(), restrictions.end(),
                     [&](const Restriction& r) { return r.kind == kind; });
}

bool before(const Restriction& a, const Restriction& b) { return compare_key(a, b) < 0; }

bool normalize(std::vector<Restriction>& restrictions) {
  if (restrictions.empty()) return true;
  std::sort(restrictions.begin(), restrictions.end(),
            [](const auto& a, const auto& b) { return before(a, b); });
  std::vector<Restriction> result;
  for (Restriction& r : restrictions) {
    if (!result.empty() && same_key(result.back(), r)) {
      result.back().intervals = intersect(result.back().intervals, r.intervals);
    } else {
      result.push_back(std::move(r));
    }
    if (result.back().intervals.empty()) return false;
  }
  std::erase_if(result, [](const Restriction& r) { return r.intervals == Intervals{domain(r)}; });
  bool rewritten = false;
  for (size_t i = 0; i < result.size(); ++i) {
    Restriction& r = result[i];
    if (r.kind == Restriction::Kind::kGuard || r.stride == 1) continue;
    // The nearest digit of the same label below this one, if any.
    Int floor = 1;
    for (const Restriction& other : result) {
      if (other.kind == r.kind && other.label == r.label && other.stride < r.stride) {
        floor = std::max(floor, other.stride * other.radix);
      }
    }
    if (floor >= r.stride || r.stride % floor != 0) continue;
    const Int factor = r.stride / floor;
    r.stride = floor;
    r.radix *= factor;
    for (Interval& interval : r.intervals) interval = {interval.lo * factor, interval.hi * factor};
    rewritten = true;
  }
  restrictions = std::move(result);
  return rewritten ? normalize(restrictions) : true;
}

void combine(std::vector<Term>& terms) {
  if (terms.empty()) return;
  if (terms.size() == 1) {
    if (terms[0].coef.is_zero()) terms.clear();
    return;
  }
  if (terms.size() <= kFewTerms)
    add_like(terms);
  else
    add_like_by_function(terms);
  std::erase_if(terms, [](const Term& term) { return term.coef.is_zero(); });
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return before(a, b); });
}

bool before(const Term& a, const Term& b) {
  if (a.atom != b.atom) return a.atom < b.atom;
  if (auto order = compare(a.restrictions, b.restrictions); order != 0) return order < 0;
  if (auto order = compare(a.coef, b.coef); order != 0) return order < 0;
  return compare(a.layout, b.layout) < 0;
}

bool is_plain(const Term& term) { return term.coef.is_one() && term.restrictions.empty(); }

}  // namespace assay
