#include "tests/support/lifted_problem.h"

#include "shared_ir/lower/lower.h"
#include "static_check/lift/inputs/inputs.h"

namespace assay::test {

Problem lifted_problem(const Case& refinement, const OperatorTable& operators,
                       std::chrono::milliseconds patience) {
  Problem problem{refinement, {}, {}, {}, {}, {}};
  problem.sequential_program =
      lower(refinement.sequential, refinement.sequential_groups, 0, operators);
  for (size_t r = 0; r < refinement.ranks.size(); ++r)
    problem.rank_programs.push_back(
        lower(refinement.ranks[r], refinement.distributed_groups, static_cast<Rank>(r), operators));
  problem.lifting.set_deadline(std::chrono::steady_clock::now() + patience);
  problem.lifting.set_random_agrees(refinement.random_agrees);
  const InputValues inputs = invert_input_relation(problem.lifting, refinement);
  problem.sequential =
      lift_sequential(problem.lifting, refinement.sequential, problem.sequential_program, inputs);
  problem.ranks = lift_ranks(problem.lifting, refinement, problem.rank_programs, inputs);
  return problem;
}

}  // namespace assay::test
