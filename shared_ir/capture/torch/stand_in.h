// CPU tensors that stand for meta tensors, where an operator is run for the shapes of its results.
#pragma once

#include <ATen/core/Tensor.h>

namespace assay {

// Values of stand-ins. What an operator gives for each of them, and does not refuse, has one shape,
// unless the shape depends on values.
//
// Whole numbers are 0, 1, or both, so that they lie within any table of two elements; floating ones
// are small, and matrices have a dominant diagonal, so that they can be inverted and factored.
enum class StandInValues : uint8_t {
  kFirst,   // whole numbers 0, floating ones 1/4, truths true
  kSecond,  // 1, different ones above 0, false
  kThird,   // 0 and 1, ones of both signs and 0, both
};
inline constexpr StandInValues kStandInValues[] = {StandInValues::kFirst, StandInValues::kSecond,
                                                   StandInValues::kThird};

// Has the sizes, strides and element type of `meta`, and its storage offset counts from 0. Beyond
// 4 MiB its memory is the same 4 MiB again and again, whatever is written there; it is given back
// with the process alone. Throws c10::Error beyond 64 GiB.
at::Tensor make_stand_in(const at::Tensor& meta, StandInValues values);

}  // namespace assay
