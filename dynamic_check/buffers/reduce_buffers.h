// What collectives compute: the only arithmetic of reductions. Needs no LibTorch.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "dynamic_check/buffers/strided_buffer.h"

namespace assay {

enum class Reduction { kSum, kAverage, kProduct, kMin, kMax };

// "sum", "avg", "product", "min", "max", as in _c10d_functional; nullopt if it is none of these.
std::optional<Reduction> parse_reduction(std::string_view name);
const char* to_string(Reduction reduction);

// Element by element, in member order, each step rounded to the members' type: the same bits on
// every member and in every run. As LibTorch's operators have it, integers wrap around, sums and
// products of bools are "or" and "and", and of floats the least and the greatest are NaN where one
// is. `members`: at least one, all of one shape and type, without gaps. `to` has room for the
// elements and overlaps no member. Throws UserError for the average of what is not floating.
void reduce_buffers(Reduction reduction, std::span<const StridedBuffer> members, std::byte* to);

}  // namespace assay
