#include "static_check/goals.h"

#include <algorithm>

#include "static_check/assumptions.h"
#include "static_check/claimed.h"
#include "static_check/cover/evaluate.h"
#include "static_check/domains/undefined_outputs.h"
#include "static_check/problem/candidates.h"

namespace assay {

void Goals::forget() {
  result_.report.accepted = false;
  result_.report.outputs.clear();
  result_.report.tensors.clear();
  result_.report.failures.clear();
  result_.certificate.relations.clear();
  result_.distributed_over_sequential.clear();
  relations_.clear();
  unproved_.clear();
  broken_.clear();
  foreign_.clear();
}

void Goals::prove() {
  const CoverIndex outputs(problem_.lifting, rank_candidates(problem_, true));
  check_outputs(outputs);
  check_expectations();
  if (all_relations_ || failed() || !operands_.empty()) relate_inner_tensors(outputs);
  result_.report.verdict = failed() ? verdict_of(result_.report.failures) : Verdict::kProved;
  result_.report.accepted =
      failed() && foreign_.empty() && accepts_failing(problem_.refinement, unproved_, broken_);
}

// How every tensor corresponds, and what explains that an output does not.
void Goals::relate_inner_tensors(const CoverIndex& outputs) {
  const CoverIndex all(problem_.lifting, rank_candidates(problem_, false));
  infer_relations(all);
  invert_relations();
  check_approximated_operands();
  auto failures = diagnose(problem_, relations_, unproved_, {all, outputs});
  for (const BrokenExpectation& broken : broken_) {
    // An output without any relation is explained by the operators on its cone.
    if (!failures.empty() && lacks_relation(*broken.expectation)) continue;
    failures.push_back(diagnose_expectation(problem_, relations_, broken, {all, outputs}));
  }
  for (const ForeignOperand& foreign : foreign_)
    failures.push_back(diagnose_foreign_operand(asked_, foreign, operands_[foreign.approximation]));
  result_.report.failures = std::move(failures);
}

// What approximated operators read has to correspond, as outputs have to.
void Goals::check_approximated_operands() {
  const Graph& graph = problem_.refinement.sequential;
  for (const ApproximatedOperands& operands : operands_) {
    for (const std::string& name : operands.sequential) {
      const TensorId id = graph.find(name);
      if (!has_relation(relations_, id) &&
          std::find(unproved_.begin(), unproved_.end(), id) == unproved_.end())
        unproved_.push_back(id);
    }
  }
  auto rearranged = rearranged_operands(problem_, operands_, foreign_);
  result_.certificate.approximations.clear();
  for (size_t i = 0; i < operands_.size(); ++i) {
    const Approximation& accepted = asked_.approximations[i];
    result_.certificate.approximations.push_back(
        {accepted.tensor, accepted.replicas, std::move(rearranged[i])});
  }
}

bool Goals::lacks_relation(const Expectation& expectation) const {
  if (expectation.sequential.kind != CleanExpr::Kind::kTensor) return false;
  return !has_relation(relations_,
                       problem_.refinement.sequential.find(expectation.sequential.name));
}

void Goals::check_outputs(const CoverIndex& index) {
  const Graph& graph = problem_.refinement.sequential;
  for (const std::string& name : problem_.refinement.outputs) {
    const TensorId id = graph.find(name);
    const Value* value = problem_.sequential_value(id);
    const auto replicas =
        value != nullptr ? index.cover(target_of(graph, problem_.sequential_program, id, *value))
                         : std::vector<CleanExpr>();
    if (replicas.empty()) unproved_.push_back(id);
    result_.report.outputs.push_back(claimed(result_, name, replicas, true));
  }
}

void Goals::check_expectations() {
  for (const Expectation& expectation : problem_.refinement.expect) {
    const auto wanted = sequential_value_of(problem_, expectation.sequential);
    if (!wanted) {
      broken_.push_back({&expectation, &expectation.replicas.at(0), {}, {}});
      continue;
    }
    bool holds = true;
    for (const CleanExpr& replica : expectation.replicas) {
      auto found = rank_value_of(problem_, replica);
      if (found && !type_difference(problem_, expectation.sequential, replica) &&
          equivalent(problem_.lifting, *found, *wanted))
        continue;
      if (holds) broken_.push_back({&expectation, &replica, wanted, std::move(found)});
      holds = false;
    }
    note_expectation(expectation, holds);
  }
}

// An output that the user placed is proved by what was expected of it, not by any relation.
void Goals::note_expectation(const Expectation& expectation, bool holds) {
  if (expectation.sequential.kind != CleanExpr::Kind::kTensor) return;
  for (TensorReport& output : result_.report.outputs) {
    if (output.name != expectation.sequential.name) continue;
    output.verdict = Verdict::kUnproved;
    if (!holds) continue;
    std::erase_if(result_.certificate.relations,
                  [&](const auto& r) { return r.output && r.tensor == output.name; });
    output = claimed(result_, output.name, expectation.replicas, true);
    std::erase(unproved_, problem_.refinement.sequential.find(output.name));
  }
}

void Goals::infer_relations(const CoverIndex& index) {
  const Graph& graph = problem_.refinement.sequential;
  const auto leave_out_undefined = without_undefined(problem_);
  for (size_t i = 0; i < graph.tensors.size(); ++i) {
    const auto id = static_cast<TensorId>(i);
    const Value* value = problem_.sequential_value(id);
    if (value == nullptr) continue;
    auto replicas = index.cover(target_of(graph, problem_.sequential_program, id, *value));
    leave_out_undefined(graph.tensors[i].name, replicas);
    result_.report.tensors.push_back(claimed(result_, graph.tensors[i].name, replicas, false));
    relations_.emplace(id, std::move(replicas));
  }
}

void Goals::invert_relations() {
  const CoverIndex index(problem_.lifting, sequential_candidates(problem_));
  for (size_t r = 0; r < problem_.refinement.ranks.size(); ++r) {
    const Graph& graph = problem_.refinement.ranks[r];
    auto& inverted = result_.distributed_over_sequential.emplace_back();
    for (size_t i = 0; i < graph.tensors.size(); ++i) {
      const auto id = static_cast<TensorId>(i);
      const Value* value = problem_.rank_value(static_cast<Rank>(r), id);
      if (value == nullptr) continue;
      auto replicas = index.cover(target_of(graph, problem_.rank_programs[r], id, *value));
      if (!replicas.empty()) inverted.emplace(graph.tensors[i].name, std::move(replicas.front()));
    }
  }
}

}  // namespace assay
