// Programs of one input and one output on two ranks, with their relations written by hand.
#pragma once

#include <functional>
#include <string>

#include "tests/dynamic/support/mlp.h"

namespace assay::test {

using Form = std::function<at::Tensor(ProgramContext&, const at::Tensor& x)>;

// y = form(x), where y is whole on every rank and of x every rank has the whole, or its part along
// dimension `split`.
Mlp on_two_ranks(const Shape& shape, int64_t split, const Form& sequential, const Form& ranks);
inline constexpr int64_t kWhole = -1;

}  // namespace assay::test
