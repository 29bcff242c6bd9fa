// Mutants of random programs that write into memory: one rank runs the mutant, the sequential
// program is what it was made of. The test judges mutants of a few programs; a full run those of
// ASSAY_DIFFERENTIAL, from ASSAY_SEED on.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/differential/program.h"
#include "tests/differential/program_run.h"
#include "tests/differential/run_size.h"
#include "tests/mutation/judge.h"

namespace assay::test {
namespace {

constexpr size_t kMutantsOfEach = 6;

CleanExpr on_rank_0(const std::string& tensor) {
  CleanExpr leaf;
  leaf.kind = CleanExpr::Kind::kTensor;
  leaf.name = tensor;
  leaf.rank = 0;
  return leaf;
}

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
    made.inputs.push_back({name, {on_rank_0(name)}, {}});
  }
  for (const TensorId id : program.graph.outputs) {
    const std::string& name = program.graph.tensors[index(id)].name;
    made.outputs.push_back(name);
    made.expect.push_back({on_rank_0(name), {on_rank_0(name)}, {}});
  }
  return made;
}

struct ProgramTally {
  size_t different = 0, equal_and_proved = 0, equal_and_unproved = 0, invalid = 0;
};

void judge(const Judge& judge, const DrawnProgram& program, const Mutation& mutation,
           ProgramTally& tally) {
  const Judgement found = judge.judge(mutation);
  if (!found.invalid.empty()) {
    ++tally.invalid;
    return;
  }
  // That indices lie in their tables is an assumption of the proof.
  const bool assumed = found.difference.find("is out of bounds") != std::string::npos;
  const bool proved = found.proof.verdict == Verdict::kProved && !assumed;
  EXPECT_EQ(found.proof.certificate_error, "") << mutation.what << '\n' << text_of(program);
  EXPECT_EQ(found.false_claim, "") << mutation.what << '\n' << text_of(program);
  EXPECT_FALSE(proved && !found.difference.empty()) << "proved, but " << found.difference << '\n'
                                                    << mutation.what << '\n'
                                                    << text_of(program);
  if (!found.difference.empty()) {
    ++tally.different;
  } else {
    ++(proved ? tally.equal_and_proved : tally.equal_and_unproved);
  }
}

TEST(RandomProgramMutants, AreNotProvedWhereTheyDiffer) {
  const OperatorTable table = OperatorTable::builtin();
  const ProgramOperators operators = operators_of_programs(table);
  const uint64_t count = number("ASSAY_DIFFERENTIAL", 40), first = number("ASSAY_SEED", 0);
  const WithoutWarnings quiet;
  ProgramTally tally;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const DrawnProgram program = draw_program(operators, seed);
    try {
      const Judge original(twins(program), std::nullopt, /*finite_only=*/true);
      const std::vector<Mutation> mutations = shuffled(mutations_of(original.executed()), seed);
      for (size_t i = 0; i < std::min(kMutantsOfEach, mutations.size()); ++i)
        judge(original, program, mutations[i], tally);
    } catch (const UserError&) {  // the program itself is refused
      ++tally.invalid;
    }
  }
  std::cout << tally.different << " differ, " << tally.equal_and_proved << " are equal and proved, "
            << tally.equal_and_unproved << " equal and not proved, " << tally.invalid
            << " invalid\n";
  EXPECT_GT(tally.different, 0u);
  EXPECT_GT(tally.equal_and_proved, 0u);
}

}  // namespace
}  // namespace assay::test
