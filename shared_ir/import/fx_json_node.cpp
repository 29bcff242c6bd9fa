#include "shared_ir/import/fx_json_node.h"

#include <charconv>

namespace assay::fx {
namespace {

constexpr int64_t kMaxOutputs = 100'000;

const std::string* text_field(const Json& node, const char* key) {
  const auto found = node.find(key);
  if (found == node.end() || !found->is_string()) return nullptr;
  return found->get_ptr<const std::string*>();
}

}  // namespace

void check_header(const Text& text, const Json& root) {
  if (!root.is_object()) text.fail("an fx-JSON file holds one object");
  if (!root.contains("format") || root["format"] != "fx-json") {
    text.fail("\"format\" is not \"fx-json\"");
  }
  if (!root.contains("version") || root["version"] != 1) {
    text.fail("\"version\" is not 1", "this Assay reads version 1 of fx-JSON");
  }
  if (!root.contains("nodes") || !root["nodes"].is_array()) {
    text.fail("\"nodes\" is not a list");
  }
  for (const auto& [key, value] : root.items()) {
    if (key != "format" && key != "version" && key != "rank" && key != "nodes" && key != "names") {
      text.fail("unknown key \"" + key + "\"");
    }
  }
}

NodeView view_node(const Text& text, const Json& node, size_t number) {
  const auto position = [&] { return "node number " + std::to_string(number); };
  if (!node.is_object()) text.fail(position() + " is no object");
  NodeView result{&node, text_field(node, "op"), text_field(node, "name"),
                  text_field(node, "target")};
  if (!result.name) text.fail(position() + " has no \"name\"");
  if (!result.op) text.fail_at(*result.name, "has no \"op\"");
  if (!result.target) text.fail_at(*result.name, "has no \"target\"");
  for (const auto& [key, value] : node.items()) {
    if (key != "op" && key != "name" && key != "target" && key != "args" && key != "kwargs" &&
        key != "value" && key != "module" && key != "source" && key != "constant" &&
        key != "backward") {
      text.fail_at(*result.name, "unknown key \"" + key + "\"");
    }
  }
  return result;
}

const Json* value_of(const NodeView& node) {
  const auto value = node.json->find("value");
  return value == node.json->end() || value->is_null() ? nullptr : &*value;
}

const Json& field(const Text& text, const NodeView& node, const char* key, bool array) {
  const auto found = node.json->find(key);
  if (found == node.json->end() || (array ? !found->is_array() : !found->is_object())) {
    text.fail_at(*node.name, "\"" + std::string(key) + "\" is missing or of the wrong type");
  }
  return *found;
}

std::pair<const std::string*, int64_t> getitem(const Text& text, const NodeView& node) {
  const auto args = node.json->find("args");
  if (args != node.json->end() && args->is_array() && args->size() == 2 && (*args)[0].is_object() &&
      (*args)[0].contains("node") && (*args)[0]["node"].is_string() &&
      (*args)[1].is_number_integer()) {
    const auto index = (*args)[1].get<int64_t>();
    if (index >= 0 && index < kMaxOutputs) {
      return {(*args)[0]["node"].get_ptr<const std::string*>(), index};
    }
  }
  text.fail_at(*node.name, "a getitem has a node and a constant index from 0");
}

void read_value(const Text& text, const NodeView& node, const Json& value, Tensor* tensor) {
  const std::string* dtype_name = value.is_object() ? text_field(value, "dtype") : nullptr;
  if (!dtype_name) text.fail_at(*node.name, "\"value\" has no dtype");
  const auto dtype = parse_dtype(*dtype_name);
  if (!dtype) text.fail_at(*node.name, "unknown dtype '" + *dtype_name + "'");
  tensor->dtype = *dtype;
  const auto shape = value.find("shape");
  if (shape == value.end() || !shape->is_array()) {
    text.fail_at(*node.name, "\"value\" has no shape");
  }
  for (const Json& size : *shape) {
    if (!size.is_number_integer()) {
      text.fail_at(*node.name, "size " + size.dump() + " is no integer",
                   "capture the program with static shapes");
    }
    tensor->shape.push_back(size.get<int64_t>());
  }
  if (!element_count_fits(tensor->shape)) {
    text.fail_at(*node.name, "impossible shape " + to_string(tensor->shape));
  }
}

void read_origin(const NodeView& node, Node* result) {
  if (const std::string* module = text_field(*node.json, "module")) result->module = *module;
  const auto backward = node.json->find("backward");
  result->backward = backward != node.json->end() && *backward == true;
  if (const std::string* source = text_field(*node.json, "source")) {
    const size_t colon = source->rfind(':');
    result->source.file = *source;
    if (colon != std::string::npos) {
      int64_t line = 0;
      const char* end = source->data() + source->size();
      const auto [stop, error] = std::from_chars(source->data() + colon + 1, end, line);
      if (error == std::errc{} && stop == end) {
        result->source.file = source->substr(0, colon);
        result->source.line = line;
      }
    }
  }
}

void check_constant(const Text& text, const NodeView& node, const Json& value, const Shape& shape,
                    size_t depth) {
  const bool leaf = depth == shape.size();
  const bool number = value.is_number() || value.is_boolean() || value.is_object();
  if (leaf ? !number : !value.is_array() || static_cast<int64_t>(value.size()) != shape[depth]) {
    text.fail_at(*node.name, "the constant does not have shape " + to_string(shape));
  }
  if (leaf) return;
  for (const Json& element : value) check_constant(text, node, element, shape, depth + 1);
}

}  // namespace assay::fx
