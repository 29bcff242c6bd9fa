#include "static_check/diagnose/nearest.h"

#include <algorithm>

#include "static_check/algebra/restriction.h"
#include "static_check/diagnose/scaled.h"

namespace assay {

namespace {

std::string range(const Intervals& intervals) {
  std::string text;
  for (const Interval& interval : intervals) {
    text += (text.empty() ? "" : ", ") + std::to_string(interval.lo) + ".." +
            std::to_string(interval.hi - 1);
  }
  return text;
}

const Term* only_term(const Value& value) {
  return value.tiles.size() == 1 && value.tiles[0].terms.size() == 1 ? &value.tiles[0].terms[0]
                                                                     : nullptr;
}

// Terms of a value of one tile with its names unfolded once, so that their parts can be compared.
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

// A table lookup as it is lifted: a sum over classes of one-hot times table. The first class and
// table row that it meets.
struct Lookup {
  AtomId ids;
  AtomId table;
  int64_t index;
  int64_t row;
};

std::optional<Lookup> lookup_of(const Lifting& lifting, const Term& term) {
  AtomId product = term.atom;
  Layout layout = term.layout;
  if (lifting.is_instance(term.atom, Instance::Kind::kSum)) {
    const auto inner = lifting.trace(term.atom, term.layout, 0);
    if (!inner) return std::nullopt;
    layout = *inner;
    const Instance& sum = lifting.instance_of(term.atom);
    product = sum.operands[0].atom;
    for (const Restriction& r : term.restrictions) {
      for (const InstanceLabel& label : sum.labels) {
        if (r.kind == Restriction::Kind::kBox && r.stride == 1 && label.hidden == r.label) {
          layout.offset += r.intervals.front().lo * label.strides[0];
        }
      }
    }
  }
  if (!lifting.is_instance(product, Instance::Kind::kMul)) return std::nullopt;
  const Instance& mul = lifting.instance_of(product);
  for (size_t i = 0; i < mul.operands.size(); ++i) {
    const Atom& atom = lifting.atom(mul.operands[i].atom);
    if (atom.kind != Atom::Kind::kOneHot) continue;
    const size_t table = 1 - i;
    const int64_t ids = lifting.atom(atom.ids).size;
    const auto one_hot = lifting.trace(product, layout, i),
               rows = lifting.trace(product, layout, table);
    if (!one_hot || !rows) return std::nullopt;
    for (const InstanceLabel& label : mul.labels) {
      if (label.strides[i] != ids || label.strides[table] == 0) continue;
      return Lookup{atom.ids, mul.operands[table].atom, one_hot->offset / ids,
                    rows->offset / label.strides[table]};
    }
  }
  return std::nullopt;
}

// The class of a one-hot times table that holds a single row; such a block has no class label.
std::optional<int64_t> single_index(const Lifting& lifting, const Term& term, const Lookup& like) {
  if (!lifting.is_instance(term.atom, Instance::Kind::kMul)) return std::nullopt;
  const Instance& mul = lifting.instance_of(term.atom);
  for (size_t i = 0; i < mul.operands.size(); ++i) {
    const Atom& atom = lifting.atom(mul.operands[i].atom);
    if (atom.kind != Atom::Kind::kOneHot || atom.ids != like.ids) continue;
    if (mul.operands[1 - i].atom != like.table) continue;
    if (const auto layout = lifting.trace(term.atom, term.layout, i)) {
      return layout->offset / lifting.atom(atom.ids).size;
    }
  }
  return std::nullopt;
}

// Both look rows of one table up by one index tensor, at different offsets.
std::optional<Nearest> compare_lookups(const Lifting& lifting, const Term& wanted,
                                       const Term& found, const std::vector<Term>& beside) {
  const auto a = lookup_of(lifting, wanted), b = lookup_of(lifting, found);
  if (!a || !b || a->ids != b->ids || a->table != b->table) return std::nullopt;
  const int64_t shift = (b->index - b->row) - (a->index - a->row);
  if (shift == 0) return std::nullopt;
  int64_t seen = b->index;
  for (const Term& term : beside) {
    if (const auto index = single_index(lifting, term, *b)) seen = std::min(seen, *index);
  }
  Nearest result;
  result.difference = "looks rows up with vocabulary offset " + std::to_string(seen) +
                      ", expected " + std::to_string(seen - shift);
  result.hint = "check the vocabulary offset and bounds of this rank";
  result.closeness = 90;
  return result;
}

// Both are the same operator on the same atoms: which operand is read elsewhere?
std::optional<Nearest> compare_instances(const Lifting& lifting, AtomId wanted, AtomId found) {
  const bool both = lifting.atom(wanted).kind == Atom::Kind::kInstance &&
                    lifting.atom(found).kind == Atom::Kind::kInstance;
  if (!both || wanted == found) return std::nullopt;
  const Instance& a = lifting.instance_of(wanted);
  const Instance& b = lifting.instance_of(found);
  if (a.kind != b.kind || a.fn != b.fn || a.operands.size() != b.operands.size())
    return std::nullopt;
  for (size_t i = 0; i < a.operands.size(); ++i) {
    if (a.operands[i].atom == b.operands[i].atom) continue;
    if (a.operands.size() == 1)
      return compare_instances(lifting, a.operands[0].atom, b.operands[0].atom);
    return std::nullopt;
  }
  Nearest result;
  result.difference = "the same operator reads its operands at other positions";
  result.hint = "compare which slice of each operand this rank holds";
  result.closeness = 30;
  return result;
}

Nearest compare_terms(const Problem& problem, const std::vector<Term>& wanted,
                      const std::vector<Term>& found) {
  Nearest result;
  if (const auto factor = ratio(wanted, found); factor && !factor->is_one()) {
    result.difference = "holds " + factor_in_words(*factor) + "x the value";
    result.hint = scale_hint(*factor);
    result.closeness = 100;
    return result;
  }
  const auto counterpart = [&](const Term& term) {
    return std::find_if(wanted.begin(), wanted.end(), [&](const Term& w) {
      return w.atom == term.atom && w.layout == term.layout;
    });
  };
  const bool alone = problem.refinement.ranks.size() == 1;
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
        const int64_t size = problem.lifting.universe().labels[static_cast<size_t>(r.label)].size;
        result.difference =
            "is a partial sum (terms " + range(r.intervals) + " of digit size " +
            std::to_string(r.radix) + ", of " + std::to_string(size) + " in all); " +
            (alone ? "the other terms are not added to it" : "a reduction over ranks is missing");
      }
      result.hint = alone ? "are all parts added up before this is used?"
                          : "is an all_reduce (or reduce_scatter) missing before this is used?";
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
        if (auto instances = compare_instances(problem.lifting, w.atom, term.atom))
          return *instances;
      }
    }
  } else {
    result.difference = "shares only some summands with the value";
    result.closeness = 40;
  }
  return result;
}

}  // namespace

