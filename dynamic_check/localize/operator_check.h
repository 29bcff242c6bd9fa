// Is a recorded operator right on the inputs that it was given? Each is run again in float64,
// alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dynamic_check/interpret/boxed_call.h"
#include "shared_ir/graph.h"
#include "shared_ir/mesh.h"

namespace assay {

// An operator, or a collective, whose outputs are not what its recorded inputs give.
struct OperatorFault {
  enum class Kind {
    kKernel,     // wrong beyond what any precision explains
    kPrecision,  // as wrong as if it had been computed in a lower precision
    kRuntime,    // a collective that did not deliver the reduction or movement of its inputs
  };
  Kind kind = Kind::kKernel;
  Rank rank = 0;
  NodeId node = kNone;
  TensorId output = kNone;
  std::string deviation = "value";  // as DeviationReport::kind
  double error = 0;    // relative Frobenius norm, of the worst block where only a block is wrong
  double allowed = 0;  // relative to the same norm
  std::string detail{};
};

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
// of float64 or of the recorded types, infinities too. nullopt when the operator is right, or
// cannot be judged: it is random, gives uninitialised memory, or its inputs were not recorded.
std::optional<OperatorFault> check_operator(const Graph& graph, Rank rank, NodeId id,
                                            const TensorLookup& recorded,
                                            const OperatorCheckOptions& options);

}  // namespace assay
