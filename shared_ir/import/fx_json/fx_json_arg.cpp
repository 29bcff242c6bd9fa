#include "shared_ir/import/fx_json/fx_json_arg.h"

#include <algorithm>
#include <array>
#include <limits>

#include "shared_ir/import/complex_parts/complex_parts.h"
#include "shared_ir/import/fx_json/fx_json_node.h"

namespace assay::fx {
namespace {

constexpr int kMaxDepth = 64;

// Where data lies, not what it is: dropped.
bool is_placement(std::string_view text) {
  return text.starts_with("device(") || text == "torch.strided";
}

bool is_memory_format(std::string_view text) {
  constexpr std::array<std::string_view, 4> kNames = {
      "torch.contiguous_format", "torch.preserve_format", "torch.channels_last",
      "torch.channels_last_3d"};
  return std::find(kNames.begin(), kNames.end(), text) != kNames.end();
}

Arg read_const(std::string_view text, const ArgContext& context) {
  if (is_placement(text)) return {NoArg{}};
  if (is_memory_format(text)) return {std::string(text)};
  if (const auto dtype = parse_dtype(text)) return {*dtype};
  if (const auto parts = parse_complex_dtype(text)) return complex_dtype_argument(*parts);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "inf") return {kInfinity};
  if (text == "-inf") return {-kInfinity};
  if (text == "nan") return {std::numeric_limits<double>::quiet_NaN()};
  context.text.fail_at(
      context.node, "unknown constant '" + std::string(text) + "'",
      "a constant is a dtype, a device, a layout, a memory format, inf, -inf or nan");
}

Arg read_sym(const Json& sym, const ArgContext& context) {
  if (auto size = unbacked_size(sym, context.symbols))
    return {TensorArg{context.unbacked(std::move(*size))}};
  return {read_size(context.text, context.node, sym, context.symbols)};
}

Arg read_object(const JsonObject& object, const ArgContext& context) {
  if (object.size() == 1) {
    const auto [key, value] = *object.begin();
    const auto text = text_of(value);
    if (key == "node" && text) {
      if (const auto integer = context.integer(*text)) return {*integer};
      return {TensorArg{context.tensor(*text)}};
    }
    if (key == "const" && text) return read_const(*text, context);
    if (key == "sym") return read_sym(value, context);
  }
  context.text.fail_at(context.node, "unknown argument " + simdjson::minify(object).substr(0, 200));
}

Arg read(const Json& json, const ArgContext& context, int depth) {
  using Type = simdjson::dom::element_type;
  if (depth > kMaxDepth) context.text.fail_at(context.node, "an argument is nested too deeply");
  switch (json.type()) {
    case Type::NULL_VALUE:
      return {NoArg{}};
    case Type::BOOL:
      return {json.get_bool().value_unsafe()};
    case Type::INT64:
      return {json.get_int64().value_unsafe()};
    case Type::UINT64:
      context.text.fail_at(context.node,
                           "integer " + simdjson::minify(json) + " does not fit 64 bits");
    case Type::DOUBLE:
      return {json.get_double().value_unsafe()};
    case Type::STRING: {
      const std::string_view text = json.get_string().value_unsafe();
      if (is_placement(text)) return {NoArg{}};
      return {std::string(text)};
    }
    case Type::ARRAY: {
      const JsonArray array = json.get_array().value_unsafe();
      ArgList list;
      list.reserve(array.size());
      for (const Json element : array) list.push_back(read(element, context, depth + 1));
      return {std::move(list)};
    }
    case Type::OBJECT:
      return read_object(json.get_object().value_unsafe(), context);
  }
  context.text.fail_at(context.node, "unknown argument");
}

}  // namespace

Arg read_arg(const Json& json, const ArgContext& context) { return read(json, context, 0); }

}  // namespace assay::fx
