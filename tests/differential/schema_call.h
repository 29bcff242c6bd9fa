// Calls of operators drawn at random from the schemas that PyTorch's dispatcher has of them.
//
// Tensors have at most three dimensions of 0 to 4 elements, and broadcast with each other or have
// unrelated shapes; floating ones are float32, others int64, int32, int8 or bool. Integers are
// small; where results may wrap, there are uint8 operands beside negative numbers too. Optional
// arguments are absent half of the time.
#pragma once

#include <cstdint>
#include <string>

#include "tests/declarations/call_pattern.h"

namespace assay::test {

// Whether calls can be drawn: PyTorch has the operator, with arguments of types that are drawn, it
// is deterministic, its results are written, and it is public: kernels that are called by others
// alone (aten._*, *_backward) do not look at their operands, and read beyond them.
bool has_drawable_schema(const std::string& op);

// One call that PyTorch may reject. Equal seeds give equal calls. The operator must be drawable.
// `first`, where given, has the shape that the first operand gets.
DrawnCall draw_from_schema(const std::string& op, uint64_t seed, bool may_wrap,
                           const Tensor* first = nullptr);

}  // namespace assay::test
