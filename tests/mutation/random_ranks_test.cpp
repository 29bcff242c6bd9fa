// Mutants of random programs of several ranks. The sequential program is what all ranks compute in
// lockstep. The test judges mutants of a few programs; a full run those of ASSAY_DIFFERENTIAL, from
// ASSAY_SEED on.
#include <gtest/gtest.h>

#include "tests/differential/program_run.h"
#include "tests/differential/ranks.h"
#include "tests/differential/run_size.h"
#include "tests/mutation/drawn_case.h"

namespace assay::test {
namespace {

Case against_lockstep(const RanksProgram& program) {
  Case made;
  made.name = "random ranks";
  const DrawnProgram lockstep = in_lockstep(program);
  made.sequential = lockstep.graph;
  made.distributed_groups = program.groups;
  for (Rank rank = 0; rank < program.ranks(); ++rank) {
    made.ranks.push_back(program.graph);
    made.ranks.back().name = "rank " + std::to_string(rank);
  }
  const size_t inputs = program.graph.inputs.size(), outputs = program.graph.outputs.size();
  for (size_t i = 0; i < lockstep.graph.inputs.size(); ++i) {
    const TensorId id = program.graph.inputs[i % inputs];
    made.inputs.push_back(
        {lockstep.graph.tensors[index(lockstep.graph.inputs[i])].name,
         {on_rank(program.graph.tensors[index(id)].name, static_cast<Rank>(i / inputs))},
         {}});
  }
  for (size_t i = 0; i < lockstep.graph.outputs.size(); ++i) {
    const TensorId id = program.graph.outputs[i % outputs];
    const std::string& name = lockstep.graph.tensors[index(lockstep.graph.outputs[i])].name;
    made.outputs.push_back(name);
    made.expect.push_back(
        {on_rank(name, 0),
         {on_rank(program.graph.tensors[index(id)].name, static_cast<Rank>(i / outputs))},
         {}});
  }
  return made;
}

TEST(RandomRanksMutants, AreNotProvedWhereTheyDiffer) {
  const OperatorTable table = OperatorTable::builtin();
  const ProgramOperators operators = operators_of_programs(table);
  const uint64_t count = number("ASSAY_DIFFERENTIAL", 40), first = number("ASSAY_SEED", 0);
  const WithoutWarnings quiet;
  DrawnTally tally;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    if (const std::optional<RanksProgram> program = draw_ranks(operators, seed))
      judge_mutants(against_lockstep(*program), text_of(*program), seed, tally);
  }
  print(tally);
  EXPECT_GT(tally.different, 0u);
  EXPECT_GT(tally.equal_and_proved, 0u);
}

}  // namespace
}  // namespace assay::test
