// Random programs of several calls mean what PyTorch computes with its own memory. The test draws a
// few hundred; a full run draws ASSAY_DIFFERENTIAL, from ASSAY_SEED on.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>

#include "tests/differential/program.h"
#include "tests/differential/program_run.h"
#include "tests/differential/run_size.h"

namespace assay::test {
namespace {

using Outcome = Comparison::Outcome;

constexpr double kProgramTolerance = 1e-7;

Comparison compare(const DrawnProgram& program, const OperatorTable& operators) {
  try {
    return compare_with_pytorch(program, operators, kProgramTolerance);
  } catch (const std::exception& error) {
    return {Outcome::kDiffers, std::string("the evaluation fails: ") + error.what()};
  }
}

TEST(DifferentialPrograms, MeanWhatPyTorchComputes) {
  const OperatorTable table = OperatorTable::builtin();
  const ProgramOperators operators = operators_of_programs(table);
  const uint64_t count = number("ASSAY_DIFFERENTIAL", 300), first = number("ASSAY_SEED", 0);
  const WithoutWarnings quiet;
  std::map<Outcome, size_t> tally;
  std::map<std::string, size_t> refusals;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const DrawnProgram program = draw_program(operators, seed);
    const Comparison found = compare(program, table);
    ++tally[found.outcome];
    if (found.outcome == Outcome::kRefused) ++refusals[found.why];
    if (found.outcome != Outcome::kDiffers) continue;
    const DrawnProgram smallest = shrink(program, [&](const DrawnProgram& smaller) {
      return compare(smaller, table).outcome == Outcome::kDiffers;
    });
    ADD_FAILURE() << "seed " << seed << ": " << compare(smallest, table).why << '\n'
                  << text_of(smallest);
  }
  if (std::getenv("ASSAY_DIFFERENTIAL") != nullptr)
    for (const auto& [why, times] : refusals) std::cout << times << " refused: " << why << '\n';
  std::cout << tally[Outcome::kAgrees] << " agreed, " << tally[Outcome::kRefused] << " refused, "
            << tally[Outcome::kDiffers] << " disagreed, " << tally[Outcome::kRejected]
            << " rejected by PyTorch\n";
  EXPECT_GT(tally[Outcome::kAgrees], count / 4);
}

}  // namespace
}  // namespace assay::test
