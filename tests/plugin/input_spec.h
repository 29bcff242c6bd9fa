#pragma once

#include <string>
#include <utility>

#include "assay/refinement.h"

namespace assay {

// A float32 input of a test, with a gradient.
inline InputSpec input_spec(const std::string& name, Shape shape, const Placement& placement) {
  InputSpec spec;
  spec.name = name;
  spec.shape = std::move(shape);
  spec.placement = placement;
  return spec;
}

}  // namespace assay
