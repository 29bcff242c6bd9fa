// How large the integers in a graph's input may be, read off what its program does with them.
#pragma once

#include <cstdint>

#include "shared_ir/core.h"

namespace assay {

// Exclusive bound of the ids in the integer input: the smallest table that they index, directly or
// after casts and movements; else the largest constant that they are compared with; else 1.
int64_t id_bound(const CoreProgram& program, TensorId input);

}  // namespace assay
