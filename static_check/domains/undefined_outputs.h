// Outputs of ranks that are no numbers, whatever the inputs are.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "shared_ir/proof/proof.h"
#include "static_check/problem/problem.h"

namespace assay {

// Throws UserError at the operator of a rank that has no value for any input (1/0, log(-1), an
// infinity) or gives memory that nothing has written, where sums and products of it cancel in the
// proof, and what is left makes up an output or what the case expects: over the real numbers
// 0 * 1/0 + x is x, where the run gives NaN. Not where the specification is made so too. Whole
// tensors are looked at: what is cut off, joined with other elements or left out by a mask is not.
void refuse_undefined_outputs(const Problem& problem, const Certificate& certificate);

// What takes out of the relations of an inner tensor those that speak of such tensors. It must not
// outlive the problem.
std::function<void(const std::string& tensor, std::vector<CleanExpr>& replicas)> without_undefined(
    const Problem& problem);

}  // namespace assay
