#include "static_check/domains/lost_parts.h"

#include <algorithm>
#include <deque>
#include <set>

#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/restriction.h"

namespace assay {
namespace {

// Views that are looked at for one part; what is not found by then counts as lost.
constexpr size_t kMostViews = 4096;

// Labels of more values are compared digit by digit.
constexpr Int kMostLabelValues = 4096;

struct Before {
  bool operator()(const Term& a, const Term& b) const { return before(a, b); }
};
using Seen = std::set<Term, Before>;

const Restriction* same_in(const std::vector<Restriction>& list, const Restriction& key) {
  const auto at =
      std::ranges::find_if(list, [&](const Restriction& r) { return same_key(r, key); });
  return at == list.end() ? nullptr : &*at;
}

// Whether parts with these restrictions, taken together, hold what `part` holds. Of the sums, those
// that `labels` name count: others are sums of what the part was multiplied by.
class Coverage {
 public:
  Coverage(const Universe& universe, const Term& part, const std::vector<LabelId>& labels)
      : universe_(universe), part_(part), labels_(labels) {}

  bool holds(const std::vector<std::vector<Restriction>>& found) const {
    const Restriction* key = nullptr;
    Intervals together;
    for (const auto& restrictions : found) {
      std::vector<const Restriction*> narrower;
      for (const Restriction& r : restrictions)
        if (is_narrower(r)) narrower.push_back(&r);
      if (narrower.empty()) return true;
      // Steps of one digit make up the whole together.
      if (narrower.size() > 1 || (key != nullptr && !same_key(*key, *narrower[0]))) continue;
      key = narrower[0];
      together = unite(together, key->intervals);
    }
    if (key == nullptr) return false;
    Restriction united = *key;
    united.intervals = std::move(together);
    return is_implied(united);
  }

 private:
  Intervals wanted(const Restriction& key) const {
    const Restriction* own = same_in(part_.restrictions, key);
    return own != nullptr ? own->intervals : Intervals{domain(key)};
  }

  bool is_narrower(const Restriction& r) const {
    if (r.kind != Restriction::Kind::kGuard && std::ranges::find(labels_, r.label) == labels_.end())
      return false;
    return !is_implied(r);
  }

  // Whether all that the part holds satisfies it.
  bool is_implied(const Restriction& r) const {
    if (contains(r.intervals, wanted(r))) return true;
    if (r.kind == Restriction::Kind::kGuard) return false;
    // The part may be restricted by other digits of the label.
    const Int size = universe_.labels[static_cast<size_t>(r.label)].size;
    if (size > kMostLabelValues) return false;
    for (Int value = 0; value < size; ++value)
      if (!admits(r, value) && std::ranges::all_of(part_.restrictions, [&](const Restriction& own) {
            return own.kind != r.kind || own.label != r.label || admits(own, value);
          }))
        return false;
    return true;
  }

  static bool admits(const Restriction& r, Int value) {
    const Int digit = value / r.stride % r.radix;
    return std::ranges::any_of(r.intervals, [&](const Interval& interval) {
      return interval.lo <= digit && digit < interval.hi;
    });
  }

