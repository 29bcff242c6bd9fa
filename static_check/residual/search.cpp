#include "static_check/residual/search.h"

#include <algorithm>
#include <vector>

#include "shared_ir/symbolic/integer.h"
#include "static_check/residual/terms.h"

namespace assay {
namespace {

// The instances of which a value's tiles have whole views, or multiples of them, in order.
void add_views(const Lifting& lifting, const Value& value, std::vector<AtomId>& to) {
  for (const Tile& tile : value.tiles)
    for (const Term& term : tile.terms)
      if (term.restrictions.empty() && lifting.atom(term.atom).kind == Atom::Kind::kInstance &&
          std::find(to.begin(), to.end(), term.atom) == to.end())
        to.push_back(term.atom);
}

bool views(const Lifting& lifting, const Value* value, AtomId atom) {
  std::vector<AtomId> atoms;
  if (value != nullptr) add_views(lifting, *value, atoms);
  return std::find(atoms.begin(), atoms.end(), atom) != atoms.end();
}

// The first tensors that hold a view of each atom, as "NAME = NAME@RANK".
std::string names_of(const Problem& problem, AtomId sequential, AtomId distributed) {
  std::string text = "a sequential value";
  const Graph& graph = problem.refinement.sequential;
  for (size_t i = 0; i < graph.tensors.size(); ++i) {
    const auto id = static_cast<TensorId>(i);
    if (!views(problem.lifting, problem.sequential_value(id), sequential)) continue;
    text = graph.tensors[i].name;
    break;
  }
  for (Rank rank = 0; rank < static_cast<Rank>(problem.refinement.ranks.size()); ++rank) {
    const Graph& program = problem.rank_graph(rank);
    for (size_t i = 0; i < program.tensors.size(); ++i)
      if (views(problem.lifting, problem.rank_value(rank, static_cast<TensorId>(i)), distributed))
        return text + " = " + program.tensors[i].name + "@" + std::to_string(rank);
  }
  return text + " = a value of the ranks";
}

}  // namespace

bool EqualitySearch::budget_is_spent() {
  std::string bound;
  if (budget_.pairs <= 0)
    bound = std::to_string(whole_budget_.pairs) + " pairs of values";
  else if (budget_.saturations <= 0)
    bound = std::to_string(whole_budget_.saturations) + " pairs that lemmas do not make equal";
  else if (budget_.evaluations <= 0)
    bound = decimal(whole_budget_.evaluations) + " terms evaluated on numbers";
  if (bound.empty()) return false;
  stopped_.push_back("the search by lemmas ended: the limit of " + bound + " was reached");
  return true;
}

// What the atom is computed from.
const std::set<AtomId>& EqualitySearch::sources_of(const Lifting& lifting, AtomId atom) {
  const auto [known, added] = sources_.try_emplace(atom);
  if (!added) return known->second;
  known->second = cone_of(lifting, atom);
  std::erase_if(known->second, [&](AtomId one) {
    return one == lifting.one() || lifting.atom(one).kind == Atom::Kind::kInstance;
  });
  return known->second;
}

std::optional<EqualitySearch::Found> EqualitySearch::next(const Problem& problem,
                                                          const RelationMap& relations) {
  const Lifting& lifting = problem.lifting;
  std::vector<AtomId> wanted, known, found;
  for (const Value& value : problem.sequential.values) add_views(lifting, value, known);
  for (const auto& [tensor, relation] : relations) {
    const Value* value = problem.sequential_value(tensor);
    if (relation.empty() && value != nullptr) add_views(lifting, *value, wanted);
  }
  for (const LiftedProgram& rank : problem.ranks.ranks)
    for (const Value& value : rank.values) add_views(lifting, value, found);
  std::erase_if(found, [&](AtomId atom) {
    return std::find(known.begin(), known.end(), atom) != known.end();
  });
  for (const AtomId sequential : wanted) {
    if (lifting.is_kept(sequential)) continue;  // a second equality is not needed
    const std::set<AtomId>& sources = sources_of(lifting, sequential);
    for (const AtomId distributed : found) {
      if (lifting.atom(distributed).size != lifting.atom(sequential).size ||
          lifting.kept(distributed) != nullptr || !tried_.emplace(sequential, distributed).second)
        continue;
      if (budget_is_spent()) return std::nullopt;
      lifting.check_deadline();
      const std::set<AtomId>& others = sources_of(lifting, distributed);
      if (!std::includes(others.begin(), others.end(), sources.begin(), sources.end())) continue;
      auto attempt = prove_equal(lifting, lemmas_, sequential, distributed, budget_);
      if (attempt.stopped)
        stopped_.push_back(names_of(problem, sequential, distributed) + ": " +
                           to_string(*attempt.stopped, budget_.limits));
      if (!attempt.proof) continue;
      return Found{sequential, distributed, std::move(*attempt.proof)};
    }
  }
  return std::nullopt;
}

}  // namespace assay
