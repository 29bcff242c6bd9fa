// Kernels of a user's own, in PyTorch's registry as `own::...`, as an extension brings them: of
// float32 and bfloat16, on the CPU. own_kernels.toml declares them.
//   own::swiglu(gate, up) -> Tensor                 silu(gate) up
//   own::rms_norm(out!, x, weight, eps) -> ()       writes x / rms(x) weight
//   own::linear(x, weight) -> Tensor                x weight^T
//   own::sum_over_ranks(x, group) -> Tensor         communicates by itself
//   own::shapeless(x) -> Tensor                     has no kernel for meta tensors
//   own::crashes(x) -> Tensor                       nor has this one, and it ends the process
//   own::positive(x) -> Tensor                      the elements above 0: how many is not known
//   own::undeclared(x) -> Tensor                    own_kernels.toml has nothing of it
#pragma once

#include <cstdint>

namespace assay::test {

enum class KernelBug : uint8_t {
  kNone,
  kLastElement,      // own::swiglu: never written
  kWeightForgotten,  // own::rms_norm
  kNarrowSums,       // own::linear: sums in the type of its operands
  kRankForgotten,    // own::sum_over_ranks: without the last rank's part
};

// While it lives, the kernels have the bug. One at a time.
class WithBug {
 public:
  explicit WithBug(KernelBug bug);
  ~WithBug();
  WithBug(const WithBug&) = delete;
  WithBug& operator=(const WithBug&) = delete;
};

}  // namespace assay::test
