#include "static_check/diagnose/piece.h"

#include <algorithm>

#include "static_check/algebra/restriction.h"
#include "static_check/algebra/value.h"
#include "static_check/diagnose/place.h"
#include "static_check/diagnose/scaled.h"

namespace assay {
namespace {

// What a piece has of one tensor, and where.
struct Share {
  AtomId atom;
  Place place;
};

// Two shares that cannot belong to one piece: they start at different coordinates.
std::optional<std::pair<size_t, size_t>> apart(const std::vector<Share>& shares) {
  for (size_t i = 0; i < shares.size(); ++i)
    for (size_t j = i + 1; j < shares.size(); ++j)
      for (size_t d = 0; d < shares[i].place.size(); ++d)
        if (shares[i].place[d] && shares[j].place[d] && *shares[i].place[d] != *shares[j].place[d])
          return std::pair(i, j);
  return std::nullopt;
}

std::optional<Nearest> compare_places(const Problem& problem, const std::vector<Share>& shares,
                                      const Shape& shape, const Shape& whole) {
  const auto pair = apart(shares);
  if (!pair) return std::nullopt;
  const auto words = [&](const Share& share) {
    const std::string name = name_of(problem, share.atom);
    return place_in_words(share.place, shape, whole) + " of " +
           (name.empty() ? "another operand" : name);
  };
  Nearest result;
  result.difference =
      "puts " + words(shares[pair->first]) + " together with " + words(shares[pair->second]);
  result.hint = "compare the slices of both that this rank holds with its coordinate";
  result.closeness = 82;
  return result;
}

Nearest counted(const Problem& problem, const Term& wanted, const Term& found) {
  const auto times = quotient(found.coef, wanted.coef);
  const std::string name = name_of(problem, wanted.atom);
  Nearest result;
  result.difference = "has " + (name.empty() ? std::string("one summand") : name) + " " +
                      (times ? factor_in_words(*times) + " times"
                             : "times " + factor_in_words(found.coef) + " in place of " +
                                   factor_in_words(wanted.coef));
  result.hint = "a bias, residual or gradient that is added more than once?";
  result.closeness = 72;
  return result;
}

std::string names_of(const Problem& problem, const std::vector<Term>& terms) {
  std::string names;
  for (const Term& term : terms) {
    const std::string name = name_of(problem, term.atom);
    if (!name.empty() && names.find(name) == std::string::npos)
      names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

// Every summand of the whole, the same number of times.
std::optional<Nearest> multiple(const TermsOfShape& whole, const TermsOfShape& piece,
                                const std::vector<size_t>& counterpart, bool matched) {
  if (!matched || piece.terms.size() != whole.terms.size()) return std::nullopt;
  std::optional<Rational> factor;
  for (size_t i = 0; i < piece.terms.size(); ++i) {
    const auto here = quotient(piece.terms[i].coef, whole.terms[counterpart[i]].coef);
    if (!here || (factor && *factor != *here)) return std::nullopt;
    factor = here;
  }
  if (!factor || factor->is_one()) return std::nullopt;
  return multiple_of_target(*factor);
}

Nearest lacking(const Problem& problem, const std::vector<Term>& terms) {
  const std::string names = names_of(problem, terms);
  Nearest result;
  result.difference = names.empty()
                          ? "lacks " + std::to_string(terms.size()) + " summand(s) of the value"
                          : "lacks the summand " + names;
  result.hint = "is something not added here, or not passed on?";
  result.closeness = kLacking;
  return result;
}

Nearest replaced(const Problem& problem, const std::vector<Term>& wanted,
                 const std::vector<Term>& found) {
  const std::string there = names_of(problem, found), here = names_of(problem, wanted);
  Nearest result;
  if (here.empty()) return result;
  if (there == here)
    result.difference = "has other elements of " + here + ", or other parts of it";
  else
    result.difference = "has " +
                        (there.empty() ? "a value that the sequential program never has" : there) +
                        " in place of " + here;
  result.hint = "what does this rank read here, and where does that come from?";
  result.closeness = kReplaced;
  return result;
}

}  // namespace

std::string name_of(const Problem& problem, AtomId atom) {
  const Graph& graph = problem.refinement.sequential;
  for (size_t i = 0; i < graph.tensors.size(); ++i) {
    const Value* value = problem.sequential_value(static_cast<TensorId>(i));
    if (value == nullptr || value->tiles.size() != 1 || value->tiles[0].terms.size() != 1) continue;
    const Term& term = value->tiles[0].terms[0];
    if (term.atom == atom && term.restrictions.empty()) return graph.tensors[i].name;
  }
  return {};
}

std::vector<Term> spread(const Lifting& lifting, const Value& value) {
  std::vector<Term> result;
  if (value.tiles.size() != 1) return result;
  for (const Term& term : value.tiles[0].terms) {
    if (auto unfolded = lifting.unfold(term)) {
      result.insert(result.end(), unfolded->begin(), unfolded->end());
    } else {
      result.push_back(term);
    }
  }
  combine(result);
  return result;
}

std::optional<Nearest> compare_piece(const Problem& problem, const TermsOfShape& whole,
                                     const TermsOfShape& piece) {
  if (whole.terms.empty() || piece.terms.empty()) return std::nullopt;
  const auto is_restricted = [](const Term& term) { return !term.restrictions.empty(); };
  std::vector<bool> used(whole.terms.size(), false);
  std::vector<Share> shares;
  std::optional<size_t> differing;  // a term of the piece with another coefficient
  std::vector<size_t> counterpart(piece.terms.size(), 0);
  std::vector<Term> others;  // of the piece, that the whole does not have
  for (size_t i = 0; i < piece.terms.size(); ++i) {
    const Term& term = piece.terms[i];
    std::optional<size_t> best;
    for (size_t j = 0; j < whole.terms.size(); ++j) {
      const Term& wanted = whole.terms[j];
      if (used[j] || wanted.atom != term.atom || wanted.restrictions != term.restrictions) continue;
      if (!place_of(wanted.layout, term.layout)) continue;
      if (!best || wanted.coef == term.coef) best = j;
    }
    if (!best) {
      others.push_back(term);
      continue;
    }
    used[*best] = true;
    counterpart[i] = *best;
    shares.push_back({term.atom, *place_of(whole.terms[*best].layout, term.layout)});
    if (!(whole.terms[*best].coef == term.coef)) differing = i;
  }
  if (shares.empty()) return std::nullopt;
  if (std::any_of(others.begin(), others.end(), is_restricted)) return std::nullopt;
  if (auto places = compare_places(problem, shares, piece.shape, whole.shape)) return places;
  if (auto times = multiple(whole, piece, counterpart, others.empty())) return times;
  if (differing && piece.terms.size() == whole.terms.size() && piece.terms.size() > 1)
    return counted(problem, whole.terms[counterpart[*differing]], piece.terms[*differing]);
  if (differing) return std::nullopt;
  std::vector<Term> rest;
  for (size_t j = 0; j < whole.terms.size(); ++j)
    if (!used[j]) rest.push_back(whole.terms[j]);
  if (!others.empty()) {
    if (rest.empty()) return std::nullopt;
    return replaced(problem, rest, others);
  }
  if (!rest.empty()) return lacking(problem, rest);
  return Nearest{};
}

bool is_piece(const Problem& problem, const Value& whole, const Value& piece) {
  if (whole.tiles.size() != 1 || whole.shape.size() != piece.shape.size() ||
      whole.tiles[0].terms.empty())
    return true;
  const auto is_right = [](const std::optional<Nearest>& compared) {
    return compared && compared->difference.empty();
  };
  for (size_t t = 0; t < piece.tiles.size(); ++t) {
    if (piece.tiles[t].terms.empty()) continue;
    const Value tile = single_tile(tile_size(piece, t), piece.tiles[t]);
    const bool right =
        is_right(compare_piece(problem, {whole.tiles[0].terms, whole.shape},
                               {tile.tiles[0].terms, tile.shape})) ||
        is_right(compare_piece(problem, {spread(problem.lifting, whole), whole.shape},
                               {spread(problem.lifting, tile), tile.shape}));
    if (!right) return false;
  }
  return true;
}

std::optional<Nearest> compare_operands(const Problem& problem, const Term& whole,
                                        const Shape& whole_shape, const Term& piece,
                                        const Shape& piece_shape) {
  const Lifting& lifting = problem.lifting;
  if (lifting.atom(whole.atom).kind != Atom::Kind::kInstance ||
      lifting.atom(piece.atom).kind != Atom::Kind::kInstance)
    return std::nullopt;
  const Instance& a = lifting.instance_of(whole.atom);
  const Instance& b = lifting.instance_of(piece.atom);
  if (a.kind != b.kind || a.fn != b.fn || a.operands.size() != b.operands.size())
    return std::nullopt;
  std::vector<Share> shares;
  std::optional<std::pair<AtomId, AtomId>> replaced_operand;
  for (size_t i = 0; i < a.operands.size(); ++i) {
    Term in_whole, in_piece;
    in_whole.atom = a.operands[i].atom;
    in_piece.atom = b.operands[i].atom;
    const auto from = lifting.trace(whole.atom, whole.layout, i);
    const auto to = lifting.trace(piece.atom, piece.layout, i);
    if (!from || !to) return std::nullopt;
    in_whole.layout = *from;
    in_piece.layout = *to;
    if (a.operands.size() == 1 && in_whole.atom != in_piece.atom)
      return compare_operands(problem, in_whole, whole_shape, in_piece, piece_shape);
    if (in_whole.atom != in_piece.atom) {
      if (replaced_operand) return std::nullopt;
      replaced_operand = std::pair(in_whole.atom, in_piece.atom);
      continue;
    }
    if (const auto place = place_of(*from, *to)) shares.push_back({in_whole.atom, *place});
  }
  if (!replaced_operand) return compare_places(problem, shares, piece_shape, whole_shape);
  const std::string wanted = name_of(problem, replaced_operand->first);
  const std::string found = name_of(problem, replaced_operand->second);
  const bool like =
      lifting.atom(replaced_operand->first).size == lifting.atom(replaced_operand->second).size;
  if (!like || wanted.empty() || found.empty() || wanted == found) return std::nullopt;
  Nearest result;
  result.difference = "reads " + found + " in place of " + wanted;
  result.hint = "is the right tensor passed to this operator?";
  result.closeness = kOtherOperand;
  return result;
}

}  // namespace assay
