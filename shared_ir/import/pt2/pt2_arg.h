// Unions and arguments of the program in a .pt2 archive.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "shared_ir/graph.h"
#include "shared_ir/import/json_text.h"

namespace assay::pt2 {

// What an argument needs to know about where it stands.
struct Context {
  std::function<TensorId(std::string_view name)> tensor;  // throws UserError for an unknown one
  std::function<void(const std::string& message, const std::string& hint)> fail;  // throws
};

// A union is an object of which one key has a value: "as_int", "parameter", ...
struct Tagged {
  std::string_view tag;
  json::Json value;
};
// nullopt for what is no union.
std::optional<Tagged> tagged(const json::Json& json);

// {"name": NAME}.
std::optional<std::string_view> name_in(const json::Json& json);

struct ElementType {
  DType dtype;  // of complex numbers, that of the parts
  bool is_complex = false;
};
// torch's ScalarType in the archive's own numbering; nullopt for what no tensor of ours has.
std::optional<ElementType> element_type(int64_t scalar_type);

inline constexpr const char* kStaticHint =
    "export the program without dynamic_shapes: sizes are numbers";

// Throws by `context` for anything that is no argument, and for what graphs do not have: symbols,
// graphs, objects, complex numbers.
Arg read_arg(const json::Json& json, const Context& context);

}  // namespace assay::pt2
