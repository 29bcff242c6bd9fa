// Nodes in two passes: the first finds which outputs of each node getitems take, the second builds
// the graph in order.
#include <charconv>
#include <fstream>
#include <unordered_map>
#include <unordered_set>

#include "shared_ir/import/fx_json.h"
#include "shared_ir/import/fx_json_arg.h"
#include "shared_ir/import/fx_json_text.h"

namespace assay {
namespace fx {
namespace {

constexpr std::string_view kGetitem = "<built-in function getitem>";
constexpr std::string_view kLift = "aten.lift_fresh_copy.default";
constexpr std::string_view kFunctionalized = "auto_functionalized";
constexpr std::string_view kFunctionalizedV2 = "auto_functionalized_v2";
constexpr int64_t kMaxOutputs = 100'000;

struct NodeView {
  const Json* json;
  const std::string* op;
  const std::string* name;
  const std::string* target;
};

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text, file) { graph_.name = file; }

  Graph run() {
    const Json root = text_.parse();
    read_header(root);
    for (const Json& node : root["nodes"]) views_.push_back(view(node));
    collect_parts();
    for (const NodeView& node : views_) read_node(node);
    if (!has_output_) text_.fail("the graph has no node of op 'output'", "is the file complete?");
    if (root.contains("names")) read_names(root["names"]);
    validate(graph_);
    return std::move(graph_);
  }

 private:
  void read_header(const Json& root) const {
    if (!root.is_object()) text_.fail("an fx-JSON file holds one object");
    if (!root.contains("format") || root["format"] != "fx-json") {
      text_.fail("\"format\" is not \"fx-json\"");
    }
    if (!root.contains("version") || root["version"] != 1) {
      text_.fail("\"version\" is not 1", "this Assay reads version 1 of fx-JSON");
    }
    if (!root.contains("nodes") || !root["nodes"].is_array()) {
      text_.fail("\"nodes\" is not a list");
    }
    for (const auto& [key, value] : root.items()) {
      if (key != "format" && key != "version" && key != "rank" && key != "nodes" &&
          key != "names") {
        text_.fail("unknown key \"" + key + "\"");
      }
    }
  }

  const std::string* text_field(const Json& node, const char* key) const {
    const auto found = node.find(key);
    if (found == node.end() || !found->is_string()) return nullptr;
    return found->get_ptr<const std::string*>();
  }

  NodeView view(const Json& node) const {
    const auto position = [&] { return "node number " + std::to_string(views_.size()); };
    if (!node.is_object()) text_.fail(position() + " is no object");
    NodeView result{&node, text_field(node, "op"), text_field(node, "name"),
                    text_field(node, "target")};
    if (!result.name) text_.fail(position() + " has no \"name\"");
    if (!result.op) text_.fail_at(*result.name, "has no \"op\"");
    if (!result.target) text_.fail_at(*result.name, "has no \"target\"");
    for (const auto& [key, value] : node.items()) {
      if (key != "op" && key != "name" && key != "target" && key != "args" && key != "kwargs" &&
          key != "value" && key != "module" && key != "source" && key != "constant" &&
          key != "backward") {
        text_.fail_at(*result.name, "unknown key \"" + key + "\"");
      }
    }
    return result;
  }

  // Producer and output of a getitem.
  std::pair<const std::string*, int64_t> getitem(const NodeView& node) const {
    const auto args = node.json->find("args");
    if (args != node.json->end() && args->is_array() && args->size() == 2 &&
        (*args)[0].is_object() && (*args)[0].contains("node") && (*args)[0]["node"].is_string() &&
        (*args)[1].is_number_integer()) {
      const auto index = (*args)[1].get<int64_t>();
      if (index >= 0 && index < kMaxOutputs) {
        return {(*args)[0]["node"].get_ptr<const std::string*>(), index};
      }
    }
    text_.fail_at(*node.name, "a getitem has a node and a constant index from 0");
  }

