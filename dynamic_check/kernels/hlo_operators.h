// Kernels of HLO instructions, by PyTorch's, in float64. Written from XLA's "Operation Semantics",
// apart from the declarations in shared_ir/operators/hlo.toml, so that each checks the other.
#pragma once

#include <string_view>

#include "dynamic_check/kernels/custom_operators.h"

namespace assay {

// nullptr where there is none. `op` as imported: "hlo.dot", "custom-call.AwsNeuronRmsNorm".
// Collectives are in collective_node.h.
const CustomOperator* find_hlo_operator(std::string_view op);

}  // namespace assay
