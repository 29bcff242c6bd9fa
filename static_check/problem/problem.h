// Everything that the stages of one static check share: the lifted programs and the two cover
// indices.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "shared_ir/case/case.h"
#include "shared_ir/core.h"
#include "static_check/cover/cover.h"
#include "static_check/lift/lifting.h"
#include "static_check/lift/program/lift_program.h"

namespace assay {

struct Problem {
  const Case& refinement;
  CoreProgram sequential_program;
  std::vector<CoreProgram> rank_programs;
  Lifting lifting;
  LiftedProgram sequential;
  LiftedRanks ranks;

  // Value of a tensor; nullptr where the program never computes one (dead, or after ranks got
  // stuck).
  const Value* sequential_value(TensorId tensor) const;
  const Value* rank_value(Rank rank, TensorId tensor) const;

  const Graph& rank_graph(Rank rank) const { return refinement.ranks[static_cast<size_t>(rank)]; }
};

// The operator that makes a tensor ("input" for graph inputs), and the user's line.
std::string operator_of(const Graph& graph, TensorId tensor);
SourcePlace source_of(const Graph& graph, TensorId tensor);

// Relations found so far, per sequential tensor.
using RelationMap = std::map<TensorId, std::vector<CleanExpr>>;

}  // namespace assay
