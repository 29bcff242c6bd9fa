// Programs on complex numbers, as programs on real ones: nothing after the importers knows complex
// tensors.
//
// A complex tensor of shape S is a real one of shape S + [2], with the real part first: what
// torch.view_as_real gives of it. It keeps its name. Where PyTorch's operator is a view of its
// operand, so is what stands for it, save _conj and _neg_view.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "shared_ir/graph.h"

namespace assay {

// Those of a graph whose elements are complex. In the graph they have the shape, the strides and
// the dtype of their parts from the start (make_parts), their operators have not yet.
using ComplexTensors = std::unordered_set<TensorId>;

// The dtype of the parts: float32 of "complex64", with or without "torch.". nullopt for other
// names.
std::optional<DType> parse_complex_dtype(std::string_view name);

// What stands for a complex dtype among the arguments of a node, until the graph is rewritten.
Arg complex_dtype_argument(DType parts);

// Appends the dimension of the parts.
void make_parts(Tensor& tensor);

// Where a node is whose first result has this name, if its source is not known.
using PlaceOfNode = std::function<SourcePlace(const std::string& name)>;

// Makes operators on complex tensors operators on their parts. Throws UserError at the node for one
// that has no rule, for writes into complex tensors, and for writes into memory that those
// have viewed.
void rewrite_complex(Graph& graph, const ComplexTensors& complex, const PlaceOfNode& place);

}  // namespace assay
