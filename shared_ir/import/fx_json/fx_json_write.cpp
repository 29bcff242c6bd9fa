#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "shared_ir/import/fx_json/fx_json.h"

namespace assay {
namespace fx {
namespace {

using Json = nlohmann::ordered_json;  // keyword arguments keep their order

Json write_double(double value) {
  if (std::isnan(value)) return {{"const", "nan"}};
  if (std::isinf(value)) return {{"const", value < 0 ? "-inf" : "inf"}};
  return value;
}

// `name_of` gives the name of a tensor.
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

class Writer {
 public:
  explicit Writer(const Graph& graph) : graph_(graph) {}

  std::string run(Rank rank) {
    for (TensorId id : graph_.inputs) placeholder(id);
    for (const Node& node : graph_.nodes) call(node);
    output();
    // One node a line, as captures have it, so that errors and diffs name lines.
    std::string text =
        "{\"format\": \"fx-json\", \"version\": 1, \"rank\": " + std::to_string(rank) +
        (graph_.functional ? ", \"functional\": true" : "") + ", \"nodes\": [\n";
    for (size_t i = 0; i < lines_.size(); ++i) {
      text += lines_[i] + (i + 1 < lines_.size() ? ",\n" : "\n");
    }
    text += "]" + names() + "}\n";
    return text;
  }

 private:
  const Tensor& tensor(TensorId id) const { return graph_.tensors[static_cast<size_t>(id)]; }

  Json value(TensorId id) const {
    Json json = {{"dtype", std::string(to_string(tensor(id).dtype))}, {"shape", tensor(id).shape}};
    if (const auto& strides = tensor(id).strides) json["stride"] = *strides;
    return json;
  }

  Json arg(const Arg& value) const {
    return write_arg(value, [this](TensorId id) { return tensor(id).name; });
  }

  static Json line(const char* op, const std::string& name, const std::string& target, Json args) {
    return {{"op", op},
            {"name", name},
            {"target", target},
            {"args", std::move(args)},
            {"kwargs", Json::object()}};
  }

  void emit(const Json& json) { lines_.push_back(json.dump()); }

  // A name for a node that is no tensor.
  std::string fresh(const char* prefix) {
    std::string name;
    do {
      name = prefix + std::to_string(++fresh_);
    } while (graph_.by_name.contains(name));
    return name;
  }

  void placeholder(TensorId id) {
    Json json = line("placeholder", tensor(id).name, tensor(id).name, Json::array());
    json["value"] = value(id);
    emit(json);
  }

  static void add_origin(const Node& node, Json* json) {
    if (!node.module.empty()) (*json)["module"] = node.module;
    if (node.source.known()) {
      SourcePlace place = node.source;
      place.column = 0;
      (*json)["source"] = to_string(place);
    }
    if (node.backward) (*json)["backward"] = true;
  }

  void call(const Node& node) {
    const bool tensor_result = node.outputs.size() == 1 && node.outputs[0] != kNone;
    const std::string name = tensor_result          ? tensor(node.outputs[0]).name
                             : node.outputs.empty() ? fresh("void_")
                                                    : fresh("tuple_");
    Json json;
    if (node.op == kConstantOp) {
      json = line("get_attr", name, name, Json::array());
      json["constant"] = arg(node.args.at(0));
    } else {
      Json args = Json::array();
      for (const Arg& element : node.args) args.push_back(arg(element));
      json = line("call_function", name, node.op, std::move(args));
      if (node.functional) {
        ASSAY_CHECK(node.args.empty(), "auto_functionalized names every argument");
        json["target"] = "auto_functionalized";
        json["args"] = {node.op};
      }
      for (const auto& [key, element] : node.kwargs) json["kwargs"][key] = arg(element);
    }
    if (tensor_result) json["value"] = value(node.outputs[0]);
    add_origin(node, &json);
    if (node.work != kNone) json["work"] = node.work;
    if (!node.awaits.empty()) json["awaits"] = node.awaits;
    emit(json);
    if (tensor_result) return;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] != kNone) getitem(name, i, node.outputs[i]);
    }
  }

  void getitem(const std::string& tuple, size_t index, TensorId id) {
    Json json = line("call_function", tensor(id).name, "<built-in function getitem>",
                     {Json{{"node", tuple}}, index});
    json["value"] = value(id);
    emit(json);
  }

  void output() {
    Json results = Json::array();
    for (TensorId id : graph_.outputs) results.push_back({{"node", tensor(id).name}});
    emit(line("output", fresh("output_"), "output", Json::array({results})));
  }

  std::string names() const {
    std::map<std::string, std::string> aliases;
    for (const auto& [alias, id] : graph_.by_name) {
      if (alias != tensor(id).name) aliases.emplace(alias, tensor(id).name);
    }
    return aliases.empty() ? "" : ", \"names\": " + Json(aliases).dump();
  }

  const Graph& graph_;
  std::vector<std::string> lines_;
  int fresh_ = 0;
};

}  // namespace
}  // namespace fx

std::string to_fx_json(const Graph& graph, Rank rank) { return fx::Writer(graph).run(rank); }

}  // namespace assay
