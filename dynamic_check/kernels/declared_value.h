// What a declaration gives, in float64: core operators on tensors, with as much noise as a
// straightforward kernel of a narrower type makes inside.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "shared_ir/core.h"

namespace assay {

// Unit roundoffs of what a kernel rounds between its operands and its result; 0: nothing.
struct InnerRounding {
  double elements = 0;  // every element-wise result
  double sums = 0;      // every addition of a sum, made one after the other
  uint64_t seed = 0;    // of the errors
  std::string sample{};
};

// Whether evaluate_declared() can run the program: nothing in it is random or communicates, and
// every function has a numeric definition.
bool has_value(const CoreProgram& program);

// The values of the wanted operators, float64 tensors on the CPU (integers and flags too, exactly).
// `input`: of a kInput operator, any dtype. A sum of products is contracted, and its terms are
// never in memory; everything else is what shared_ir/reference computes.
//
// A sum of n terms t that is rounded at every addition is off by u sqrt(sum S_k^2) over its partial
// sums S_k (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 4.2, with
// independent errors). Over the orders of terms, sum S_k^2 is n (sum t^2 / 6 + S^2 / 3) on average,
// up to terms of order 1/n. A block function sums over its whole dimensions.
std::vector<at::Tensor> evaluate_declared(const CoreProgram& program,
                                          const std::vector<CoreId>& wanted,
                                          const std::function<at::Tensor(TensorId)>& input,
                                          const InnerRounding& rounding);

// Terms of the longest sum in the program; 1 without one.
int64_t longest_sum(const CoreProgram& program);

}  // namespace assay
