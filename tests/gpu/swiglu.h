// A kernel of the tests' own, as an extension would have it.
#pragma once

#include <cstdint>

namespace assay::test {

// out = silu(gate) * up for `elements` float32 numbers, or bfloat16 ones, in the GPU's memory; on
// LibTorch's default stream. `last_left_out`: the bug, which leaves the last block of 128 alone.
void swiglu_on_gpu(const float* gate, const float* up, float* out, int64_t elements,
                   bool last_left_out);
void swiglu_on_gpu(const uint16_t* gate, const uint16_t* up, uint16_t* out, int64_t elements,
                   bool last_left_out);

}  // namespace assay::test
