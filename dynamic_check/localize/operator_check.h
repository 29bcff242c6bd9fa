// Is a recorded operator right on the inputs that it was given? Each is run again in float64,
// alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dynamic_check/kernels/kernels.h"
#include "dynamic_check/localize/judgement.h"
#include "shared_ir/graph.h"
#include "shared_ir/mesh.h"

namespace assay {

struct OperatorCheckOptions {
  uint64_t seed = 0;
  double coverage = 1 - 1e-9;  // of one operator's tolerance
  // What the factors of linear layers' products go through before the product (float8_products.h).
  std::optional<DType> float8 = std::nullopt;
  const DeclaredOperators* declared = nullptr;  // by the user; their kernels are tried by nobody
};

// Runs node `id` in float64 on what was `recorded` of the rank (undefined where nothing was) and on
// perturbations of it; the allowance is the spread of the latter at the output's precision, and one
// rounding of the result; where that is not enough, what the operator's kernel (of a declared one:
// a straightforward kernel) rounds inside, and more perturbations. Integers and booleans are those
// of float64 or of the recorded types, infinities too. Not judged are collectives, what is random
// or gives uninitialised memory, and what was not recorded with its inputs.
Judgement check_operator(const Graph& graph, Rank rank, NodeId id, const TensorLookup& recorded,
                         const OperatorCheckOptions& options);

}  // namespace assay
