// Operators that draw random numbers, declared or not.
#pragma once

#include <string_view>

namespace assay::lowering {

// By the tag of PyTorch's schemas, and hlo_random_operators.toml. "aten::randperm" and
// "aten.randperm.default" are one name.
bool draws_random_numbers(std::string_view op);

}  // namespace assay::lowering
