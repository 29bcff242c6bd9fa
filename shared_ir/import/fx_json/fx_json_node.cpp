#include "shared_ir/import/fx_json/fx_json_node.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>

#include "shared_ir/import/complex_parts/complex_parts.h"
#include "shared_ir/import/unbacked/unbacked.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::fx {
namespace {

constexpr Int kMaxOutput = 100'000;

bool has_symbol(const SymbolExpr& expr) {
  return expr.kind == SymbolExpr::Kind::kSymbol || std::ranges::any_of(expr.operands, has_symbol);
}

[[noreturn]] void fail_field(const Text& text, const NodeView& node, const char* key) {
  text.fail_at(node.name, "\"" + std::string(key) + "\" is missing or of the wrong type");
}

}  // namespace

bool is_getitem(std::string_view target) {
  constexpr std::string_view kNames[] = {"<built-in function getitem>", "_operator.getitem",
                                         "operator.getitem", "getitem"};
  return std::ranges::find(kNames, target) != std::end(kNames);
}

JsonObject read_header(const Text& text, const Json& root) {
  JsonObject object;
  if (root.get(object) != simdjson::SUCCESS) text.fail("an fx-JSON file holds one object");
  if (find_text(object, "format") != "fx-json") text.fail("\"format\" is not \"fx-json\"");
  const auto version = find(object, "version");
  if (!version || integer_of(*version) != 1) {
    text.fail("\"version\" is not 1", "this Assay reads version 1 of fx-JSON");
  }
  if (!find_array(object, "nodes")) text.fail("\"nodes\" is not a list");
  for (const auto [key, value] : object) {
    if (key != "format" && key != "version" && key != "rank" && key != "nodes" && key != "names" &&
        key != "functional") {
      text.fail("unknown key \"" + std::string(key) + "\"");
    }
  }
  return object;
}

bool is_functional(const Text& text, const JsonObject& header) {
  const auto value = find(header, "functional");
  bool functional = false;
  if (value && value->get(functional) != simdjson::SUCCESS)
    text.fail("\"functional\" is neither true nor false");
  return functional;
}

NodeView view_node(const Text& text, const Json& node, size_t number) {
  const auto position = [&] { return "node number " + std::to_string(number); };
  NodeView result;
  if (node.get(result.json) != simdjson::SUCCESS) text.fail(position() + " is no object");
  const auto name = find_text(result.json, "name");
  if (!name) text.fail(position() + " has no \"name\"");
  result.name = *name;
  const auto op = find_text(result.json, "op");
  if (!op) text.fail_at(result.name, "has no \"op\"");
  result.op = *op;
  const auto target = find_text(result.json, "target");
  if (!target) text.fail_at(result.name, "has no \"target\"");
  result.target = *target;
  for (const auto [key, value] : result.json) {
    if (key != "op" && key != "name" && key != "target" && key != "args" && key != "kwargs" &&
        key != "value" && key != "module" && key != "source" && key != "constant" &&
        key != "backward" && key != "work" && key != "awaits") {
      text.fail_at(result.name, "unknown key \"" + std::string(key) + "\"");
    }
  }
  return result;
}

void read_work(const Text& text, const NodeView& node, Node* result) {
  const auto number = [&](const Json& value) {
    const PlainInt work = integer_of(value).value_or(-1);
    if (work < 0 || work > std::numeric_limits<int32_t>::max())
      text.fail_at(node.name, "numbers of work are integers from 0");
    return static_cast<int32_t>(work);
  };
  if (const auto work = find(node.json, "work")) result->work = number(*work);
  const auto awaits = find(node.json, "awaits");
  if (!awaits) return;
  JsonArray works;
  if (awaits->get(works) != simdjson::SUCCESS) text.fail_at(node.name, "\"awaits\" is no list");
  for (const Json work : works) result->awaits.push_back(number(work));
}

std::optional<Json> value_of(const NodeView& node) {
  const auto value = find(node.json, "value");
  return value && value->is_null() ? std::nullopt : value;
}

JsonArray arguments(const Text& text, const NodeView& node) {
  const auto array = find_array(node.json, "args");
  if (!array) fail_field(text, node, "args");
  return *array;
}

JsonObject keyword_arguments(const Text& text, const NodeView& node) {
  const auto object = find_object(node.json, "kwargs");
  if (!object) fail_field(text, node, "kwargs");
  return *object;
}

std::pair<std::string_view, Int> getitem(const Text& text, const NodeView& node) {
  const auto args = find_array(node.json, "args");
  JsonObject producer;
  PlainInt index = -1;
  if (args && args->size() == 2 && args->at(0).get(producer) == simdjson::SUCCESS &&
      args->at(1).get(index) == simdjson::SUCCESS && index >= 0 && index < kMaxOutput) {
    if (const auto name = find_text(producer, "node")) return {*name, index};
  }
  text.fail_at(node.name, "a getitem has a node and a constant index from 0");
}

