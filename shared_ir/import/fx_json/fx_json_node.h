// The fields of a node of fx-JSON. Every function throws UserError at the node for a field that is
// missing, of the wrong type, or unknown.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "shared_ir/graph.h"
#include "shared_ir/import/json_text.h"
#include "shared_ir/symbolic/integer.h"
#include "shared_ir/symbolic/size_expression.h"

namespace assay::fx {

using namespace json;  // NOLINT: fx-JSON is JSON

// Whether the target is that of a node which takes an output of another node: operator.getitem, as
// Python prints it, as torch.fx names it in code and in tables, or its bare name.
bool is_getitem(std::string_view target);

// Views of the parsed text.
struct NodeView {
  JsonObject json;
  std::string_view op;
  std::string_view name;
  std::string_view target;
};

// The file's object, its format, version and keys checked.
JsonObject read_header(const Text& text, const Json& root);

// Whether the file says that no node writes into memory; false where it says nothing.
bool is_functional(const Text& text, const JsonObject& header);

// `number` of the node in the file, for errors about a node without a name.
NodeView view_node(const Text& text, const Json& node, size_t number);

// nullopt where the capture recorded none (tuples, void operators).
std::optional<Json> value_of(const NodeView& node);

JsonArray arguments(const Text& text, const NodeView& node);
JsonObject keyword_arguments(const Text& text, const NodeView& node);

// Producer and output of a getitem.
std::pair<std::string_view, Int> getitem(const Text& text, const NodeView& node);

// An integer, or a text over the symbols.
Int read_size(const Text& text, std::string_view node, const Json& size,
              const SymbolValues& symbols);

// A size over symbols without values, which operators of the graph make. What is no size that
// Assay reads ("Min(4, u0)") is a symbol of that name.
std::optional<SymbolExpr> unbacked_size(const Json& size, const SymbolValues& symbols);

// The integer that a node without a tensor stands for: its "value" is {"sym": SIZE}.
std::optional<Json> symbolic_integer(const NodeView& node);

// Dtype and shape, and strides where they are recorded; of complex tensors, of which it returns
// true, those of the parts. Sizes that depend on values go to `unbacked`, where they may (it is not
// nullptr), one for each dimension.
bool read_value(const Text& text, const NodeView& node, const Json& value,
                const SymbolValues& symbols, Tensor* tensor,
                std::vector<SymbolExpr>* unbacked = nullptr);

// Module, source line, and whether it belongs to the backward pass.
void read_origin(const NodeView& node, Node* result);

// Its own work and what it awaits (Node).
void read_work(const Text& text, const NodeView& node, Node* result);

// The nesting of a constant's lists, from dimension `depth` on, is the shape.
void check_constant(const Text& text, const NodeView& node, const Json& value, const Shape& shape,
                    size_t depth);

}  // namespace assay::fx
