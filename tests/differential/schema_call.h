// Calls of operators drawn at random from the schemas that PyTorch's dispatcher has of them.
//
// Tensors have at most three dimensions of 0 to 4 elements, and broadcast with each other or have
// unrelated shapes; floating ones are float32, others int64, int32, int8, uint8 or bool. Integers
// are small; those of uint8 meet negative numbers, and wrap. Optional arguments are absent half of
// the time.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tests/declarations/call_pattern.h"

namespace assay::test {

// Whether calls can be drawn: PyTorch has the operator, with arguments of types that are drawn, it
// is deterministic, its results are written, and it is public: kernels that are called by others
// alone (aten._*, *_backward) do not look at their operands, and read beyond them. Those of lists
// (aten._foreach_*) do.
bool has_drawable_schema(const std::string& op);

// One call that PyTorch may reject. Equal seeds give equal calls. The operator must be drawable.
// `first`, where given, has the shape that the first operand gets.
DrawnCall draw_from_schema(const std::string& op, uint64_t seed, const Tensor* first = nullptr);

// Whether parameter i, and the one of that name, is a tensor or a list of tensors by PyTorch's
// schema; false where it has none.
bool takes_tensors(const std::string& op, size_t i);
bool takes_tensors(const std::string& op, const std::string& name);

// By the name of each parameter of the schema that is drawn and no tensor: what the call gives, as
// text, or "absent". None of a call that another operator of PyTorch stands in for.
std::map<std::string, std::string> drawn_attributes(const DrawnCall& call);

}  // namespace assay::test
