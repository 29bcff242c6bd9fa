// What the user declares of an input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dynamic_check/question/input_role.h"
#include "shared_ir/graph.h"

namespace assay {

// One declared input of the sequential program. Its parts on the ranks follow from Case::inputs.
struct DynamicInput {
  std::string name;
  Shape shape;                    // of the whole tensor
  DType dtype = DType::kFloat32;  // a floating type is replaced by the precision of the run
  InputRole role = InputRole::kActivation;
  int64_t bound = 0;  // kTokenIds, kLabels: 0 <= element < bound
  bool requires_grad = false;
  bool guessed_role = false;  // nobody said it: it follows from the number of dimensions
  bool self_made = false;     // the ranks make it themselves, in Programs::parameters
  // kTokenIds, kLabels: one element in eight is this instead: a target that a loss ignores.
  std::optional<int64_t> beside = std::nullopt;
};

}  // namespace assay
