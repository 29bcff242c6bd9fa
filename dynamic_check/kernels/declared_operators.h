// Operators that the user declares: kernels under test that PyTorch does not know, or knows in
// narrow types alone. What such an operator should give is its declaration, whatever the kernel
// does.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "dynamic_check/kernels/boxed_call.h"
#include "dynamic_check/kernels/declared_value.h"
#include "shared_ir/graph.h"
#include "shared_ir/operator_table/operator_table.h"

namespace assay {

class DeclaredOperators {
 public:
  // `files`: as Case::operator_files. Throws UserError for a file that cannot be read or has a
  // wrong declaration.
  explicit DeclaredOperators(const std::vector<std::filesystem::path>& files = {});

  // The user declares the node's operator.
  bool declares(const Node& node) const { return find(node) != nullptr; }

  // Its declaration; nullptr where the user does not declare it.
  const OperatorDeclaration* declaration(const Node& node) const { return find(node); }

  // ... and by the declaration it communicates with other ranks.
  bool communicates(const Node& node) const;

  // The node as PyTorch's functional collective, where the declaration is a collective of the
  // node's own arguments and nothing else.
  std::optional<Node> as_collective(const Node& node) const;

  // The declaration of a node that does not communicate, in float64: its outputs, then what it
  // writes into operands (memory::written_by). `value` gives the node's operands, of any dtype.
  // Outputs that nobody uses are undefined, integers and booleans as recorded. Throws UserError at
  // the node when the declaration does not fit it, is random, or names a function without a numeric
  // definition.
  std::vector<at::Tensor> run(const Graph& graph, const Node& node, const TensorLookup& value,
                              const InnerRounding& rounding = {}) const;

  // Terms of the longest sum that the declaration asks for.
  int64_t longest_sum(const Graph& graph, const Node& node) const;

 private:
  const OperatorDeclaration* find(const Node& node) const;  // nullptr: not the user's

  std::optional<OperatorTable> table_;  // none: the user declares nothing
  std::optional<OperatorTable> builtin_;
};

}  // namespace assay
