// What is wrong with an operator of the ranks.
#pragma once

#include <string>

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

}  // namespace assay
