#include "static_check/diagnose/nearest.h"

#include <algorithm>

#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/value.h"
#include "static_check/diagnose/lookup.h"
#include "static_check/diagnose/missing.h"
#include "static_check/diagnose/piece.h"
#include "static_check/diagnose/scaled.h"

namespace assay {

namespace {

std::string range(const Intervals& intervals) {
  std::string text;
  for (const Interval& interval : intervals) {
    text += (text.empty() ? "" : ", ") + decimal(interval.lo) + ".." + decimal(interval.hi - 1);
  }
  return text;
}

const Term* only_term(const Value& value) {
  return value.tiles.size() == 1 && value.tiles[0].terms.size() == 1 ? &value.tiles[0].terms[0]
                                                                     : nullptr;
}

// A factor between two sums of the same terms, if there is one.
std::optional<Rational> ratio(const std::vector<Term>& wanted, const std::vector<Term>& found) {
  if (wanted.empty() || wanted.size() != found.size()) return std::nullopt;
  std::optional<Rational> result;
  for (const Term& term : wanted) {
    const auto match = std::find_if(found.begin(), found.end(), [&](const Term& other) {
      return other.atom == term.atom && other.layout == term.layout &&
             other.restrictions == term.restrictions;
    });
    if (match == found.end()) return std::nullopt;
    const auto here = quotient(match->coef, term.coef);
    if (!here || (result && *result != *here)) return std::nullopt;
    result = here;
  }
  return result;
}

// Both are the same operator on the same atoms.
std::optional<Nearest> compare_instances(const Problem& problem, const Term& wanted,
                                         const Shape& wanted_shape, const Term& found,
                                         const Shape& found_shape) {
  if (auto operands = compare_operands(problem, wanted, wanted_shape, found, found_shape))
    return operands;
  const Lifting& lifting = problem.lifting;
  AtomId a = wanted.atom, b = found.atom;
  while (a != b && lifting.atom(a).kind == Atom::Kind::kInstance &&
         lifting.atom(b).kind == Atom::Kind::kInstance) {
    const Instance& left = lifting.instance_of(a);
    const Instance& right = lifting.instance_of(b);
    if (left.kind != right.kind || left.fn != right.fn ||
        left.operands.size() != right.operands.size())
      return std::nullopt;
    const bool same = std::equal(left.operands.begin(), left.operands.end(), right.operands.begin(),
                                 [](const auto& x, const auto& y) { return x.atom == y.atom; });
    if (same) {
      Nearest result;
      result.difference = "the same operator reads its operands at other positions";
      result.hint = "compare which slice of each operand this rank holds";
      result.closeness = 30;
      return result;
    }
    if (left.operands.size() != 1) return std::nullopt;
    a = left.operands[0].atom;
    b = right.operands[0].atom;
  }
  return std::nullopt;
}

Nearest compare_terms(const Problem& problem, const std::vector<Term>& wanted,
                      const std::vector<Term>& found, const Shape& shape) {
  if (const auto factor = ratio(wanted, found); factor && !factor->is_one())
    return multiple_of_target(*factor);
  Nearest result;
  const auto counterpart = [&](const Term& term) {
    return std::find_if(wanted.begin(), wanted.end(), [&](const Term& w) {
      return w.atom == term.atom && w.layout == term.layout;
    });
  };
  int extra = 0;
  std::optional<Nearest> lookup;
  for (const Term& term : found) {
    if (counterpart(term) != wanted.end()) continue;
    for (const Term& w : wanted) {
      if (auto here = compare_lookups(problem.lifting, w, term, found)) lookup = std::move(here);
    }
    ++extra;
  }
  if (lookup) return *lookup;
  for (const Term& term : found) {
    const auto same = counterpart(term);
    if (same == wanted.end()) continue;
    if (!term.restrictions.empty() && same->restrictions.empty()) {
      const Restriction& r = term.restrictions[0];
      if (r.kind == Restriction::Kind::kGuard) {
        result.difference = "is masked to index values " + range(r.intervals);
      } else {
        const Int size = problem.lifting.universe().labels[static_cast<size_t>(r.label)].size;
        const bool plain = r.stride == 1 && r.radix == size;
        result.difference =
            (plain ? "is a partial sum, of terms " + range(r.intervals) + " of " + decimal(size)
                   : "is a partial sum, of some of " + decimal(size) + " terms");
        result.partial = term;
      }
      result.hint = "are all parts added up before this is used?";
      result.closeness = 80;
      return result;
    }
    if (!(term.coef == same->coef)) {
      const auto times = quotient(term.coef, same->coef);
      result.difference =
          "one summand is taken " +
          (times ? factor_in_words(*times)
                 : factor_in_words(term.coef) + " for " + factor_in_words(same->coef)) +
          " times";
      result.hint = "a bias or residual added once per rank?";
      result.closeness = 70;
      return result;
    }
  }
  if (extra == 0 && found.size() < wanted.size()) {
    result.difference =
        "lacks " + std::to_string(wanted.size() - found.size()) + " summand(s) of the value";
    result.closeness = 60;
  } else if (extra == static_cast<int>(found.size())) {
    for (const Term& w : wanted) {
      for (const Term& term : found) {
        if (auto instances = compare_instances(problem, w, shape, term, shape)) return *instances;
      }
    }
  } else {
    result.difference = "shares only some summands with the value";
    result.closeness = 40;
  }
  return result;
}

// Whether other ranks hold other parts of the sum under the name of this one.
bool rest_is_elsewhere(const Nearest& part, const std::vector<const Candidate*>& candidates) {
  const std::string name = part.name.substr(0, part.name.rfind('@'));
  const auto is_rest = [&](const Term& term) {
    if (term.atom != part.partial->atom || term.restrictions.empty()) return false;
    const Restriction& a = term.restrictions[0];
    const Restriction& b = part.partial->restrictions[0];
    return a.kind == b.kind && a.label == b.label && a.stride == b.stride && a.radix == b.radix &&
           a.intervals != b.intervals;
  };
  return std::any_of(candidates.begin(), candidates.end(), [&](const Candidate* candidate) {
    return candidate->name == name && any_term(*candidate->value, is_rest);
  });
}

// A factor alone is no sign that the two belong together.
bool says_where(const std::optional<Nearest>& compared) {
  return compared && !compared->difference.empty() && compared->closeness < kScaled;
}

// A piece of a flat buffer: each of its tiles on its own.
std::optional<Nearest> compare_flat(const Problem& problem, const Value& wanted,
                                    const Value& found) {
  const auto flat = reshape(wanted, {element_count(wanted.shape)});
  if (!flat || flat->tiles.size() != 1) return std::nullopt;
  for (size_t t = 0; t < found.tiles.size(); ++t) {
    Value piece = single_tile(tile_size(found, t), found.tiles[t]);
    const auto direct = compare_piece(problem, {flat->tiles[0].terms, flat->shape},
                                      {piece.tiles[0].terms, piece.shape});
    if (says_where(direct)) return direct;
    const auto unfolded = compare_piece(problem, {spread(problem.lifting, *flat), flat->shape},
                                        {spread(problem.lifting, piece), piece.shape});
    if (says_where(unfolded)) return unfolded;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Rational> quotient(const Rational& a, const Rational& b) {
  try {
    return a / b;
  } catch (const RationalOverflow&) {
    return std::nullopt;
  }
}

std::optional<Rational> factor_between(const Lifting& lifting, const Value& wanted,
                                       const Value& found) {
  if (wanted.shape != found.shape) return std::nullopt;
  return ratio(spread(lifting, wanted), spread(lifting, found));
}

namespace {

Nearest compare_written_out(const Problem& problem, const Value& wanted, const Value& found) {
  const Term* w = only_term(wanted);
  const Term* f = only_term(found);
  if (w != nullptr && f != nullptr && w->atom == f->atom && w->atom == problem.lifting.one() &&
      w->coef == f->coef)
    return {};  // a constant, of another shape
  if (wanted.tiles.size() == 1 && found.tiles.size() == 1 &&
      wanted.shape.size() == found.shape.size()) {
    const auto direct = compare_piece(problem, {wanted.tiles[0].terms, wanted.shape},
                                      {found.tiles[0].terms, found.shape});
    if (direct) return *direct;
    // A sum of a sum: its names are unfolded until something is said.
    constexpr int kMostLevels = 3;
    const TermsOfShape whole{spread(problem.lifting, wanted), wanted.shape};
    Value piece = found;
    for (int level = 0; level < kMostLevels; ++level) {
      piece.tiles[0].terms = spread(problem.lifting, piece);
      const auto unfolded = compare_piece(problem, whole, {piece.tiles[0].terms, piece.shape});
      if (unfolded && unfolded->closeness != kReplaced) return *unfolded;
      if (unfolded && level + 1 == kMostLevels) return *unfolded;
    }
  }
  if (w != nullptr && f != nullptr && w->atom == f->atom && w->restrictions == f->restrictions &&
      w->coef == f->coef && !(w->layout == f->layout)) {
    Nearest result;
    result.difference = "holds other elements of the value (a different slice or order)";
    result.hint = "compare the slice that each rank holds with its coordinate";
    result.closeness = kOtherElements;
    return result;
  }
  if (found.shape.size() == 1 && wanted.shape.size() > 1) {
    if (auto flat = compare_flat(problem, wanted, found)) return *flat;
  }
  if (found.tiles.size() > 1) {
    Nearest result;
    const bool same_atoms =
        std::all_of(found.tiles.begin(), found.tiles.end(), [&](const Tile& tile) {
          return w != nullptr && tile.terms.size() == 1 && tile.terms[0].atom == w->atom;
        });
    if (same_atoms) {
      result.difference = "holds the blocks of the value in another order";
      result.hint = "check the order in which shards are gathered";
      result.closeness = 85;
    }
    return result;
  }
  Nearest direct;
  if (wanted.tiles.size() == 1 && wanted.shape == found.shape) {
    direct = compare_terms(problem, wanted.tiles[0].terms, found.tiles[0].terms, wanted.shape);
    if (direct.closeness >= 60) return direct;
    const Nearest unfolded = compare_terms(problem, spread(problem.lifting, wanted),
                                           spread(problem.lifting, found), wanted.shape);
    if (unfolded.closeness > direct.closeness) return unfolded;
  } else if (w != nullptr && f != nullptr) {
    direct = compare_terms(problem, {*w}, {*f}, wanted.shape);
    if (direct.closeness == 80 || direct.closeness == 90) return direct;
    if (auto instances = compare_instances(problem, *w, wanted.shape, *f, found.shape))
      return *instances;
    direct = {};
  }
  return direct;
}

}  // namespace

Nearest compare_values(const Problem& problem, const Value& wanted, const Value& found) {
  try {
    return compare_written_out(problem, wanted, found);
  } catch (const RationalOverflow&) {  // coefficients that no difference of theirs tells apart
    return {};
  }
}

const CoverIndex& CoverIndices::of(const Problem& problem, TensorId target) const {
  const Case& refinement = problem.refinement;
  const bool checked = std::any_of(
      refinement.outputs.begin(), refinement.outputs.end(),
      [&](const std::string& name) { return refinement.sequential.find(name) == target; });
  return checked ? outputs : all;
}

std::optional<Nearest> nearest(const Problem& problem, TensorId target,
                               const CoverIndices& indices) {
  const CoverIndex& index = indices.all;
  const Value* wanted = problem.sequential_value(target);
  if (wanted == nullptr) return std::nullopt;
  const Graph& graph = problem.refinement.sequential;
  const Tensor& tensor = graph.tensors[static_cast<size_t>(target)];
  const std::string op = operator_of(graph, target);
  // What a rank gives out in place of an output tells more than what it computes on the way there.
  const bool is_output =
      std::find(graph.outputs.begin(), graph.outputs.end(), target) != graph.outputs.end();
  constexpr int kOutputBonus = 4 * 25;
  const auto preference = [&](const Graph& program, TensorId id) {
    const bool given_out = is_output && std::find(program.outputs.begin(), program.outputs.end(),
                                                  id) != program.outputs.end();
    return given_out ? kOutputBonus : 0;
  };
  const auto is_operand = [&](const std::string& name) {
    if (tensor.producer == kNone) return false;
    const auto operands = operands_of(graph.nodes[static_cast<size_t>(tensor.producer)]);
    return std::any_of(operands.begin(), operands.end(), [&](TensorId operand) {
      return graph.tensors[static_cast<size_t>(operand)].name == name;
    });
  };
  const std::vector<const Candidate*> related = index.related(*wanted);
  const auto holds_piece = [&](Rank rank) {
    return std::any_of(related.begin(), related.end(), [&](const Candidate* candidate) {
      if (candidate->rank != rank || candidate->op != op || wanted->tiles.size() != 1 ||
          candidate->value->tiles.size() != 1)
        return false;
      const auto compared =
          compare_piece(problem, {wanted->tiles[0].terms, wanted->shape},
                        {candidate->value->tiles[0].terms, candidate->value->shape});
      return compared && compared->difference.empty();
    });
  };
  std::optional<Nearest> best;
  int best_preference = 0;
  const auto consider = [&](Rank rank, TensorId id, int bonus) {
    const Value* found = problem.rank_value(rank, id);
    if (found == nullptr) return;
    const Graph& program = problem.rank_graph(rank);
    Nearest here = compare_values(problem, *wanted, *found);
    if (here.closeness == 0 && bonus < 3) return;
    here.closeness = here.closeness * 4 + bonus;
    // What lacks a summand may be an operand; what is off by a factor, anything before or after a
    // scaling where the rank's own operator is right.
    const std::string& name = program.tensors[static_cast<size_t>(id)].name;
    const bool lacks = here.closeness / 4 == kLacking;
    const bool scaled = here.closeness / 4 == kScaled;
    const bool on_the_way = preference(program, id) == 0;
    if (lacks && (is_operand(name) || (operator_of(program, id) != op && on_the_way))) return;
    if (scaled && on_the_way && holds_piece(rank)) return;
    if (here.closeness / 4 == kOtherOperand && name != tensor.name) return;
    if (here.closeness / 4 == kOtherElements && operator_of(program, id) != op)
      here.closeness = 4 * 20 + bonus;
    const bool may_be_on_the_way = here.closeness >= 4 * 60 && here.closeness < 4 * 82;
    const int preferred = may_be_on_the_way ? preference(program, id) : 0;
    if (best && best->closeness + best_preference >= here.closeness + preferred) return;
    best_preference = preferred;
    here.name = program.tensors[static_cast<size_t>(id)].name + "@" + std::to_string(rank);
    here.source = source_of(program, id);
    here.op = operator_of(program, id);
    best = std::move(here);
  };
  for (const Candidate* candidate : related) {
    consider(candidate->rank, problem.rank_graph(candidate->rank).find(candidate->name),
             candidate->op == op ? 2 : 0);
  }
  // The tensors that the ranks compute by the same operator under the same name, whatever their
  // atoms.
  for (Rank rank = 0; rank < static_cast<Rank>(problem.refinement.ranks.size()); ++rank) {
    const Graph& program = problem.rank_graph(rank);
    const TensorId id = program.find(tensor.name);
    for (size_t i = 0; i < program.tensors.size(); ++i) {
      const auto other = static_cast<TensorId>(i);
      if (other != id && operator_of(program, other) == op) consider(rank, other, 1);
    }
    if (id == kNone) continue;
    if (operator_of(program, id) == op)
      consider(rank, id, 3);
    else if (preference(program, id) > 0)
      consider(rank, id, 2);
  }
  if (best && best->partial) {
    const bool elsewhere = rest_is_elsewhere(*best, related);
    best->difference +=
        elsewhere ? "; a reduction over ranks is missing" : "; the other terms are not added to it";
    if (elsewhere) best->hint = "is an all_reduce (or reduce_scatter) missing before this is used?";
  }
  const auto missing = missing_part(problem, target, indices.of(problem, target));
  if (missing && (!best || best->closeness + best_preference < 4 * missing->closeness)) {
    best = missing;
    best->closeness *= 4;
  }
  return best;
}

}  // namespace assay
