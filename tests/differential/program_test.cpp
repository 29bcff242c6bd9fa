// Random programs of several calls mean what PyTorch computes with its own memory. The test draws a
// few hundred; a full run draws ASSAY_DIFFERENTIAL, from ASSAY_SEED on.
#include <c10/util/Exception.h>
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

// Kernels of PyTorch that write beyond their results, jumps at the sign of 0, and what
// differential_test.cpp has open.
const std::vector<std::string> kLeftOut = {"aten.index_put.default",
                                           "aten.scatter.src",
                                           "aten.scatter.value",
                                           "aten.index_copy.default",
                                           "aten.scatter_add.default",
                                           "aten.index_fill.int_Scalar",
                                           "aten.rms_norm.default",
                                           "aten.native_layer_norm.default",
                                           "aten.native_group_norm.default",
                                           "aten.arange.start",
                                           "aten.arange.start_step",
                                           "aten.hardtanh.default",
                                           "aten.topk.default",
                                           "aten.pow.Tensor_Tensor",
                                           "aten.pow.Scalar",
                                           "aten.index_add.default",
                                           "aten.index_add",
                                           "aten.log_sigmoid.out",
                                           "aten.linear.out",
                                           "aten.sort.default",
                                           "aten.sort.values",
                                           "aten.argsort.default",
                                           "aten.atan2.default",
                                           "aten.atan2.out",
                                           "aten.atan2",
                                           "aten.arctan2",
                                           "aten.log_sigmoid_forward.output",
                                           "aten.remainder.Scalar",
                                           "aten.index_copy",
                                           "aten.scatter_add",
                                           "aten.hardtanh",
                                           "aten.topk",
                                           "aten.index_put"};

class Silent : public c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

Comparison compare(const DrawnProgram& program, const OperatorTable& operators) {
  try {
    return compare_with_pytorch(program, operators, kProgramTolerance);
  } catch (const std::exception& error) {
    return {Outcome::kDiffers, std::string("the evaluation fails: ") + error.what()};
  }
}

TEST(DifferentialPrograms, MeanWhatPyTorchComputes) {
  const OperatorTable table = OperatorTable::builtin();
  const ProgramOperators operators = operators_of_programs(table, kLeftOut);
  const uint64_t count = number("ASSAY_DIFFERENTIAL", 300), first = number("ASSAY_SEED", 0);
  Silent silent;
  const c10::WarningUtils::WarningHandlerGuard guard(&silent);
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
