// Computations that stay functions: what a reduction combines with, the body of a loop.
#pragma once

#include <string>

#include "shared_ir/import/hlo/hlo_module.h"

namespace assay::hlo {

// How deeply computations may call each other.
inline constexpr int kDeepestCall = 64;

// Text that is equal for computations that are the same function. A scalar computation of one
// commutative instruction on its two parameters is the name of that instruction ("add",
// "maximum"); any other is spelled out, names replaced by numbers. `name` looks into the module's
// text. Throws UserError where the computation does not exist, communicates, has effects, or
// depends on the rank or on a constant that the text leaves out.
std::string function_text(const Module& module, std::string_view name);

// The computation of this name. Throws UserError where there is none before the one that calls it.
const Computation& find_computation(const Module& module, std::string_view name);

}  // namespace assay::hlo
