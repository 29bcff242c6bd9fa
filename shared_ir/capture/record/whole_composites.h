// Operators that LibTorch makes of others, and of different ones on meta tensors and on those of a
// device: because they look at values (one_hot), or choose a kernel by the device
// (scaled_dot_product_attention). A recording sees the same on both.
#pragma once

namespace assay {

// Registers kernels of our own for them, above autograd, for as long as the process lives. Outside
// of recordings they do what LibTorch's do. Those that have no gradient are recorded as one
// operator; attention as the products and the softmax that it is defined by.
void register_whole_composites();

// Whether this thread's operators are being recorded.
bool is_recording();

}  // namespace assay
