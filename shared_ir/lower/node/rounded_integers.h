// Whole numbers that a program computes of its own constants in a type that does not hold them.
#pragma once

#include <optional>
#include <string>

#include "shared_ir/lower/node/meaning.h"

namespace assay::lowering {

// Real arithmetic has 257 where a running sum of ones in bfloat16 has 256, for every input: counts
// and positions in such a type are other numbers. What such a result is said to be; nullopt where
// there is none among these. One number that is written down is rounded where it is made
// (Builder::constant), and is not meant.
// `values_of`: per tensor of the graph.
std::optional<std::string> rounded_integers(const Context& context, const Results& results,
                                            const std::vector<CoreId>& values_of);

}  // namespace assay::lowering
