#include "gtest_plugin/dynamic_question.h"

#include <algorithm>

#include "gtest_plugin/program_run.h"
#include "gtest_plugin/relations/placement_relation.h"

namespace assay {
namespace {

// Calls what makes the self-made parameters of one rank.
RankProgram parameter_program(const RefinementSpec& spec) {
  return [&spec](ProgramContext& context) {
    Program::Run run{context, spec, Side::kDistributed, {}};
    Program program(run);
    for (const InputSpec& input : spec.inputs) {
      if (!input.make || !holds(input.placement, context.mesh(), context.rank())) continue;
      context.output(input.name, input.make(program));
    }
  };
}

}  // namespace

Programs programs_under_test(const RefinementSpec& spec) {
  Programs both;
  both.sequential = rank_program(spec, Side::kSequential);
  both.distributed = rank_program(spec, Side::kDistributed);
  const auto self_made = [](const InputSpec& input) { return static_cast<bool>(input.make); };
  if (std::any_of(spec.inputs.begin(), spec.inputs.end(), self_made))
    both.parameters = parameter_program(spec);
  both.mesh = spec.mesh;
  for (const InputSpec& input : spec.inputs) {
    both.inputs.push_back({input.name, input.shape, input.dtype, input.role, input.bound,
                           input.requires_grad, input.guessed_role, static_cast<bool>(input.make)});
  }
  return both;
}

}  // namespace assay
