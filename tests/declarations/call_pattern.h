// Calls of operators drawn at random from patterns, the lines of the tables in calls/.
//
//   call     := [argument, ...]                    positional first, then name=argument
//   argument := tensor | size | 0.5 | inf | nan | true | none | int64 | "text" | [argument, ...]
//   tensor   := dtype[size, ...]:values            f is float32, i is int64, b is bool
//   size     := letter or number, joined by + - * from left to right
//   values   := positive | unit | grid | wild | below(size) | distinct(size) | ignored(size)
//
// A letter is a dimension, of another size than the call's other letters. Values: above 0; between
// 0 and 1; multiples of 1/2, so that ties occur; those, infinities and NaN, and of integers the
// ends of their range; indices; indices without repetition; indices, a third of them -100. Without
// them, floating elements are normal, integers between -9 and 9.
//
// An operator that PyTorch does not have is held against a call of one that it has, on the same
// arguments: "f[a,b], [1, 0] => aten.permute.default: $0, $1"; $1.0 is the first of the list $1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shared_ir/graph.h"
#include "shared_ir/reference/reference.h"

namespace assay::test {

struct DrawnCall {
  Graph graph;  // one node, its outputs not yet recorded; the inputs are its tensor arguments
  Node kernel;  // the call that PyTorch runs: the same node, or the one behind "=>"
  std::vector<ReferenceTensor> values;  // per input
  std::vector<bool> is_index;           // per input: its elements count another operand's
  bool in_float32 = false;              // the kernel takes no float64
};

// Equal seeds give equal calls. Throws UserError, with the column, for a malformed pattern.
DrawnCall draw_call(const std::string& op, std::string_view pattern, uint64_t seed);

}  // namespace assay::test
