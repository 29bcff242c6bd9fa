#include "static_check/lift/arithmetic/parts.h"

#include <algorithm>
#include <map>

#include "static_check/algebra/restriction.h"
#include "static_check/lift/operators.h"

namespace assay {

namespace {

using Kind = Restriction::Kind;

Boxes boxes_of(const Term& term) {
  Boxes boxes;
  for (const Restriction& r : term.restrictions) {
    if (r.kind != Kind::kGuard) boxes.push_back(r);
  }
  return boxes;
}

// Parts that differ in their boxes alone.
bool alike(const Term& a, const Term& b) {
  const auto guards = [](const Term& term) {
    return std::find_if(term.restrictions.begin(), term.restrictions.end(),
                        [](const Restriction& r) { return r.kind == Kind::kGuard; });
  };
  return a.atom == b.atom && a.coef == b.coef && a.layout == b.layout &&
         std::equal(guards(a), a.restrictions.end(), guards(b), b.restrictions.end());
}

PartitionQuery query_of(const Lifting& lifting, std::span<const Term> parts) {
  PartitionQuery query;
  for (const Term& part : parts) query.parts.push_back(boxes_of(part));
  query.whole = query.parts.front();
  std::erase_if(query.whole, [&](const Restriction& box) {
    return std::any_of(query.parts.begin(), query.parts.end(), [&](const Boxes& part) {
      return std::find(part.begin(), part.end(), box) == part.end();
    });
  });
  for (const Boxes& part : query.parts) {
    for (const Restriction& box : part) {
      const auto& labels = lifting.universe().labels;
      query.sizes.emplace(box.label, labels[static_cast<size_t>(box.label)].size);
    }
  }
  return query;
}

// The parts' common view under the restrictions of the query's whole.
Term whole_of(const PartitionQuery& query, const Term& part) {
  Term whole = part;
  std::erase_if(whole.restrictions, [&](const Restriction& r) {
    return r.kind != Kind::kGuard &&
           std::find(query.whole.begin(), query.whole.end(), r) == query.whole.end();
  });
  return whole;
}

// A part of a sum: restricted by boxes, and by no maximum.
bool is_part(const Term& term) {
  const auto has = [&](Kind kind) {
    return std::any_of(term.restrictions.begin(), term.restrictions.end(),
                       [&](const Restriction& r) { return r.kind == kind; });
  };
  return has(Kind::kBox) && !has(Kind::kMax);
}

// Parts whose intervals can be united as they are.
bool differ_in_one_key(std::span<const Term> parts) {
  return std::all_of(parts.begin(), parts.end(), [&](const Term& part) {
    return part.restrictions.empty() ||
           (part.restrictions.size() == 1 && parts.front().restrictions.size() == 1 &&
            same_key(part.restrictions[0], parts.front().restrictions[0]));
  });
}

// Terms that are parts of the same view, as indices into the terms; those that are alone are left
// out.
std::vector<std::vector<size_t>> groups_of(const std::vector<Term>& terms) {
  std::map<AtomId, std::vector<std::vector<size_t>>> groups;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (!is_part(terms[i])) continue;
    auto& of_atom = groups[terms[i].atom];
    const auto group = std::find_if(of_atom.begin(), of_atom.end(), [&](const auto& known) {
      return alike(terms[known.front()], terms[i]);
    });
    if (group == of_atom.end())
      of_atom.push_back({i});
    else
      group->push_back(i);
  }
  std::vector<std::vector<size_t>> result;
  for (auto& [atom, of_atom] : groups)
    for (auto& group : of_atom)
      if (group.size() > 1) result.push_back(std::move(group));
  return result;
}

}  // namespace

void unite_parts(Lifting& lifting, std::vector<Term>& terms) {
  if (terms.size() < 2) return;
  std::vector<bool> united(terms.size(), false);
  std::vector<Term> result;
  for (const std::vector<size_t>& group : groups_of(terms)) {
    std::vector<Term> parts;
    for (const size_t i : group) parts.push_back(terms[i]);
    const PartitionQuery query = query_of(lifting, parts);
    if (lifting.solver().decide(query) != Answer::kYes) continue;
    result.push_back(whole_of(query, parts.front()));
    for (const size_t i : group) united[i] = true;
  }
  if (result.empty()) return;
  for (size_t i = 0; i < terms.size(); ++i)
    if (!united[i]) result.push_back(std::move(terms[i]));
  combine(result);
  terms = std::move(result);
}

Value sum_of(Lifting& lifting, std::vector<Value> values) {
  Value result = add(std::move(values));
  for (Tile& tile : result.tiles) {
    unite_parts(lifting, tile.terms);
    drop_guards_of_indices(lifting, tile.terms);
  }
  return result;
}

std::optional<Term> whole_of_maxima(Lifting& lifting, std::span<const Term> parts) {
  for (const Term& part : parts) {
    if (!alike(part, parts.front()) || !part.coef.is_one() ||
        !all_are(part.restrictions, Kind::kMax))
      return std::nullopt;
  }
  if (differ_in_one_key(parts)) return std::nullopt;
  PartitionQuery query = query_of(lifting, parts);
  query.may_overlap = true;
  if (lifting.solver().decide(query) != Answer::kYes) return std::nullopt;
  return whole_of(query, parts.front());
}

}  // namespace assay
