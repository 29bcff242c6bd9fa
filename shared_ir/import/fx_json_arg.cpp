#include "shared_ir/import/fx_json_arg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace assay::fx {
namespace {

constexpr int kMaxDepth = 64;

// Where data lies, not what it is: dropped.
bool is_placement(std::string_view text) {
  constexpr std::array<std::string_view, 5> kNames = {
      "torch.strided", "torch.contiguous_format", "torch.preserve_format", "torch.channels_last",
      "torch.channels_last_3d"};
  return text.starts_with("device(") ||
         std::find(kNames.begin(), kNames.end(), text) != kNames.end();
}

Arg read_const(const std::string& text, const ArgContext& context) {
  if (is_placement(text)) return {NoArg{}};
  if (const auto dtype = parse_dtype(text)) return {*dtype};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "inf") return {kInfinity};
  if (text == "-inf") return {-kInfinity};
  if (text == "nan") return {std::numeric_limits<double>::quiet_NaN()};
  context.text.fail_at(context.node, "unknown constant '" + text + "'",
                       "a constant is a dtype, a device, a layout, a memory format, inf or nan");
}

Arg read_sym(const Json& sym, const ArgContext& context) {
  if (sym.is_number_integer()) return {sym.get<int64_t>()};
  context.text.fail_at(context.node, "symbolic size " + sym.dump() + " is not supported",
                       "capture the program with static shapes");
}

Arg read(const Json& json, const ArgContext& context, int depth);

Arg read_object(const Json& json, const ArgContext& context) {
  if (json.size() == 1) {
    const std::string& key = json.begin().key();
    const Json& value = json.begin().value();
    if (key == "node" && value.is_string()) {
      return {TensorArg{context.tensor(value.get_ref<const std::string&>())}};
    }
    if (key == "const" && value.is_string()) {
      return read_const(value.get_ref<const std::string&>(), context);
    }
    if (key == "sym") return read_sym(value, context);
  }
  context.text.fail_at(context.node, "unknown argument " + json.dump().substr(0, 200));
}

Arg read(const Json& json, const ArgContext& context, int depth) {
  if (depth > kMaxDepth) context.text.fail_at(context.node, "an argument is nested too deeply");
  switch (json.type()) {
    case Json::value_t::null:
      return {NoArg{}};
    case Json::value_t::boolean:
      return {json.get<bool>()};
    case Json::value_t::number_integer:
      return {json.get<int64_t>()};
    case Json::value_t::number_unsigned:
      if (json.get<uint64_t>() > uint64_t{INT64_MAX}) {
        context.text.fail_at(context.node, "integer " + json.dump() + " does not fit 64 bits");
      }
      return {json.get<int64_t>()};
    case Json::value_t::number_float:
      return {json.get<double>()};
    case Json::value_t::string: {
      const auto& text = json.get_ref<const std::string&>();
      if (is_placement(text)) return {NoArg{}};
      return {text};
    }
    case Json::value_t::array: {
      ArgList list;
      list.reserve(json.size());
      for (const Json& element : json) list.push_back(read(element, context, depth + 1));
      return {std::move(list)};
    }
    case Json::value_t::object:
      return read_object(json, context);
    default:
      context.text.fail_at(context.node, "unknown argument");
  }
}

Json write_double(double value) {
  if (std::isnan(value)) return {{"const", "nan"}};
  if (std::isinf(value)) return {{"const", value < 0 ? "-inf" : "inf"}};
  return value;
}

}  // namespace

Arg read_arg(const Json& json, const ArgContext& context) { return read(json, context, 0); }

Json write_arg(const Arg& arg, const std::function<std::string(TensorId)>& name_of) {
  const auto visit = [&](const auto& value) -> Json {
    using T = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<T, NoArg>) {
      return nullptr;
    } else if constexpr (std::is_same_v<T, TensorArg>) {
      return {{"node", name_of(value.id)}};
    } else if constexpr (std::is_same_v<T, double>) {
      return write_double(value);
    } else if constexpr (std::is_same_v<T, DType>) {
      return {{"const", std::string(to_string(value))}};
    } else if constexpr (std::is_same_v<T, ArgList>) {
      Json list = Json::array();
      for (const Arg& element : value) list.push_back(write_arg(element, name_of));
      return list;
    } else {
      return value;
    }
  };
  return std::visit(visit, arg.value);
}

}  // namespace assay::fx
