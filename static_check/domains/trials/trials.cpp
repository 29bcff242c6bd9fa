#include "static_check/domains/trials/trials.h"

#include <algorithm>

#include "shared_ir/reference/assumed_indices.h"
#include "shared_ir/reference/element_functions.h"
#include "static_check/domains/trials/input_numbers.h"

namespace assay {
namespace {

// Elements of all operators together that are computed for one draw.
constexpr int64_t kMostComputed = int64_t{1} << 21;

int64_t elements_of(const CoreProgram& program) {
  int64_t elements = 0;
  for (const CoreOp& op : program.ops) elements += element_count(op.shape);
  return elements;
}

}  // namespace

int64_t Trials::elements() const {
  int64_t elements = elements_of(problem_.sequential_program);
  for (const CoreProgram& program : problem_.rank_programs) elements += elements_of(program);
  return elements;
}

bool Trials::are_too_large() const { return elements() > kMostComputed; }

std::optional<Trial> Trials::run(size_t draw) const {
  problem_.lifting.check_deadline();
  InputNumbers inputs(problem_.lifting, draw);
  const auto sources = [&inputs](const std::vector<CoreProgram>& programs,
                                 const std::vector<const LiftedProgram*>& lifted) {
    return ReferenceSources{
        [&inputs, &programs, lifted](Rank rank, const CoreOp& op) {
          const auto r = static_cast<size_t>(rank);
          return inputs.of(lifted[r]->values[static_cast<size_t>(&op - programs[r].ops.data())]);
        },
        {}};
  };
  Trial trial;
  try {
    trial.sequential =
        std::move(evaluate(sequential_, sources(sequential_, {&problem_.sequential}))[0]);
    if (!stays_in_tables(sequential_[0], trial.sequential)) return std::nullopt;
    std::vector<const LiftedProgram*> lifted;
    for (const LiftedProgram& rank : problem_.ranks.ranks) lifted.push_back(&rank);
    trial.ranks = evaluate(problem_.rank_programs, sources(problem_.rank_programs, lifted));
  } catch (const reference::NoNumbers&) {
    return std::nullopt;
  } catch (const InputNumbers::Unknown&) {
    return std::nullopt;
  }
  return trial;
}

}  // namespace assay
