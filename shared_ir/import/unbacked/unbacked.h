// Programs with sizes that depend on values (PyTorch: unbacked symbols), as programs of fixed
// sizes.
//
// A dimension of a size that is not known becomes one of the greatest size that it can have, with a
// mask that says which of its elements are there. They keep their order, and stand wherever the
// operator that made them found them: what nonzero or a slice takes stays in its place, so that no
// element moves where positions do not matter. What is not there holds anything; whoever adds it
// up, sends it or reads it at an index leaves it out. A size is the number of elements of its mask,
// and dimensions are of one size where they have one mask; where they have several, both are packed
// to the front, and the program is defined where the numbers agree.
//
// On what a program demands at run time (sizes that agree, splits that add up, what is received
// being what was sent, assertions) hang its outputs: they are NaN where it does not hold.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "shared_ir/graph.h"
#include "shared_ir/symbolic/size_expression.h"

namespace assay {

inline constexpr PlainInt kUnknownSize = -1;

struct UnbackedGraph {
  // Unknown sizes are kUnknownSize, and an argument that is an unknown integer is the TensorArg
  // integer_argument(i). A node whose result is an integer has no output.
  Graph graph;
  std::unordered_map<TensorId, std::vector<SymbolExpr>> shapes;  // of tensors with unknown sizes
  std::vector<SymbolExpr> integers;                              // that are arguments
  std::unordered_map<NodeId, std::string> items;  // nodes that read a symbol from a tensor

  bool is_needed() const;
};

inline TensorId integer_argument(size_t i) { return -2 - static_cast<TensorId>(i); }

// An assertion about sizes: args are a comparison ("ge", "gt", "le", "lt", "eq", "ne") and two
// integers.
inline constexpr std::string_view kAssertOp = "aten._assert_scalar.default";

// Whether the operator fails at run time for some values of its operands, which no core operator
// does: it is made one that gives NaN, in programs of fixed sizes too.
bool fails_for_values(std::string_view op);

// The dimension of the result whose size the operator makes out of the values of its operands;
// nullopt: it makes none.
std::optional<size_t> made_dimension(const Graph& graph, const Node& node);

// Throws UserError at the node for a symbol that is used before an operator defines it, one that
// stands for two numbers, a size without a bound, an operator that has no rule for unknown sizes,
// one that may write into memory, and an output whose size is not known.
Graph padded(UnbackedGraph graph);

}  // namespace assay
