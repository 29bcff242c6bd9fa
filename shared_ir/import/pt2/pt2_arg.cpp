#include "shared_ir/import/pt2/pt2_arg.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "shared_ir/import/complex_parts/complex_parts.h"

namespace assay::pt2 {
namespace {

using json::Json;
using json::JsonArray;
using json::JsonObject;

// Reads one element, or gives nullopt for one of the wrong type.
using Element = std::optional<Arg> (*)(const Json&, const Context&);

std::optional<Arg> dropped(const Json&, const Context&) { return Arg{}; }

std::optional<Arg> flag(const Json& json, const Context&) {
  bool value = false;
  if (json.get(value) != simdjson::SUCCESS) return std::nullopt;
  return Arg{value};
}

std::optional<Arg> integer(const Json& json, const Context&) {
  const auto value = json::integer_of(json);
  if (!value) return std::nullopt;
  return Arg{*value};
}

// JSON has no infinities: they are texts.
std::optional<Arg> number(const Json& json, const Context&) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (const auto text = json::text_of(json)) {
    if (*text == "Infinity") return Arg{kInfinity};
    if (*text == "-Infinity") return Arg{-kInfinity};
    if (*text == "NaN") return Arg{std::numeric_limits<double>::quiet_NaN()};
    return std::nullopt;
  }
  double value = 0;
  if (!json.is_number() || json.get(value) != simdjson::SUCCESS) return std::nullopt;
  return Arg{value};
}

std::optional<Arg> text(const Json& json, const Context&) {
  const auto value = json::text_of(json);
  if (!value) return std::nullopt;
  return Arg{std::string(*value)};
}

std::optional<Arg> tensor(const Json& json, const Context& context) {
  const auto name = name_in(json);
  if (!name) return std::nullopt;
  return Arg{TensorArg{context.tensor(*name)}};
}

std::optional<Arg> optional_tensor(const Json& json, const Context& context) {
  const auto either = tagged(json);
  if (!either) return std::nullopt;
  if (either->tag == "as_none") return Arg{};
  return either->tag == "as_tensor" ? tensor(either->value, context) : std::nullopt;
}

// A number that might have been a symbol.
std::optional<Arg> not_symbol(const Json& json, const Context& context) {
  const auto either = tagged(json);
  if (!either) return std::nullopt;
  if (either->tag == "as_int") return integer(either->value, context);
  if (either->tag == "as_float") return number(either->value, context);
  if (either->tag == "as_bool") return flag(either->value, context);
  context.fail("has a symbolic argument", kStaticHint);
  return std::nullopt;
}

std::optional<Arg> scalar_type(const Json& json, const Context& context) {
  const auto value = json::integer_of(json);
  if (!value) return std::nullopt;
  const auto type = element_type(*value);
  if (!type) context.fail("has dtype number " + std::to_string(*value) + ", which is not ours", {});
  return type->is_complex ? complex_dtype_argument(type->dtype) : Arg{type->dtype};
}

// By torch's schema of exported programs; 0 is unknown.
std::optional<Arg> memory_format(const Json& json, const Context&) {
  constexpr std::array<std::string_view, 4> kNames = {
      "torch.contiguous_format", "torch.channels_last", "torch.channels_last_3d",
      "torch.preserve_format"};
  const auto value = json::integer_of(json);
  if (!value || *value < 0 || *value > static_cast<int64_t>(kNames.size())) return std::nullopt;
  return *value == 0 ? Arg{} : Arg{std::string(kNames[static_cast<size_t>(*value) - 1])};
}

struct Form {
  std::string_view tag;
  Element element;
  int lists;  // how deep in lists the elements are
};

// Where data lies (device, layout), not what it is, is dropped.
constexpr std::array<Form, 25> kForms = {{
    {"as_tensor", tensor, 0},
    {"as_tensors", tensor, 1},
    {"as_nested_tensors", tensor, 2},
    {"as_optional_tensor", optional_tensor, 0},
    {"as_optional_tensors", optional_tensor, 1},
    {"as_none", dropped, 0},
    {"as_int", integer, 0},
    {"as_ints", integer, 1},
    {"as_int_lists", integer, 2},
    {"as_float", number, 0},
    {"as_floats", number, 1},
    {"as_bool", flag, 0},
    {"as_bools", flag, 1},
    {"as_string", text, 0},
    {"as_strings", text, 1},
    {"as_sym_int", not_symbol, 0},
    {"as_sym_ints", not_symbol, 1},
    {"as_sym_float", not_symbol, 0},
    {"as_sym_floats", not_symbol, 1},
    {"as_sym_bool", not_symbol, 0},
    {"as_sym_bools", not_symbol, 1},
    {"as_scalar_type", scalar_type, 0},
    {"as_memory_format", memory_format, 0},
    {"as_layout", dropped, 0},
    {"as_device", dropped, 0},
}};

std::optional<Arg> read_lists(const Json& json, const Form& form, int lists,
                              const Context& context) {
  if (lists == 0) return form.element(json, context);
  JsonArray elements;
  if (json.get(elements) != simdjson::SUCCESS) return std::nullopt;
  ArgList list;
  for (const Json element : elements) {
    auto arg = read_lists(element, form, lists - 1, context);
    if (!arg) return std::nullopt;
    list.push_back(std::move(*arg));
  }
  return Arg{std::move(list)};
}

}  // namespace

