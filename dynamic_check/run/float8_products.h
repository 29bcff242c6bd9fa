// Runs in float8: tensors are bfloat16, and the two factors of every product of a linear layer (mm,
// addmm) go through float8, in the forward and in the backward pass; batched products, which are
// attention's, stay in bfloat16. It is what TransformerEngine's recipes with current scaling do
// (Micikevicius et al. 2022, "FP8 formats for deep learning", section 4), but that the scale of a
// factor is a power of two, made of the piece that the kernel sees, and that one format serves both
// passes. It is emulated: the product runs again on rounded factors. A GPU that multiplies e4m3
// (compute capability 8.9 and later) does so itself where sizes are multiples of 16 and nothing is
// added.
// A program's own scaled product (aten._scaled_mm): kernels/custom_operators.h.
#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "dynamic_check/kernels/kernels.h"
#include "dynamic_check/question/question.h"
#include "dynamic_check/run/perturbed_run.h"

namespace assay {

// Where the two factors stand among the tensor arguments of a linear layer's product, which is one
// of two matrices (operator_facts.h); the first of them, or kNone for another operator.
int32_t first_factor(const Node& node);

// The tensor, after it was scaled by the power of two that brings its largest magnitude into the
// upper half of the format's range, rounded to the format, and scaled back. Its dtype stays.
at::Tensor through_float8(const at::Tensor& factor, DType float8);

// Overwrites the outputs of a linear layer's product with what it gives on factors that went
// through float8; before, each of their elements is multiplied by 1 + r, |r| < noise.relative.
// Other operators are left alone.
void round_product(const Graph& graph, NodeId id, DType float8, const TensorLookup& operands,
                   std::span<const at::Tensor> outputs, const Noise& noise = {});

// What stands in for the kernels of a run in that precision: rounded products in float8, and then
// `hook`, if there is one; else the hook itself.
KernelHook kernels_of(DType precision, const KernelHook& hook);

}  // namespace assay
