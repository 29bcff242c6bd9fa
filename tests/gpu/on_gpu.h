// What tests of programs on a GPU share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "assay/refinement.h"
#include "fixtures/inputs.h"

namespace assay::test {

inline CheckOptions on_gpu(std::vector<DType> precisions, uint64_t seed = 1) {
  CheckOptions options;
  options.device = "cuda";
  options.precisions = std::move(precisions);
  options.seed = seed;
  return options;
}

// A float32 input without a gradient.
inline InputSpec constant_input(const std::string& name, Shape shape, const Placement& placement) {
  return fixtures::input_spec(name, std::move(shape), placement, InputRole::kActivation,
                              /*requires_grad=*/false);
}

}  // namespace assay::test
