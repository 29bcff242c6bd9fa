// Whether two recordings call an operator with the same arguments.
#pragma once

#include "shared_ir/graph.h"

namespace assay {

enum class Integers : uint8_t {
  kCompared,
  kIgnored,  // they may depend on values
};

// Tensors by their numbers, floating numbers bit by bit: NaN equals itself.
bool same_arguments(const Node& a, const Node& b, Integers integers);

}  // namespace assay
