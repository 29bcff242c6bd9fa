// Tells an error of precision from a wrong kernel, by its size and its shape.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <optional>
#include <string>

#include "dynamic_check/numbers/numbers.h"
#include "shared_ir/dtype.h"

namespace assay {

// The precision whose rounding explains the error of `actual`, e.g. "accumulation in bfloat16";
// nullopt when none does. `spread(relative)` is the norm by which the exact result moves when
// inputs and result are rounded by that much.
//
// Adding K terms one after the other, each sum rounded by u (relative, root mean square about 0.4
// u), moves a result of K random terms by 0.4 u sqrt(K / 2) of its norm: the partial sums grow like
// sqrt(k), and their errors add in squares. An error is one of precision when it is no larger than
// twice that (and than the spread at that precision), when it is spread evenly, and when it does
// not lean on the value itself: a term that was left out or added twice does, rounding does not.
std::optional<std::string> explaining_precision(const at::Tensor& actual, const at::Tensor& exact,
                                                const Norms& error, int64_t length, DType precision,
                                                const std::function<double(double)>& spread);

}  // namespace assay