Int read_size(const Text& text, std::string_view node, const Json& size,
              const SymbolValues& symbols) {
  if (const auto integer = integer_of(size)) return *integer;
  const auto expression = text_of(size);
  if (!expression)
    text.fail_at(node, "size " + simdjson::minify(size) + " is neither an integer nor a text");
  try {
    return evaluate_size(*expression, symbols, {});
  } catch (const UserError& error) {
    text.fail_at(node, "size " + simdjson::minify(size) + ": " + error.message(), error.hint());
  }
}

std::optional<SymbolExpr> unbacked_size(const Json& size, const SymbolValues& symbols) {
  JsonObject object;
  if (size.get(object) == simdjson::SUCCESS) {
    const auto inner = find(object, "sym");
    return inner && object.size() == 1 && !inner->is_object() ? unbacked_size(*inner, symbols)
                                                              : std::nullopt;
  }
  const auto text = text_of(size);
  if (!text || !symbols.empty()) return std::nullopt;
  try {
    SymbolExpr expr = parse_size(*text, {});
    if (has_symbol(expr)) return expr;
  } catch (const UserError&) {
    return SymbolExpr{SymbolExpr::Kind::kSymbol, 0, std::string(*text), {}};
  }
  return std::nullopt;
}

std::optional<Json> symbolic_integer(const NodeView& node) {
  const auto value = value_of(node);
  JsonObject object;
  if (!value || value->get(object) != simdjson::SUCCESS) return std::nullopt;
  return find(object, "sym");
}

bool read_value(const Text& text, const NodeView& node, const Json& value,
                const SymbolValues& symbols, Tensor* tensor, std::vector<SymbolExpr>* unbacked) {
  JsonObject object;
  const bool is_object = value.get(object) == simdjson::SUCCESS;
  const auto dtype_name = is_object ? find_text(object, "dtype") : std::nullopt;
  if (!dtype_name && is_object && find(object, "sym")) {
    text.fail_at(node.name, "stands for a size, and the case has no symbols",
                 "say in [symbols] of case.toml which values its symbols have");
  }
  if (!dtype_name) text.fail_at(node.name, "\"value\" has no dtype");
  const auto parts = parse_complex_dtype(*dtype_name);
  const auto dtype = parts ? parts : parse_dtype(*dtype_name);
  if (!dtype) text.fail_at(node.name, "unknown dtype '" + std::string(*dtype_name) + "'");
  tensor->dtype = *dtype;
  const auto shape = find_array(object, "shape");
  if (!shape) text.fail_at(node.name, "\"value\" has no shape");
  bool any = false;
  for (const Json size : *shape) {
    auto depends = unbacked == nullptr ? std::nullopt : unbacked_size(size, symbols);
    any = any || depends.has_value();
    tensor->shape.push_back(depends ? Int(kUnknownSize)
                                    : read_size(text, node.name, size, symbols));
    if (unbacked == nullptr) continue;
    if (!depends) depends = SymbolExpr{};
    unbacked->push_back(std::move(*depends));
  }
  if (any && parts)
    text.fail_at(node.name, "is a complex tensor whose size depends on values",
                 "take the parts with torch.view_as_real before it");
  if (any) return false;
  if (unbacked != nullptr) unbacked->clear();
  const auto strides = find_array(object, "stride");
  if (strides && strides->size() == tensor->shape.size()) {
    tensor->strides.emplace();
    for (const Json stride : *strides)
      tensor->strides->push_back(read_size(text, node.name, stride, symbols));
  }
  if (parts) make_parts(*tensor);
  if (!element_count_fits(tensor->shape)) {
    text.fail_at(node.name, "impossible shape " + to_string(tensor->shape));
  }
  return parts.has_value();
}

void read_origin(const NodeView& node, Node* result) {
  if (const auto module = find_text(node.json, "module")) result->module = *module;
  bool backward = false;
  result->backward = node.json.at_key("backward").get(backward) == simdjson::SUCCESS && backward;
  if (const auto source = find_text(node.json, "source")) {
    const size_t colon = source->rfind(':');
    result->source.file = *source;
    if (colon != std::string_view::npos) {
      PlainInt line = 0;
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
  const bool number = value.is_number() || value.is_bool() || value.is_object();
  JsonArray elements;
  const bool list = value.get(elements) == simdjson::SUCCESS;
  if (leaf ? !number : !list || static_cast<Int>(elements.size()) != shape[depth]) {
    text.fail_at(node.name, "the constant does not have shape " + to_string(shape));
  }
  if (leaf) return;
  for (const Json element : elements) check_constant(text, node, element, shape, depth + 1);
}

}  // namespace assay::fx
