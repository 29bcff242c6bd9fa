// Products under a sum: what matrix products, gathers and scatters are made of.
#pragma once

#include <vector>

#include "shared_ir/lower/build/builder.h"

namespace assay::lowering {

// Each dimension of an operand has a label; equal labels are equal coordinates and have equal
// sizes.
struct Factor {
  CoreId tensor;
  std::vector<int32_t> labels;  // distinct
};

// out[labels of output] = sum over the other labels of the product of the factors: each is brought
// to the joint domain (output labels, then the summed ones in order of appearance), multiplied, and
// summed. Every output label occurs in a factor. All factors have one dtype; or all but the last
// are flags, which keep that one instead of being multiplied: an infinity that they leave out is 0.
CoreId contract(Builder& builder, const std::vector<Factor>& factors,
                const std::vector<int32_t>& output);

}  // namespace assay::lowering
