#include "static_check/diagnose/scaled.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "static_check/diagnose/nearest.h"

namespace assay {

namespace {

// How many times a term of the target a candidate's terms of the same atom are, each factor once.
std::vector<Rational> factors(const Value& wanted,
                              const std::vector<const Candidate*>& candidates) {
  constexpr size_t kMostFactors = 8;
  std::vector<Rational> result;
  const auto add = [&](const Term& target, const Term& term) {
    if (target.atom != term.atom || result.size() == kMostFactors) return;
    const auto factor = quotient(term.coef, target.coef);
    if (factor && !factor->is_one() &&
        std::find(result.begin(), result.end(), *factor) == result.end())
      result.push_back(*factor);
  };
  for (const Tile& tile : wanted.tiles) {
    if (tile.terms.size() != 1) return {};
    for (const Candidate* candidate : candidates) {
      for (const Tile& other : candidate->value->tiles) {
        for (const Term& term : other.terms) add(tile.terms[0], term);
      }
    }
  }
  return result;
}

}  // namespace

std::string factor_in_words(const Rational& factor) {
  constexpr int64_t kSmall = 10'000;
  const bool small = std::abs(factor.numerator()) < kSmall && factor.denominator() < kSmall;
  return small ? to_string(factor) : fmt::format("{:.6g}", factor.to_double());
}

std::optional<ScaledRelation> scaled_relation(const Problem& problem, TensorId target,
                                              const CoverIndex& index) {
  const Value* wanted = problem.sequential_value(target);
  if (wanted == nullptr) return std::nullopt;
  const Graph& graph = problem.refinement.sequential;
  const std::string& name = graph.tensors[static_cast<size_t>(target)].name;
  const std::vector<const Candidate*> candidates = index.related(*wanted);
  for (const Rational& factor : factors(*wanted, candidates)) {
    const Value multiple = scale(*wanted, factor);
    auto replicas = index.cover({multiple, name, operator_of(graph, target)});
    if (!replicas.empty()) return ScaledRelation{factor, std::move(replicas)};
  }
  // A multiple of a sum has a name of its own.
  for (const Candidate* candidate : candidates) {
    const auto factor = factor_between(problem.lifting, *wanted, *candidate->value);
    if (!factor || factor->is_one()) continue;
    CleanExpr leaf;
    leaf.name = candidate->name;
    leaf.rank = candidate->rank;
    return ScaledRelation{*factor, {std::move(leaf)}};
  }
  return std::nullopt;
}

}  // namespace assay
