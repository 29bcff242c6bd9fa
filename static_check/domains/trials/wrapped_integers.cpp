#include "static_check/domains/trials/wrapped_integers.h"

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "shared_ir/cast.h"
#include "static_check/domains/trials/input_numbers.h"
#include "static_check/domains/trials/trials.h"

namespace assay {
namespace {

// Of an operator that is taken not to wrap: the elements that have done so in all draws.
struct Taken {
  const Graph* graph;
  const CoreOp* op;
  size_t program;  // 0: the specification; r + 1: rank r
  CoreId id;
  std::vector<bool> fitted = {};

  // The largest int64 is rounded to the double that is beyond it.
  static bool is_beyond(double value, DType dtype) {
    const auto [low, high] = integer_range(dtype);
    const double most = static_cast<double>(PlainInt{high});
    return value > most || (dtype == DType::kInt64 && value == most) ||
           value < static_cast<double>(PlainInt{low});
  }

  void see(const ReferenceTensor& values) {
    fitted.resize(values.values.size());
    for (size_t i = 0; i < fitted.size(); ++i)
      if (!is_beyond(values.values[i], op->dtype)) fitted[i] = true;
  }

  bool always_wraps() const {
    for (const bool fits : fitted)
      if (!fits) return true;
    return false;
  }
};

void add(std::vector<Taken>& taken, size_t place, const Graph& graph, const CoreProgram& program) {
  for (const CoreId id : program.unwrapped) {
    const CoreOp& op = program.ops[static_cast<size_t>(id)];
    if (op.origin != kNone) taken.push_back({&graph, &op, place, id});
  }
}

}  // namespace

void refuse_wrapped_integers(const Problem& problem) {
  std::vector<Taken> taken;
  add(taken, 0, problem.refinement.sequential, problem.sequential_program);
  for (size_t r = 0; r < problem.rank_programs.size(); ++r)
    add(taken, r + 1, problem.rank_graph(static_cast<Rank>(r)), problem.rank_programs[r]);
  if (taken.empty()) return;
  const Trials trials(problem);
  if (trials.are_too_large()) return;
  size_t runs = 0;
  for (size_t draw = 0; draw < InputNumbers::kDraws; ++draw) {
    const auto trial = trials.run(draw);
    if (!trial) continue;
    ++runs;
    bool open = false;
    for (Taken& one : taken) {
      const auto& values = one.program == 0 ? trial->sequential : trial->ranks[one.program - 1];
      one.see(values[static_cast<size_t>(one.id)]);
      open = open || one.always_wraps();
    }
    if (!open) return;
  }
  if (runs < InputNumbers::kDraws / 2) return;
  for (const Taken& one : taken) {
    if (!one.always_wraps()) continue;
    const Node& node = one.graph->nodes[static_cast<size_t>(one.op->origin)];
    throw UserError(node.source,
                    fmt::format("{}: {} computes an integer beyond the range of {} in all of {} "
                                "draws of the inputs",
                                one.graph->name, node.op, to_string(one.op->dtype), runs),
                    "it wraps around, and is another number then: compute it in a longer type");
  }
}

}  // namespace assay
