// Mutants of random programs that write into memory: one rank runs the mutant, the sequential
// program is what it was made of. The test judges mutants of a few programs; a full run those of
// ASSAY_DIFFERENTIAL, from ASSAY_SEED on.
#include <gtest/gtest.h>

#include "tests/differential/program.h"
#include "tests/differential/program_run.h"
#include "tests/differential/run_size.h"
#include "tests/mutation/drawn_case.h"

namespace assay::test {
namespace {

// Both sides are the program.
Case twins(const DrawnProgram& program) {
  Case made;
  made.name = "random";
  made.sequential = program.graph;
  made.sequential.name = "sequential";
  made.ranks = {program.graph};
  made.ranks[0].name = "rank 0";
  made.distributed_groups["all"] = {0};
  for (const TensorId id : program.graph.inputs) {
    const std::string& name = program.graph.tensors[index(id)].name;
    made.inputs.push_back({name, {on_rank(name, 0)}, {}});
  }
  for (const TensorId id : program.graph.outputs) {
    const std::string& name = program.graph.tensors[index(id)].name;
    made.outputs.push_back(name);
    made.expect.push_back({on_rank(name, 0), {on_rank(name, 0)}, {}});
  }
  return made;
}

TEST(RandomProgramMutants, AreNotProvedWhereTheyDiffer) {
  const OperatorTable table = OperatorTable::builtin();
  const ProgramOperators operators = operators_of_programs(table);
  const uint64_t count = number("ASSAY_DIFFERENTIAL", 40), first = number("ASSAY_SEED", 0);
  const WithoutWarnings quiet;
  DrawnTally tally;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const DrawnProgram program = draw_program(operators, seed);
    judge_mutants(twins(program), text_of(program), seed, tally);
  }
  print(tally);
  EXPECT_GT(tally.different, 0u);
  EXPECT_GT(tally.equal_and_proved, 0u);
}

}  // namespace
}  // namespace assay::test
