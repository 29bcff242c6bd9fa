// Evaluation for each value of the indices among the inputs.
#include <algorithm>

#include "static_check/identity/evaluation.h"

namespace assay::identity {
namespace {

// Elements that are computed, each of as many values as an index may have.
constexpr int64_t kMostByIndices = int64_t{1} << 22;

}  // namespace

std::unique_ptr<Evaluation> Evaluation::by_indices(const Problem& problem, uint64_t seed,
                                                   bool factored, Scope scope) {
  const int64_t elements = represented_elements(problem, scope, false);
  std::unique_ptr<Evaluation> evaluation(new Evaluation(problem, seed, factored, scope, NotRun{}));
  evaluation->run_sequential();
  int64_t most = 0;
  for (const auto& [index, range] : evaluation->functions_.ranges())
    most = std::max(most, range.count());
  if (most == 0) throw NotRepresented{"no index"};
  if (most * elements > kMostByIndices) throw NotRepresented{"indices of large tables"};
  evaluation->by_indices_ = true;
  evaluation->functions_.take_learned_late();
  evaluation->run();
  if (evaluation->functions_.take_learned_late()) evaluation->run();
  return evaluation;
}

}  // namespace assay::identity
