// Random programs of several ranks mean together what PyTorch computes rank by rank in lockstep,
// with its own memory. The test draws a few hundred; a full run draws ASSAY_DIFFERENTIAL, from
// ASSAY_SEED on.
#include <gtest/gtest.h>

#include <cmath>

#include "shared_ir/lower/lower.h"
#include "tests/declarations/elements.h"
#include "tests/differential/drawn_seeds.h"
#include "tests/differential/program_run.h"
#include "tests/differential/ranks.h"

namespace assay::test {
namespace {

using Outcome = Comparison::Outcome;

constexpr double kRanksTolerance = 1e-7, kLargest = 1e6;

bool is_large(const at::Tensor& tensor) {
  const ReferenceTensor value = values_of(tensor);
  return std::ranges::any_of(
      value.values, [](double one) { return !std::isfinite(one) || std::abs(one) > kLargest; });
}

std::vector<std::vector<ReferenceTensor>> together(const RanksProgram& program,
                                                   const std::vector<CoreProgram>& cores) {
  ReferenceSources sources;
  sources.input = [&](Rank rank, const CoreOp& op) {
    const auto place = std::ranges::find(program.graph.inputs, op.tensor);
    return program.values[static_cast<size_t>(rank)]
                         [index(static_cast<TensorId>(place - program.graph.inputs.begin()))];
  };
  return evaluate(cores, sources);
}

Comparison compare(const RanksProgram& program, const OperatorTable& operators) {
  const DrawnProgram lockstep = in_lockstep(program);
  std::vector<CoreProgram> cores;
  try {
    // Where the ranks' own program is not a stable or a known one, nothing is said of it.
    const Comparison alone = compare_with_pytorch(lockstep, operators, kRanksTolerance);
    if (alone.outcome != Outcome::kAgrees) return alone;
    for (Rank rank = 0; rank < program.ranks(); ++rank)
      cores.push_back(lower(program.graph, program.groups, rank, operators));
  } catch (const UserError& error) {
    return {Outcome::kRefused, error.what()};
  }
  for (const CoreProgram& core : cores)
    if (!core.opaque.empty()) return {Outcome::kRefused, core.opaque.front()};
  const std::vector<at::Tensor> live = run_whole(lockstep, {});
  if (std::ranges::any_of(live, is_large)) return {Outcome::kRejected, "large numbers"};
  const std::vector<std::vector<ReferenceTensor>> values = together(program, cores);
  const size_t outputs = program.graph.outputs.size();
  for (size_t i = 0; i < lockstep.graph.outputs.size(); ++i) {
    const size_t rank = i / outputs;
    const TensorId output = program.graph.outputs[i % outputs];
    const CoreId id = cores[rank].value_of[index(output)];
    const std::string why = difference(live[index(lockstep.graph.outputs[i])],
                                       values[rank][index(id)], kRanksTolerance);
    if (!why.empty())
      return {Outcome::kDiffers,
              name_on_rank(program.graph.tensors[index(output)].name, static_cast<Rank>(rank)) +
                  ": " + why};
  }
  return {};
}

TEST(DifferentialRanks, MeanTogetherWhatPyTorchComputes) {
  const OperatorTable table = OperatorTable::builtin();
  const ProgramOperators operators = operators_of_programs(table);
  const WithoutWarnings quiet;
  const auto compare_seed = [&](uint64_t seed) -> SeedResult {
    const std::optional<RanksProgram> program = draw_ranks(operators, seed);
    if (!program) return {.found = {}, .drawn = false};
    try {
      return {compare(*program, table), text_of(*program)};
    } catch (const std::exception& error) {
      return {{Outcome::kDiffers, std::string("the evaluation fails: ") + error.what()},
              text_of(*program)};
    }
  };
  expect_agreement(compare_seed, 20);
}

}  // namespace
}  // namespace assay::test