  const Universe& universe_;
  const Term& part_;
  const std::vector<LabelId>& labels_;
};

// Whether two parts of one view meet with coefficients of both signs: there they may cancel.
bool meet_with_both_signs(const Term& a, const Term& b) {
  if (a.atom != b.atom || !(a.layout == b.layout) || a.coef.is_negative() == b.coef.is_negative())
    return false;
  return std::ranges::none_of(a.restrictions, [&](const Restriction& r) {
    const Restriction* other = same_in(b.restrictions, r);
    return other != nullptr && disjoint(r.intervals, other->intervals);
  });
}

}  // namespace

bool LostParts::mark(std::vector<bool>& marks, AtomId id, bool through_flags) const {
  while (marks.size() <= static_cast<size_t>(id)) {
    const auto next = static_cast<AtomId>(marks.size());
    const Atom& atom = lifting_.atom(next);
    bool made = watched_(next);
    if (atom.kind == Atom::Kind::kInstance && (through_flags || !is_bool(atom.dtype)))
      for (const Instance::Operand& operand : lifting_.instance_of(next).operands)
        made = made || marks[static_cast<size_t>(operand.atom)];
    marks.push_back(made);
  }
  return marks[static_cast<size_t>(id)];
}

bool LostParts::is_made_of_watched(AtomId id) { return mark(made_of_watched_, id, false); }

bool LostParts::reads_watched(AtomId id) { return mark(reads_watched_, id, true); }

bool LostParts::is_made_of_watched(std::span<const Term> terms) {
  return std::ranges::any_of(terms, [&](const Term& t) { return is_made_of_watched(t.atom); });
}

bool LostParts::are_read(std::span<const Term> operand, std::span<const Term> result) {
  if (result.size() != 1 || !result[0].restrictions.empty()) return false;
  const Term& made = result[0];
  const bool instance = lifting_.atom(made.atom).kind == Atom::Kind::kInstance;
  return std::ranges::all_of(operand, [&](const Term& term) {
    if (!is_made_of_watched(term.atom)) return true;
    if (term.atom == made.atom) return term.layout == made.layout;
    if (!instance || lifting_.instance_of(made.atom).kind == Instance::Kind::kCombine) return false;
    const auto& operands = lifting_.instance_of(made.atom).operands;
    for (size_t i = 0; i < operands.size(); ++i)
      if (operands[i].atom == term.atom && reads_watched(made.atom) &&
          lifting_.trace(made.atom, made.layout, i) == term.layout)
        return true;
    return false;
  });
}

std::vector<Term> LostParts::parts_of(const Term& term, Places places) const {
  std::vector<Term> parts;
  if (lifting_.atom(term.atom).kind != Atom::Kind::kInstance) return parts;
  const Instance& made = lifting_.instance_of(term.atom);
  if (places == Places::kSame && made.kind == Instance::Kind::kCombine) {
    if (auto unfolded = lifting_.unfold(term)) parts = std::move(*unfolded);
    for (Term& part : parts) part.coef = 1;
    return parts;
  }
  for (size_t i = 0; i < made.operands.size(); ++i) {
    Term part;
    part.atom = made.operands[i].atom;
    if (places == Places::kSame) {
      auto layout = lifting_.trace(term.atom, term.layout, i);
      if (!layout) continue;
      part.layout = std::move(*layout);
      part.restrictions = term.restrictions;
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

bool LostParts::hold(std::span<const Term> made, const Term& part,
                     const std::vector<LabelId>& labels) {
  const Coverage coverage(lifting_.universe(), part, labels);
  std::vector<std::vector<Restriction>> found;
  Seen seen;
  std::deque<Term> open(made.begin(), made.end());  // the nearest first
  for (; !open.empty() && seen.size() < kMostViews; open.pop_front()) {
    const Term& term = open.front();
    // An atom is made after those that it is made of.
    if (term.atom < part.atom || !reads_watched(term.atom) || !seen.insert(term).second) continue;
    if (term.atom == part.atom) {
      if (!(term.layout == part.layout)) continue;
      found.push_back(term.restrictions);
      if (coverage.holds(found)) return true;
      continue;
    }
    for (Term& inner : parts_of(term, Places::kSame)) open.push_back(std::move(inner));
  }
  return false;
}

bool LostParts::are_made_of(std::span<const Term> made, AtomId id) {
  std::vector<AtomId> open;
  for (const Term& term : made) open.push_back(term.atom);
  std::set<AtomId> seen;
  while (!open.empty()) {
    const AtomId next = open.back();
    open.pop_back();
    if (next == id) return true;
    // An atom is made after those that it is made of.
    if (next < id || !reads_watched(next) || !seen.insert(next).second) continue;
    if (lifting_.atom(next).kind != Atom::Kind::kInstance) continue;
    for (const Instance::Operand& operand : lifting_.instance_of(next).operands)
      open.push_back(operand.atom);
  }
  return false;
}

void LostParts::compare(std::span<const Term> operand, std::span<const Term> result, Places places,
                        const std::function<void(AtomId)>& lost) {
  const auto plain = [&](const Term& term) {
    Term view;
    view.atom = term.atom;
    if (places == Places::kSame) {
      view.layout = term.layout;
      view.restrictions = term.restrictions;
    }
    return view;
  };
  std::vector<Term> left;
  for (const Term& term : result)
    if (places == Places::kAny || std::ranges::none_of(result, [&](const Term& other) {
          return meet_with_both_signs(term, other);
        }))
      left.push_back(plain(term));
  for (const Term& term : operand) {
    const std::vector<LabelId>& labels = lifting_.atom(term.atom).hidden;
    Seen looked_for;
    std::vector<Term> open{plain(term)};
    while (!open.empty()) {
      const Term part = std::move(open.back());
      open.pop_back();
      if (!is_made_of_watched(part.atom) || !looked_for.insert(part).second) continue;
      if (places == Places::kAny ? are_made_of(left, part.atom) : hold(left, part, labels))
        continue;
      if (watched_(part.atom)) lost(part.atom);
      for (Term& inner : parts_of(part, places)) open.push_back(std::move(inner));
    }
  }
}

}  // namespace assay
