// What is not evaluated.
#include "static_check/identity/evaluation.h"
#include "static_check/identity/magnitudes.h"

namespace assay::identity {
namespace {

// Elements of all operators together that are computed in one evaluation.
constexpr int64_t kMostInAnEvaluation = int64_t{1} << 22;

// Collectives of integers and flags do what their library does with these, but for sums, which wrap
// alike, and extrema; by cases integers are numbers, which a sum does not wrap: short ones may,
// where nothing says that they do not.
bool is_represented(const Collective& what, DType dtype, bool by_cases, bool stays_in_range) {
  const bool reduces = what.kind == Collective::Kind::kAllReduce ||
                       what.kind == Collective::Kind::kReduce ||
                       what.kind == Collective::Kind::kReduceScatter;
  if (!reduces || is_floating(dtype)) return true;
  if (!is_whole(dtype)) return false;
  const bool extremum =
      what.reduce == Collective::Reduce::kMax || what.reduce == Collective::Reduce::kMin;
  return by_cases
             ? what.reduce == Collective::Reduce::kSum && (dtype == DType::kInt64 || stays_in_range)
             : what.reduce == Collective::Reduce::kSum || extremum;
}

}  // namespace

int64_t represented_elements(const Problem& problem, const Scope& scope, bool by_cases) {
  int64_t elements = 0;
  const auto add = [&](const CoreProgram& program, Rank rank,
                       const std::vector<bool>& stays_in_range) {
    // Which write at equal indices comes last is not told.
    if (!program.single_writes.empty())
      throw NotRepresented{"a write at indices that may be equal"};
    for (size_t i = 0; i < program.ops.size(); ++i) {
      if (scope.cone != nullptr && !scope.cone->holds(rank, static_cast<CoreId>(i))) continue;
      const CoreOp& op = program.ops[i];
      elements += element_count(op.shape);
      if (op.prim == Prim::kCollective &&
          !is_represented(program.collectives[static_cast<size_t>(op.collective)], op.dtype,
                          by_cases, stays_in_range[i]))
        throw NotRepresented{"a collective of integers or flags"};
    }
  };
  add(problem.sequential_program, kNone, stay_in_range({problem.sequential_program})[0]);
  const std::vector<std::vector<bool>> stay = stay_in_range(problem.rank_programs);
  for (size_t r = 0; r < stay.size(); ++r)
    add(problem.rank_programs[r], static_cast<Rank>(r), stay[r]);
  if (elements > kMostInAnEvaluation) throw NotRepresented{"more than 4 million elements"};
  return elements;
}

}  // namespace assay::identity
