#include "static_check/domains/trials/claims.h"

#include <algorithm>
#include <cmath>
#include <string>

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

std::vector<ClaimedNumbers> Claims::numbers(const Trial& trial) const {
  const auto of_sequential = [&](const std::string& name, Rank) {
    const auto id = static_cast<size_t>(problem_.refinement.sequential.find(name));
    return trial.sequential[static_cast<size_t>(problem_.sequential_program.value_of[id])];
  };
  const auto of_rank = [&](const std::string& name, Rank rank) {
    const auto r = static_cast<size_t>(rank);
    const auto id = static_cast<size_t>(problem_.rank_graph(rank).find(name));
    return trial.ranks[r][static_cast<size_t>(problem_.rank_programs[r].value_of[id])];
  };
  std::vector<ClaimedNumbers> numbers;
  for (const auto& [sequential, replica] : claims_)
    numbers.push_back({evaluate(sequential, of_sequential), evaluate(replica, of_rank)});
  return numbers;
}

double greatest_magnitude(const Trial& trial) {
  double magnitude = 0;
  const auto see = [&](const std::vector<ReferenceTensor>& tensors) {
    for (const ReferenceTensor& tensor : tensors)
      for (const double value : tensor.values)
        if (std::isfinite(value)) magnitude = std::max(magnitude, std::fabs(value));
  };
  see(trial.sequential);
  for (const auto& rank : trial.ranks) see(rank);
  return magnitude;
}

std::optional<std::pair<double, double>> difference(const ClaimedNumbers& numbers,
                                                    double magnitude) {
  std::optional<std::pair<double, double>> last;
  for (size_t i = 0; i < numbers.wanted.values.size(); ++i) {
    const double wanted = numbers.wanted.values[i], found = numbers.found.values[i];
    if (!std::isfinite(wanted) || !std::isfinite(found)) continue;
    if (std::fabs(wanted - found) > kTrialRounding * std::max(1.0, magnitude))
      last = {wanted, found};
  }
  return last;
}

}  // namespace assay
