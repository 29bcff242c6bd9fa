#include "static_check/diagnose/scaled.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "shared_ir/symbolic/integer.h"
#include "static_check/diagnose/diagnose.h"
#include "static_check/diagnose/piece.h"
#include "static_check/problem/candidates.h"

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

using RankTensor = std::pair<std::string, Rank>;

// What the operands, and theirs, are made of on the ranks: a scaling has as many operators as it is
// written in.
std::set<RankTensor> leaves_of_operands(const Graph& graph, const RelationMap& relations,
                                        TensorId target) {
  constexpr int kLevels = 4;
  std::set<RankTensor> leaves;
  std::set<TensorId> level{target};
  for (int i = 0; i < kLevels; ++i) {
    std::set<TensorId> operands;
    for (const TensorId id : level) {
      const NodeId producer = graph.tensors[static_cast<size_t>(id)].producer;
      if (producer == kNone) continue;
      for (const TensorId operand : operands_of(graph.nodes[static_cast<size_t>(producer)]))
        operands.insert(operand);
    }
    for (const TensorId operand : operands) {
      const auto relation = relations.find(operand);
      if (relation == relations.end()) continue;
      for (const CleanExpr& replica : relation->second)
        for_each_leaf(replica,
                      [&](const CleanExpr& leaf) { leaves.insert({leaf.name, leaf.rank}); });
    }
    level = std::move(operands);
  }
  return leaves;
}

bool made_of(const CleanExpr& expr, const std::set<RankTensor>& leaves) {
  bool all = true;
  for_each_leaf(
      expr, [&](const CleanExpr& leaf) { all = all && leaves.contains({leaf.name, leaf.rank}); });
  return all;
}

std::optional<ScaledRelation> find_scaled_relation(const Problem& problem, TensorId target,
                                                   const CoverIndex& index,
                                                   const RelationMap& relations) {
  const Value* wanted = problem.sequential_value(target);
  if (wanted == nullptr) return std::nullopt;
  const Graph& graph = problem.refinement.sequential;
  const std::string& name = graph.tensors[static_cast<size_t>(target)].name;
  const std::string op = operator_of(graph, target);
  std::vector<const Candidate*> candidates = index.related(*wanted);
  // What the ranks compute as the target is computed tells more than what they have from elsewhere.
  const auto kinship = [&](const Candidate* candidate) {
    return (candidate->name == name ? 2 : 0) + (candidate->op == op ? 1 : 0) -
           (candidate->op == "input" ? 4 : 0);
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const auto* a, const auto* b) { return kinship(a) > kinship(b); });
  const std::set<RankTensor> operands = leaves_of_operands(graph, relations, target);
  std::optional<ScaledRelation> to_operand;
  for (const Rational& factor : factors(*wanted, candidates)) {
    const Value multiple = scale(*wanted, factor);
    auto replicas = index.cover(target_of(graph, problem.sequential_program, target, multiple));
    if (replicas.empty()) continue;
    if (!made_of(replicas[0], operands)) return ScaledRelation{factor, std::move(replicas)};
    if (!to_operand) to_operand = ScaledRelation{factor, std::move(replicas), true};
  }
  // A multiple of a sum has a name of its own.
  for (const Candidate* candidate : candidates) {
    const auto factor = factor_between(problem.lifting, *wanted, *candidate->value);
    if (!factor || factor->is_one()) continue;
    CleanExpr leaf;
    leaf.name = candidate->name;
    leaf.rank = candidate->rank;
    if (!operands.contains({leaf.name, leaf.rank}))
      return ScaledRelation{*factor, {std::move(leaf)}};
    if (!to_operand) to_operand = ScaledRelation{*factor, {std::move(leaf)}, true};
  }
  return to_operand;
}

constexpr const char* kTimesTheValue = "x the value";

std::string times_the_value(const Rational& factor) {
  return factor_in_words(factor) + kTimesTheValue;
}

// What may explain that a value is that many times another.
std::string scale_hint(const Rational& factor) {
  if (factor.is_negative()) return "a sign lost, or a difference the other way round?";
  return !factor.is_integer() ? "an average where a sum is needed, or a scaling applied twice?"
                              : "a sum where an average is needed, or a reduction applied twice?";
}

}  // namespace

std::optional<ScaledRelation> scaled_relation(const Problem& problem, TensorId target,
                                              const CoverIndex& index,
                                              const RelationMap& relations) {
  try {
    return find_scaled_relation(problem, target, index, relations);
  } catch (const RationalOverflow&) {  // a factor that no constant of the program stands
    return std::nullopt;
  }
}

std::string factor_in_words(const Rational& factor) {
  constexpr Int kSmall = 10'000;
  const bool small = factor.fits(kSmall);
  return small ? to_string(factor) : fmt::format("{:.6g}", factor.to_double());
}

Nearest multiple_of_target(const Rational& factor) {
  Nearest result;
  result.difference = "holds " + times_the_value(factor);
  result.hint = scale_hint(factor);
  result.closeness = kScaled;
  return result;
}

void say_multiple(FailureReport& report, const ScaledRelation& relation, bool alone) {
  const std::string times = times_the_value(relation.factor);
  const bool parts = is_pending_sum(relation.replicas);
  report.reason = !parts  ? "holds " + times
                  : alone ? "the parts add up to " + times
                          : "the ranks' parts add up to " + times;
  report.hint = parts ? "is each part its share of the whole, or are the parts to be averaged?"
                      : scale_hint(relation.factor);
}

void say_multiple_of_operand(FailureReport& report, const Rational& factor,
                             const std::string& operand) {
  report.reason =
      "the ranks hold " + times_the_value(factor) + " of " + operand + ", which is needed as it is";
  report.hint = scale_hint(factor);
}

bool says_multiple(const std::string& reason) {
  return reason.find(kTimesTheValue) != std::string::npos;
}

}  // namespace assay
