#include "static_check/domains/trials/claims.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

namespace assay {

Claims::Claims(const Problem& problem, const Certificate& certificate) : problem_(problem) {
  for (const Expectation& expectation : problem.refinement.expect)
    for (const CleanExpr& replica : expectation.replicas)
      claims_.emplace_back(expectation.sequential, replica);
  for (const Certificate::Covered& relation : certificate.relations) {
    if (!relation.output) continue;
    CleanExpr tensor;
    tensor.name = relation.tensor;
    for (const CleanExpr& replica : relation.replicas) claims_.emplace_back(tensor, replica);
  }
}

namespace {

const ReferenceTensor& value_in(const Graph& graph, const CoreProgram& program,
                                const std::vector<ReferenceTensor>& values,
                                const std::string& name) {
  const CoreId id = program.value_of[static_cast<size_t>(graph.find(name))];
  if (id == kNone) throw UserError({}, fmt::format("tensor '{}' has no value", name));
  return values[static_cast<size_t>(id)];
}

}  // namespace

ClaimedNumbers numbers_of(const Problem& problem, const Trial& trial, const CleanExpr& sequential,
                          const CleanExpr& replica) {
  const auto of_sequential = [&](const std::string& name, Rank) {
    return value_in(problem.refinement.sequential, problem.sequential_program, trial.sequential,
                    name);
  };
  const auto of_rank = [&](const std::string& name, Rank rank) {
    const auto r = static_cast<size_t>(rank);
    return value_in(problem.rank_graph(rank), problem.rank_programs[r], trial.ranks[r], name);
  };
  return {evaluate(sequential, of_sequential), evaluate(replica, of_rank)};
}

std::vector<ClaimedNumbers> Claims::numbers(const Trial& trial) const {
  std::vector<ClaimedNumbers> numbers;
  for (const auto& [sequential, replica] : claims_)
    numbers.push_back(numbers_of(problem_, trial, sequential, replica));
  return numbers;
}

double greatest_magnitude(const ReferenceTensor& tensor, double below) {
  double magnitude = 0;
  for (const double value : tensor.values)
    if (std::fabs(value) < below) magnitude = std::max(magnitude, std::fabs(value));
  return magnitude;
}

double greatest_magnitude(const Trial& trial, double below) {
  double magnitude = 0;
  const auto see = [&](const std::vector<ReferenceTensor>& tensors) {
    for (const ReferenceTensor& tensor : tensors)
      magnitude = std::max(magnitude, greatest_magnitude(tensor, below));
  };
  see(trial.sequential);
  for (const auto& rank : trial.ranks) see(rank);
  return magnitude;
}

double trial_rounding(double magnitude) { return 1e-6 * std::max(1.0, magnitude); }

std::optional<std::pair<double, double>> difference(const ClaimedNumbers& numbers,
                                                    double rounding) {
  std::optional<std::pair<double, double>> last;
  for (size_t i = 0; i < numbers.wanted.values.size(); ++i) {
    const double wanted = numbers.wanted.values[i], found = numbers.found.values[i];
    if (!std::isfinite(wanted) || !std::isfinite(found)) continue;
    if (std::fabs(wanted - found) > rounding) last = {wanted, found};
  }
  return last;
}

}  // namespace assay