  void collect_parts() {
    for (const NodeView& node : views_) {
      if (*node.target == kGetitem) {
        const auto [producer, index] = getitem(node);
        int64_t& count = parts_[*producer];
        count = std::max(count, index + 1);
      } else if (*node.target == kLift) {
        const Json& lifted = *node.json;
        if (lifted.contains("args") && lifted["args"].size() == 1 &&
            lifted["args"][0].is_object() && lifted["args"][0].contains("node") &&
            lifted["args"][0]["node"].is_string() && lifted.contains("value")) {
          lifts_.try_emplace(lifted["args"][0]["node"].get_ref<const std::string&>(),
                             &lifted["value"]);
        }
      }
    }
  }

  void read_node(const NodeView& node) {
    if (has_output_) text_.fail_at(*node.name, "comes after the output");
    if (!seen_.insert(*node.name).second) {
      throw UserError(text_.node_place(*node.name, 1),
                      "node '" + *node.name + "': another node has this name");
    }
    if (*node.op == "placeholder") {
      graph_.inputs.push_back(add_tensor(node, value_of(node), kNone, 0));
    } else if (*node.op == "get_attr") {
      read_constant(node);
    } else if (*node.op == "output") {
      read_output(node);
    } else if (*node.op == "call_function") {
      if (*node.target == kGetitem) {
        read_getitem(node);
      } else {
        read_call(node);
      }
    } else {
      text_.fail_at(*node.name, "unknown op '" + *node.op + "'",
                    "ops are placeholder, get_attr, call_function and output");
    }
  }

  // nullptr where the capture recorded none (tuples, void operators).
  const Json* value_of(const NodeView& node) const {
    const auto value = node.json->find("value");
    return value == node.json->end() || value->is_null() ? nullptr : &*value;
  }

  TensorId add_tensor(const NodeView& node, const Json* value, NodeId producer, int32_t output) {
    if (!value) text_.fail_at(*node.name, "has no \"value\" (dtype and shape)");
    const auto id = static_cast<TensorId>(graph_.tensors.size());
    Tensor& tensor = graph_.tensors.emplace_back();
    tensor.name = *node.name;
    tensor.producer = producer;
    tensor.output = output;
    read_value(node, *value, &tensor);
    graph_.by_name.emplace(*node.name, id);
    return id;
  }

  void read_value(const NodeView& node, const Json& value, Tensor* tensor) const {
    const std::string* dtype_name = value.is_object() ? text_field(value, "dtype") : nullptr;
    if (!dtype_name) text_.fail_at(*node.name, "\"value\" has no dtype");
    const auto dtype = parse_dtype(*dtype_name);
    if (!dtype) text_.fail_at(*node.name, "unknown dtype '" + *dtype_name + "'");
    tensor->dtype = *dtype;
    const auto shape = value.find("shape");
    if (shape == value.end() || !shape->is_array()) {
      text_.fail_at(*node.name, "\"value\" has no shape");
    }
    for (const Json& size : *shape) {
      if (!size.is_number_integer()) {
        text_.fail_at(*node.name, "size " + size.dump() + " is no integer",
                      "capture the program with static shapes");
      }
      tensor->shape.push_back(size.get<int64_t>());
    }
    if (!element_count_fits(tensor->shape)) {
      text_.fail_at(*node.name, "impossible shape " + to_string(tensor->shape));
    }
  }

  ArgContext context(const NodeView& node) {
    return {text_, *node.name,
            [this, &node](const std::string& name) { return resolve(node, name); }};
  }

  TensorId resolve(const NodeView& node, const std::string& name) const {
    const TensorId id = graph_.find(name);
    if (id == kNone) fail_unresolved(node, name);
    return id;
  }

  [[noreturn]] void fail_unresolved(const NodeView& node, const std::string& name) const {
    for (const NodeView& other : views_) {
      if (*other.name != name) continue;
      if (seen_.contains(name)) {
        text_.fail_at(*node.name, "uses '" + name + "', which is no tensor",
                      "a tuple is used through getitem nodes");
      }
      text_.fail_at(*node.name,
                    "uses '" + name + "', which is made only later (line " +
                        std::to_string(text_.node_place(name).line) + ")",
                    "the graph is cyclic, or its nodes are not in execution order");
    }
    text_.fail_at(*node.name, "uses '" + name + "', which does not exist");
  }