std::optional<Tagged> tagged(const Json& json) {
  JsonObject object;
  if (json.get(object) != simdjson::SUCCESS) return std::nullopt;
  std::optional<Tagged> found;
  for (const auto [key, value] : object) {
    if (value.is_null()) continue;
    if (found) return std::nullopt;
    found = Tagged{key, value};
  }
  return found;
}

std::optional<std::string_view> name_in(const Json& json) {
  JsonObject object;
  if (json.get(object) != simdjson::SUCCESS) return std::nullopt;
  return json::find_text(object, "name");
}

std::optional<ElementType> element_type(int64_t scalar_type) {
  constexpr std::array<std::pair<int64_t, ElementType>, 15> kNumbers = {{
      {1, {DType::kUint8}},
      {2, {DType::kInt8}},
      {3, {DType::kInt16}},
      {4, {DType::kInt32}},
      {5, {DType::kInt64}},
      {6, {DType::kFloat16}},
      {7, {DType::kFloat32}},
      {8, {DType::kFloat64}},
      {10, {DType::kFloat32, true}},
      {11, {DType::kFloat64, true}},
      {12, {DType::kBool}},
      {13, {DType::kBFloat16}},
      {28, {DType::kUint16}},
      {29, {DType::kFloat8E4M3}},
      {30, {DType::kFloat8E5M2}},
  }};
  const auto* found = std::find_if(kNumbers.begin(), kNumbers.end(),
                                   [&](const auto& one) { return one.first == scalar_type; });
  if (found == kNumbers.end()) return std::nullopt;
  return found->second;
}

Arg read_arg(const Json& json, const Context& context) {
  const auto argument = tagged(json);
  if (!argument) context.fail("has an argument that is none", {});
  if (argument->tag == "as_complex")
    context.fail("has a complex number as an argument", "make it a tensor with torch.complex");
  const auto* form = std::find_if(kForms.begin(), kForms.end(),
                                  [&](const Form& one) { return one.tag == argument->tag; });
  if (form == kForms.end()) {
    context.fail(
        "has an argument of kind '" + std::string(argument->tag) + "', which is not supported",
        "call run_decompositions() on the exported program before you save it");
  }
  auto arg = read_lists(argument->value, *form, form->lists, context);
  if (!arg)
    context.fail("has an argument '" + std::string(argument->tag) + "' of another type", {});
  return std::move(*arg);
}

}  // namespace assay::pt2
