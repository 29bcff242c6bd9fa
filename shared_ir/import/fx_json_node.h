// The fields of a node of fx-JSON. Every function throws UserError at the node for a field that is
// missing, of the wrong type, or unknown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "shared_ir/graph.h"
#include "shared_ir/import/fx_json_text.h"

namespace assay::fx {

// The target of a node that takes an output of another node.
inline constexpr std::string_view kGetitem = "<built-in function getitem>";

struct NodeView {
  const Json* json;
  const std::string* op;
  const std::string* name;
  const std::string* target;
};

// Format, version and keys of the file itself.
void check_header(const Text& text, const Json& root);

// `number` of the node in the file, for errors about a node without a name.
NodeView view_node(const Text& text, const Json& node, size_t number);

// nullptr where the capture recorded none (tuples, void operators).
const Json* value_of(const NodeView& node);

// A list (`array`) or an object.
const Json& field(const Text& text, const NodeView& node, const char* key, bool array);

// Producer and output of a getitem.
std::pair<const std::string*, int64_t> getitem(const Text& text, const NodeView& node);

// Dtype and shape.
void read_value(const Text& text, const NodeView& node, const Json& value, Tensor* tensor);

// Module, source line, and whether it belongs to the backward pass.
void read_origin(const NodeView& node, Node* result);

// The nesting of a constant's lists, from dimension `depth` on, is the shape.
void check_constant(const Text& text, const NodeView& node, const Json& value, const Shape& shape,
                    size_t depth);

}  // namespace assay::fx