  Node& add_node(const NodeView& node, const std::string& op) {
    Node& result = graph_.nodes.emplace_back();
    result.op = op;
    if (const std::string* module = text_field(*node.json, "module")) result.module = *module;
    const auto backward = node.json->find("backward");
    result.backward = backward != node.json->end() && *backward == true;
    if (const std::string* source = text_field(*node.json, "source")) {
      const size_t colon = source->rfind(':');
      result.source.file = *source;
      if (colon != std::string::npos) {
        int64_t line = 0;
        const char* end = source->data() + source->size();
        const auto [stop, error] = std::from_chars(source->data() + colon + 1, end, line);
        if (error == std::errc{} && stop == end) {
          result.source.file = source->substr(0, colon);
          result.source.line = line;
        }
      }
    }
    return result;
  }

  const Json& field(const NodeView& node, const char* key, bool array) const {
    const auto found = node.json->find(key);
    if (found == node.json->end() || (array ? !found->is_array() : !found->is_object())) {
      text_.fail_at(*node.name, "\"" + std::string(key) + "\" is missing or of the wrong type");
    }
    return *found;
  }

  void read_constant(const NodeView& node) {
    const auto constant = node.json->find("constant");
    if (constant == node.json->end() || constant->is_null()) {
      text_.fail_at(*node.name, "the capture lost the value of this attribute",
                    "make parameters and buffers inputs of the captured program");
    }
    Arg value = read_arg(*constant, context(node));
    add_node(node, std::string(kConstantOp)).args.push_back(std::move(value));
    const Json* type = value_of(node);
    if (!type) {
      const auto lift = lifts_.find(*node.name);
      if (lift == lifts_.end()) {
        text_.fail_at(*node.name, "has no \"value\" (dtype and shape)");
      }
      type = lift->second;
    }
    const auto id = static_cast<NodeId>(graph_.nodes.size() - 1);
    graph_.nodes.back().outputs = {add_tensor(node, type, id, 0)};
    check_constant(node, *constant, graph_.tensors.back().shape, 0);
  }

  // The nesting of the lists is the shape.
  void check_constant(const NodeView& node, const Json& value, const Shape& shape,
                      size_t depth) const {
    const bool leaf = depth == shape.size();
    const bool number = value.is_number() || value.is_boolean() || value.is_object();
    if (leaf ? !number : !value.is_array() || static_cast<int64_t>(value.size()) != shape[depth]) {
      text_.fail_at(*node.name, "the constant does not have shape " + to_string(shape));
    }
    if (leaf) return;
    for (const Json& element : value) check_constant(node, element, shape, depth + 1);
  }

  void read_output(const NodeView& node) {
    has_output_ = true;
    const Arg results = read_arg(field(node, "args", true), context(node));
    add_outputs(node, results);
  }

  void add_outputs(const NodeView& node, const Arg& arg) {
    if (const auto* tensor = std::get_if<TensorArg>(&arg.value)) {
      graph_.outputs.push_back(tensor->id);
    } else if (const auto* list = std::get_if<ArgList>(&arg.value)) {
      for (const Arg& element : *list) add_outputs(node, element);
    } else if (!arg.is_none()) {
      text_.fail_at(*node.name, "an output of the graph is neither a tensor nor None");
    }
  }

  void read_getitem(const NodeView& node) {
    const auto [producer, index] = getitem(node);
    const auto found = producers_.find(*producer);
    if (found == producers_.end()) {
      if (graph_.find(*producer) != kNone) {
        text_.fail_at(*node.name, "getitem of '" + *producer + "', which is a tensor, no tuple");
      }
      fail_unresolved(node, *producer);
    }
    TensorId& slot =
        graph_.nodes[static_cast<size_t>(found->second)].outputs[static_cast<size_t>(index)];
    if (slot == kNone) {
      slot = add_tensor(node, value_of(node), found->second, static_cast<int32_t>(index));
      return;
    }
    Tensor again;
    if (!value_of(node)) text_.fail_at(*node.name, "has no \"value\" (dtype and shape)");
    read_value(node, *value_of(node), &again);
    const Tensor& first = graph_.tensors[static_cast<size_t>(slot)];
    if (again.dtype != first.dtype || again.shape != first.shape) {
      text_.fail_at(*node.name,
                    "differs in dtype or shape from '" + first.name + "', the same output");
    }
    graph_.by_name.emplace(*node.name, slot);
  }

