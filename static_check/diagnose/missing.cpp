#include "static_check/diagnose/missing.h"

#include <algorithm>

#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/restriction.h"
#include "static_check/diagnose/place.h"

namespace assay {
namespace {

// A slab of the target that a rank's tensor holds.
struct Held {
  const Candidate* candidate;
  Interval range;
};

// What the candidates hold of the target along one dimension, whole in the others.
std::vector<Held> held_along(size_t dim, const Value& target,
                             const std::vector<const Candidate*>& candidates) {
  const Term& wanted = target.tiles[0].terms[0];
  std::vector<Held> held;
  for (const Candidate* candidate : candidates) {
    const Value& value = *candidate->value;
    if (value.tiles.size() != 1 || value.tiles[0].terms.size() != 1) continue;
    if (value.shape.size() != target.shape.size()) continue;
    const Term& term = value.tiles[0].terms[0];
    if (term.atom != wanted.atom || !(term.coef == wanted.coef) ||
        term.restrictions != wanted.restrictions)
      continue;
    const auto place = place_of(wanted.layout, term.layout);
    if (!place || !(*place)[dim]) continue;
    bool whole = true;
    for (size_t d = 0; d < target.shape.size(); ++d)
      whole = whole && (d == dim || value.shape[d] == target.shape[d]);
    if (whole) held.push_back({candidate, {*(*place)[dim], *(*place)[dim] + value.shape[dim]}});
  }
  return held;
}

std::vector<Interval> complement(std::vector<Held> held, Int size) {
  std::sort(held.begin(), held.end(),
            [](const Held& a, const Held& b) { return a.range.lo < b.range.lo; });
  std::vector<Interval> gaps;
  Int at = 0;
  for (const Held& one : held) {
    if (one.range.lo > at) gaps.push_back({at, one.range.lo});
    at = std::max(at, one.range.hi);
  }
  if (at < size) gaps.push_back({at, size});
  return gaps;
}

std::string name_of(const Candidate& candidate) {
  return candidate.name + "@" + std::to_string(candidate.rank);
}

// Two tensors of the target's operator that hold one slab, which is as large as the gap: the second
// should hold the gap.
std::optional<std::pair<const Held*, const Held*>> same_slab_twice(const std::vector<Held>& held,
                                                                   const Interval& gap,
                                                                   const std::string& op) {
  std::optional<std::pair<const Held*, const Held*>> found;
  for (size_t i = 0; i < held.size(); ++i) {
    if (held[i].candidate->op != op || held[i].range.hi - held[i].range.lo != gap.hi - gap.lo)
      continue;
    for (size_t j = i + 1; j < held.size(); ++j) {
      if (held[j].candidate->op != op || !(held[j].range == held[i].range)) continue;
      const bool same_name = held[i].candidate->name == held[j].candidate->name;
      if (!found || same_name) found = std::pair(&held[i], &held[j]);
      if (same_name) return found;
    }
  }
  return found;
}

// The same where no tensor has all of any dimension but one: one that holds a box alone.
std::optional<Nearest> missing_box(const Problem& problem, TensorId target, const Value& value,
                                   const std::vector<const Candidate*>& candidates) {
  const Term& wanted = value.tiles[0].terms[0];
  const std::string op = operator_of(problem.refinement.sequential, target);
  Int elements = 0;
  const Candidate* shown = nullptr;
  std::string words;
  for (const Candidate* candidate : candidates) {
    const Value& found = *candidate->value;
    if (candidate->op != op || found.tiles.size() != 1 || found.tiles[0].terms.size() != 1 ||
        found.shape.size() != value.shape.size())
      continue;
    const Term& term = found.tiles[0].terms[0];
    if (term.atom != wanted.atom || !(term.coef == wanted.coef) ||
        term.restrictions != wanted.restrictions)
      continue;
    const auto place = place_of(wanted.layout, term.layout);
    if (!place) continue;
    elements += element_count(found.shape);
    if (shown == nullptr) {
      shown = candidate;
      words = place_in_words(*place, found.shape, value.shape);
    }
  }
  if (shown == nullptr || elements >= element_count(value.shape)) return std::nullopt;
  Nearest result;
  result.difference = "holds " + words + " alone; the ranks together hold " + decimal(elements) +
                      " of " + decimal(element_count(value.shape)) + " elements";
  result.hint = "are two of its operands split over the same ranks?";
  result.closeness = 66;
  result.name = name_of(*shown);
  const Graph& program = problem.rank_graph(shown->rank);
  result.source = source_of(program, program.find(shown->name));
  result.op = shown->op;
  return result;
}

}  // namespace

std::optional<Nearest> missing_part(const Problem& problem, TensorId target,
                                    const CoverIndex& index) {
  const Value* value = problem.sequential_value(target);
  if (value == nullptr || value->tiles.size() != 1 || value->tiles[0].terms.size() != 1)
    return std::nullopt;
  if (value->tiles[0].terms[0].atom == problem.lifting.one()) return std::nullopt;
  const auto candidates = index.related(*value);
  std::vector<Held> held;
  size_t dim = 0;
  for (size_t d = 0; d < value->shape.size(); ++d) {
    auto along = held_along(d, *value, candidates);
    if (along.size() <= held.size()) continue;
    held = std::move(along);
    dim = d;
  }
  if (held.empty()) return missing_box(problem, target, *value, candidates);
  const std::vector<Interval> gaps = complement(held, value->shape[dim]);
  if (gaps.empty()) return std::nullopt;
  const auto words = [&](const Interval& range) {
    return coordinates_in_words(range, dim, value->shape.size());
  };
  Nearest result;
  const Held* shown = &held.front();
  const auto twice =
      same_slab_twice(held, gaps.front(), operator_of(problem.refinement.sequential, target));
  if (twice && twice->first->candidate->name == twice->second->candidate->name) {
    shown = twice->second;
    result.difference = "rank " + std::to_string(shown->candidate->rank) + " holds " +
                        words(shown->range) + ", expected " + words(gaps.front());
    result.closeness = 84;
  } else if (twice) {
    shown = twice->second;
    result.difference = "holds " + words(shown->range) + ", as " +
                        name_of(*twice->first->candidate) + " does; no rank holds " +
                        words(gaps.front());
    result.closeness = 84;
  } else {
    result.difference = "holds " + words(shown->range) + "; no rank holds " + words(gaps.front());
    result.closeness = 66;
  }
  for (size_t i = 1; i < gaps.size(); ++i) result.difference += ", " + words(gaps[i]);
  result.hint = "compare the slice that each rank holds with its coordinate";
  result.name = name_of(*shown->candidate);
  const Graph& program = problem.rank_graph(shown->candidate->rank);
  result.source = source_of(program, program.find(shown->candidate->name));
  result.op = shown->candidate->op;
  return result;
}

}  // namespace assay
