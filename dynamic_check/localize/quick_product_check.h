// Is a product of matrices right? Seen without multiplying them again.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "shared_ir/operator_table/operator_facts.h"

namespace assay {

struct ProductTolerance {
  double roundoff = 0;                        // of the result's precision
  double block_factor = 0, whole_factor = 0;  // of root mean squares (statistics.h)
  uint64_t seed = 0;
};

// True when the product's error is so small that the whole check of the operator (operator_check.h)
// would not find it wrong; false says nothing. `arguments`: the node's tensor arguments, as they
// enter the product. `actual`: in a precision below float64.
//
// With a vector x of independent normal numbers, C x - A (B x) is, in its row i, normal, of the
// variance that the squared error of row i of C is, whatever that error looks like (after R.
// Freivalds, "Fast probabilistic algorithms", MFCS 1979, whose vectors of signs would let two equal
// errors of a row cancel; here with 16 vectors, and in float64). That takes O(MK + KN + MN). Its
// norm is held against a quarter of what operator_check.h allows: factors and result that are
// rounded to u move row i by a variance of
//   u^2 / 3 (2 sum_k A_ik^2 sum_j B_kj^2 + sum_j C_ij^2),
// and what the kernel rounds inside is measured, with the same vectors, on a sixteenth of the rows
// that it multiplies again, up to what adding up in this precision explains (fault_kind.h). An
// error of four times the bound is missed with a chance below 1e-7 (chi square with 16 degrees of
// freedom below 1), a larger one with less.
bool product_is_right(const ProductOperands& operands, const std::vector<at::Tensor>& arguments,
                      const at::Tensor& actual, const ProductTolerance& tolerance);

}  // namespace assay
