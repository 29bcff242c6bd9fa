// What an operator does to the numbers that it is given, as other layers need to know: whether it
// rounds, what it adds up, whether it is a product of matrices. All of it is read off the
// operator's declaration, so that nobody declares a thing twice, and an operator of the user's has
// it too.
#pragma once

#include <optional>
#include <vector>

#include "shared_ir/graph.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

struct OperatorDeclaration;  // lower/declaration.h

// A product of matrices, [.., M, K] by [.., K, N], by parameters of the declaration.
struct ProductFacts {
  size_t first = 0, second = 0;
  std::optional<size_t> added;     // to the product; broadcast to its shape
  std::vector<size_t> multiplied;  // numbers that scale the product, or what is added to it
  bool batched = false;            // more than one matrix each
};

// Elements of a parameter's tensor that are added up into one of the result.
struct SumFacts {
  size_t parameter = 0;
  std::vector<Int> dims;  // from the end, -1 the last; empty: as many as the result has fewer
  std::optional<size_t> dims_given;  // or by this parameter, a list of dimensions
};

struct OperatorFacts {
  bool rounds = false;    // beside casts: else it moves, selects and compares
  bool casts = false;     // may give another type than it is given
  bool by_parts = false;  // results are parts of operands' dimensions, or are made of such parts
  bool random = false;
  bool communicates = false;
  double kernel_error = 0;     // relative, of PyTorch's kernel in float64; 0: it rounds as float64
  std::vector<SumFacts> sums;  // directly of operands
  std::optional<ProductFacts> product;
};

OperatorFacts facts_of(const OperatorDeclaration& declaration);

// The same for shipped declarations, by the node's operator; nullptr where it has none. Kept.
const OperatorFacts* facts_of(const Node& node);

// ... and the declaration itself.
const OperatorDeclaration* shipped_declaration(const Node& node);

// The node rounds nothing: its operator does not, and no floating result is narrower than its
// operands. False of operators without a declaration.
bool is_exact(const Graph& graph, const Node& node);

// Where the operands of a product stand among a node's tensor arguments (graph.h).
struct ProductOperands {
  size_t first = 0;  // its factors are this one, [.., M, K], and the next, [.., K, N]
  std::optional<size_t> added = std::nullopt;  // to the product; broadcast to its shape
  bool scaled = false;                         // by numbers other than 1
  bool batched = false;
};

// nullopt for any other operator, and where the factors are not next to each other.
std::optional<ProductOperands> product_of(const Node& node);

// How many products or terms are added into one element of the node's first result; 1 for what adds
// nothing, or what is not known.
Int contraction_length(const Graph& graph, const Node& node);

}  // namespace assay