std::optional<Rational> quotient(const Rational& a, const Rational& b) {
  try {
    return a / b;
  } catch (const RationalOverflow&) {
    return std::nullopt;
  }
}

std::string scale_hint(const Rational& factor) {
  return factor.denominator() > 1
             ? "an average where a sum is needed, or a scaling applied twice?"
             : "a sum where an average is needed, or a reduction applied twice?";
}

std::optional<Rational> factor_between(const Lifting& lifting, const Value& wanted,
                                       const Value& found) {
  if (wanted.shape != found.shape) return std::nullopt;
  return ratio(spread(lifting, wanted), spread(lifting, found));
}

Nearest compare_values(const Problem& problem, const Value& wanted, const Value& found) {
  const Term* w = only_term(wanted);
  const Term* f = only_term(found);
  if (w != nullptr && f != nullptr && w->atom == f->atom && w->restrictions == f->restrictions &&
      w->coef == f->coef && !(w->layout == f->layout)) {
    Nearest result;
    result.difference = "holds other elements of the value (a different slice or order)";
    result.hint = "compare the slice that each rank holds with its coordinate";
    result.closeness = 65;
    return result;
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
    direct = compare_terms(problem, wanted.tiles[0].terms, found.tiles[0].terms);
    if (direct.closeness >= 60) return direct;
    const Nearest unfolded =
        compare_terms(problem, spread(problem.lifting, wanted), spread(problem.lifting, found));
    if (unfolded.closeness > direct.closeness) return unfolded;
  } else if (w != nullptr && f != nullptr) {
    direct = compare_terms(problem, {*w}, {*f});
    if (direct.closeness == 80 || direct.closeness == 90) return direct;
    if (auto instances = compare_instances(problem.lifting, w->atom, f->atom)) return *instances;
    direct = {};
  }
  return direct;
}

std::optional<Nearest> nearest(const Problem& problem, TensorId target, const CoverIndex& index) {
  const Value* wanted = problem.sequential_value(target);
  if (wanted == nullptr) return std::nullopt;
  const Graph& graph = problem.refinement.sequential;
  const Tensor& tensor = graph.tensors[static_cast<size_t>(target)];
  const std::string op = operator_of(graph, target);
  std::optional<Nearest> best;
  const auto consider = [&](Rank rank, TensorId id, int bonus) {
    const Value* found = problem.rank_value(rank, id);
    if (found == nullptr) return;
    const Graph& program = problem.rank_graph(rank);
    Nearest here = compare_values(problem, *wanted, *found);
    if (here.closeness == 0 && bonus < 3) return;
    here.closeness = here.closeness * 4 + bonus;
    if (best && best->closeness >= here.closeness) return;
    here.name = program.tensors[static_cast<size_t>(id)].name + "@" + std::to_string(rank);
    here.source = source_of(program, id);
    here.op = operator_of(program, id);
    best = std::move(here);
  };
  for (const Candidate* candidate : index.related(*wanted)) {
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
    if (id != kNone && operator_of(program, id) == op) consider(rank, id, 3);
  }
  return best;
}

}  // namespace assay
