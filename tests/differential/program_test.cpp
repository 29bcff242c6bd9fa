// Random programs of several calls mean what PyTorch computes with its own memory. The test draws a
// few hundred; a full run draws ASSAY_DIFFERENTIAL, from ASSAY_SEED on.
#include <gtest/gtest.h>

#include "tests/differential/drawn_seeds.h"
#include "tests/differential/program.h"
#include "tests/differential/program_run.h"

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
  const WithoutWarnings quiet;
  const auto compare_seed = [&](uint64_t seed) -> SeedResult {
    const DrawnProgram program = draw_program(operators, seed);
    const Comparison found = compare(program, table);
    if (found.outcome != Outcome::kDiffers) return {found};
    const DrawnProgram smallest = shrink(program, [&](const DrawnProgram& smaller) {
      return compare(smaller, table).outcome == Outcome::kDiffers;
    });
    return {compare(smallest, table), text_of(smallest)};
  };
  expect_agreement(compare_seed, 4);
}

}  // namespace
}  // namespace assay::test