  void read_call(const NodeView& node) {
    const Json& args = field(node, "args", true);
    const Json& kwargs = field(node, "kwargs", false);
    const bool v1 = *node.target == kFunctionalized;
    const bool v2 = *node.target == kFunctionalizedV2;
    const bool wrapped = v1 || v2;
    if (wrapped && (args.size() != 1 || !args[0].is_string())) {
      text_.fail_at(*node.name, "does not name the operator that it wraps");
    }
    const ArgContext here = context(node);
    Node& call = add_node(node, wrapped ? args[0].get_ref<const std::string&>() : *node.target);
    if (!wrapped) {
      for (const Json& arg : args) call.args.push_back(read_arg(arg, here));
    }
    if (v2) {
      read_bases(node, kwargs, here, &call);
    } else {
      for (const auto& [key, arg] : kwargs.items()) {
        call.kwargs.emplace_back(key, read_arg(arg, here));
      }
    }
    add_results(node);
  }

  // auto_functionalized_v2: the mutated argument X is _all_bases[_X_base_index], and getitem 1 + i
  // is the new value of base i.
  void read_bases(const NodeView& node, const Json& kwargs, const ArgContext& here, Node* call) {
    constexpr std::string_view kSuffix = "_base_index";
    const auto bases = kwargs.find("_all_bases");
    if (bases == kwargs.end() || !bases->is_array()) {
      text_.fail_at(*node.name, "has no _all_bases");
    }
    size_t next = 0;
    for (const auto& [key, arg] : kwargs.items()) {
      if (key == "_all_bases") continue;
      if (key.starts_with("_") && key.ends_with(kSuffix)) {
        const std::string mutated = key.substr(1, key.size() - 1 - kSuffix.size());
        if (arg != next || next >= bases->size()) {
          text_.fail_at(
              *node.name,
              "argument '" + mutated + "' does not mutate base number " + std::to_string(next),
              "arguments that share a base, or lack one, are not supported");
        }
        call->kwargs.emplace_back(mutated, read_arg((*bases)[next], here));
        ++next;
      } else if (key.starts_with("_")) {
        text_.fail_at(*node.name, "mutates a view of a base (" + key + "), which is not supported");
      } else {
        call->kwargs.emplace_back(key, read_arg(arg, here));
      }
    }
    if (next != bases->size()) text_.fail_at(*node.name, "a base belongs to no argument");
  }

  void add_results(const NodeView& node) {
    const auto id = static_cast<NodeId>(graph_.nodes.size() - 1);
    const auto parts = parts_.find(*node.name);
    if (parts != parts_.end()) {
      if (value_of(node)) text_.fail_at(*node.name, "is a tensor, but a getitem takes it apart");
      graph_.nodes.back().outputs.assign(static_cast<size_t>(parts->second), kNone);
      producers_.emplace(*node.name, id);
    } else if (value_of(node)) {
      graph_.nodes.back().outputs = {add_tensor(node, value_of(node), id, 0)};
    }
  }

  void read_names(const Json& names) {
    if (!names.is_object()) text_.fail("\"names\" is no object");
    for (const auto& [alias, tensor] : names.items()) {
      const TensorId id =
          tensor.is_string() ? graph_.find(tensor.get_ref<const std::string&>()) : kNone;
      if (id == kNone) text_.fail("\"names\": '" + alias + "' names no tensor");
      if (!graph_.by_name.emplace(alias, id).second) {
        text_.fail("\"names\": '" + alias + "' is already the name of a tensor");
      }
    }
  }

  Text text_;
  Graph graph_;
  std::vector<NodeView> views_;
  std::unordered_map<std::string_view, int64_t> parts_;      // tuple -> number of outputs
  std::unordered_map<std::string_view, const Json*> lifts_;  // constant -> "value" of its copy
  std::unordered_map<std::string_view, NodeId> producers_;   // tuple -> node
  std::unordered_set<std::string_view> seen_;
  bool has_output_ = false;
};

}  // namespace
}  // namespace fx

Graph parse_fx_json(std::string_view text, const std::string& name) {
  return fx::Reader(text, name).run();
}

Graph import_fx_json(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw UserError({file.string()}, "cannot read this file");
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  return parse_fx_json(text, file.string());
}

}  // namespace assay
