// Nodes in two passes: the first finds which outputs of each node getitems take, the second builds
// the graph in order.
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "shared_ir/import/complex_parts/complex_parts.h"
#include "shared_ir/import/fx_json/fx_json.h"
#include "shared_ir/import/fx_json/fx_json_arg.h"
#include "shared_ir/import/fx_json/fx_json_node.h"
#include "shared_ir/import/fx_json/fx_json_unbacked.h"
#include "shared_ir/import/json_text.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {
namespace fx {
namespace {

constexpr std::string_view kLift = "aten.lift_fresh_copy.default";
constexpr std::string_view kFunctionalized = "auto_functionalized";
constexpr std::string_view kFunctionalizedV2 = "auto_functionalized_v2";

class Reader {
 public:
  // `text`: see Text.
  Reader(std::string_view text, const std::string& file, const SymbolValues& symbols)
      : text_(text, file), symbols_(symbols) {
    graph_.name = file;
  }

  Graph run() {
    const JsonObject root = read_header(text_, text_.parse(parser_));
    graph_.functional = is_functional(text_, root);
    const std::optional<JsonArray> nodes = find_array(root, "nodes");
    views_.reserve(nodes->size());
    for (const Json node : *nodes) views_.push_back(view_node(text_, node, views_.size()));
    collect_parts();
    for (const NodeView& node : views_) read_node(node);
    if (!has_output_) text_.fail("the graph has no node of op 'output'", "is the file complete?");
    if (const auto names = find(root, "names")) read_names(*names);
    rewrite_complex(graph_, complex_,
                    [this](const std::string& node) { return text_.node_place(node); });
    UnbackedGraph& read = sizes_.graph;
    read.graph = std::move(graph_);
    const bool pad = symbols_.empty() && read.is_needed();
    Graph result = pad ? padded(std::move(read)) : std::move(read.graph);
    validate(result);
    return result;
  }

 private:
  void collect_parts() {
    // Of all nodes together: one getitem stands for every output before its own.
    constexpr Int kMaxOutputs = 1'000'000;
    Int outputs = 0;
    for (const NodeView& node : views_) {
      if (is_getitem(node.target)) {
        const auto [producer, index] = getitem(text_, node);
        Int& count = parts_[producer];
        const Int more = std::max<Int>(index + 1 - count, 0);
        count += more;
        outputs += more;
        if (outputs > kMaxOutputs) text_.fail_at(node.name, "the getitems count too many outputs");
      } else if (node.target == kLift) {
        const auto args = find_array(node.json, "args");
        JsonObject lifted;
        if (!args || args->size() != 1 || args->at(0).get(lifted) != simdjson::SUCCESS) continue;
        const auto name = find_text(lifted, "node");
        const auto value = find(node.json, "value");
        if (name && value) lifts_.try_emplace(*name, *value);
      }
    }
  }

  void read_node(const NodeView& node) {
    if (has_output_) text_.fail_at(node.name, "comes after the output");
    if (!seen_.insert(node.name).second) {
      throw UserError(text_.node_place(node.name, 1),
                      "node '" + std::string(node.name) + "': another node has this name");
    }
    if (const auto integer = symbols_.empty() ? std::nullopt : symbolic_integer(node)) {
      integers_.emplace(node.name, read_size(text_, node.name, *integer, symbols_));
    } else if (symbols_.empty() && node.op == "call_function" && read_unbacked(node)) {
    } else if (node.op == "placeholder") {
      graph_.inputs.push_back(add_tensor(node, value_of(node), kNone, 0));
    } else if (node.op == "get_attr") {
      read_constant(node);
    } else if (node.op == "output") {
      read_output(node);
    } else if (node.op == "call_function") {
      if (is_getitem(node.target)) {
        read_getitem(node);
      } else {
        read_call(node);
      }
    } else {
      text_.fail_at(node.name, "unknown op '" + std::string(node.op) + "'",
                    "ops are placeholder, get_attr, call_function and output");
    }
  }

  // A node of integers that depend on values, or an assertion about them; false: it is none.
  bool read_unbacked(const NodeView& node) {
    std::optional<Node> made;
    if (!sizes_.read(node, context(node), made)) return false;
    if (!made) return true;
    read_origin(node, &*made);
    sizes_.remember(node, static_cast<NodeId>(graph_.nodes.size()));
    graph_.nodes.push_back(std::move(*made));
    return true;
  }

  TensorId add_tensor(const NodeView& node, const std::optional<Json>& value, NodeId producer,
                      int32_t output) {
    if (!value) text_.fail_at(node.name, "has no \"value\" (dtype and shape)");
    const auto id = static_cast<TensorId>(graph_.tensors.size());
    Tensor& tensor = graph_.tensors.emplace_back();
    tensor.name = node.name;
    tensor.producer = producer;
    tensor.output = output;
    std::vector<SymbolExpr> unbacked;
    if (read_value(text_, node, *value, symbols_, &tensor, producer == kNone ? nullptr : &unbacked))
      complex_.insert(id);
    if (!unbacked.empty()) sizes_.graph.shapes.emplace(id, std::move(unbacked));
    graph_.by_name.emplace(node.name, id);
    return id;
  }

  ArgContext context(const NodeView& node) {
    return {text_,
            node.name,
            [this](std::string_view name) {
              const auto found = integers_.find(name);
              return found == integers_.end() ? std::nullopt : std::optional<Int>(found->second);
            },
            [this, &node](std::string_view name) {
              const auto size = sizes_.find(name);
              return size ? *size : resolve(node, name);
            },
            [this](SymbolExpr size) { return sizes_.add(std::move(size)); },
            symbols_};
  }

  TensorId resolve(const NodeView& node, std::string_view name) const {
    const TensorId id = graph_.find(std::string(name));
    if (id == kNone) fail_unresolved(node, name);
    return id;
  }

  [[noreturn]] void fail_unresolved(const NodeView& node, std::string_view unknown) const {
    const std::string name(unknown);
    for (const NodeView& other : views_) {
      if (other.name != name) continue;
      if (seen_.contains(name) && is_getitem(other.target)) {
        text_.fail_at(node.name, "uses '" + name + "', which has no \"value\" (dtype and shape)",
                      "results of a tuple that are None have none, and nothing uses them");
      }
      if (seen_.contains(name)) {
        text_.fail_at(
            node.name, "uses '" + name + "', which is no tensor",
            "a tuple is used through getitem nodes (target \"<built-in function getitem>\")");
      }
      text_.fail_at(node.name,
                    "uses '" + name + "', which is made only later (line " +
                        std::to_string(text_.node_place(name).line) + ")",
                    "the graph is cyclic, or its nodes are not in execution order");
    }
    text_.fail_at(node.name, "uses '" + name + "', which does not exist");
  }

  Node& add_node(const NodeView& node, std::string_view op) {
    Node& result = graph_.nodes.emplace_back();
    result.op = op;
    read_origin(node, &result);
    read_work(text_, node, &result);
    for (const int32_t work : result.awaits)
      if (!works_.contains(work))
        text_.fail_at(node.name,
                      fmt::format("awaits {}, which is the work of no node before", work));
    if (result.work != kNone) works_.insert(result.work);
    return result;
  }

  void read_constant(const NodeView& node) {
    const auto constant = find(node.json, "constant");
    if (!constant || constant->is_null()) {
      text_.fail_at(node.name, "the capture lost the value of this attribute",
                    "make parameters and buffers inputs of the captured program");
    }
    // One attribute is one tensor, however often it is fetched.
    const auto [known, first] = attributes_.try_emplace(node.target, node.name, *constant);
    const auto& [name, value_of_known] = known->second;
    if (!first && simdjson::minify(value_of_known) == simdjson::minify(*constant)) {
      graph_.by_name.emplace(node.name, graph_.find(std::string(name)));
      return;
    }
    Arg value = read_arg(*constant, context(node));
    add_node(node, kConstantOp).args.push_back(std::move(value));
    std::optional<Json> type = value_of(node);
    if (!type) {
      const auto lift = lifts_.find(node.name);
      if (lift == lifts_.end()) {
        text_.fail_at(node.name, "has no \"value\" (dtype and shape)");
      }
      type = lift->second;
    }
    const auto id = static_cast<NodeId>(graph_.nodes.size() - 1);
    graph_.nodes.back().outputs = {add_tensor(node, type, id, 0)};
    check_constant(text_, node, *constant, graph_.tensors.back().shape, 0);
  }

  void read_output(const NodeView& node) {
    has_output_ = true;
    const ArgContext here = context(node);
    for (const Json result : arguments(text_, node)) add_outputs(node, read_arg(result, here));
  }

  void add_outputs(const NodeView& node, const Arg& arg) {
    if (const auto* tensor = std::get_if<TensorArg>(&arg.value)) {
      if (tensor->id < 0) text_.fail_at(node.name, "an output of the graph is a size");
      graph_.outputs.push_back(tensor->id);
    } else if (const auto* list = std::get_if<ArgList>(&arg.value)) {
      for (const Arg& element : *list) add_outputs(node, element);
    } else if (!arg.is_none()) {
      text_.fail_at(node.name, "an output of the graph is neither a tensor nor None");
    }
  }

  void read_getitem(const NodeView& node) {
    const auto [producer, index] = getitem(text_, node);
    const auto found = producers_.find(producer);
    if (found == producers_.end()) {
      if (graph_.find(std::string(producer)) != kNone) {
        text_.fail_at(node.name,
                      "getitem of '" + std::string(producer) + "', which is a tensor, no tuple");
      }
      fail_unresolved(node, producer);
    }
    TensorId& slot =
        graph_.nodes[static_cast<size_t>(found->second)].outputs[static_cast<size_t>(index)];
    if (slot == kNone) {
      // None, as a backward operator gives for what its output mask leaves out.
      if (!value_of(node)) return;
      slot = add_tensor(node, value_of(node), found->second, static_cast<int32_t>(index));
      return;
    }
    Tensor again;
    std::vector<SymbolExpr> unbacked;
    if (!value_of(node)) text_.fail_at(node.name, "has no \"value\" (dtype and shape)");
    const bool is_complex = read_value(text_, node, *value_of(node), symbols_, &again, &unbacked);
    const Tensor& first = graph_.tensors[static_cast<size_t>(slot)];
    if (again.dtype != first.dtype || again.shape != first.shape ||
        is_complex != complex_.contains(slot)) {
      text_.fail_at(node.name,
                    "differs in dtype or shape from '" + first.name + "', the same output");
    }
    graph_.by_name.emplace(node.name, slot);
  }

  void read_call(const NodeView& node) {
    const JsonArray args = arguments(text_, node);
    const JsonObject kwargs = keyword_arguments(text_, node);
    const bool v1 = node.target == kFunctionalized;
    const bool v2 = node.target == kFunctionalizedV2;
    const bool wrapped = v1 || v2;
    std::string_view op = node.target;
    if (wrapped && (args.size() != 1 || args.at(0).get(op) != simdjson::SUCCESS)) {
      text_.fail_at(node.name, "does not name the operator that it wraps");
    }
    const ArgContext here = context(node);
    Node& call = add_node(node, op);
    if (!wrapped) {
      call.args.reserve(args.size());
      for (const Json arg : args) call.args.push_back(read_arg(arg, here));
    }
    if (v2) {
      read_bases(node, kwargs, here, &call);
    } else {
      for (const auto [key, arg] : kwargs) call.kwargs.emplace_back(key, read_arg(arg, here));
    }
    call.functional = wrapped;
    add_results(node);
  }

  // auto_functionalized_v2: the mutated argument X is _all_bases[_X_base_index], and getitem 1 + i
  // is the new value of base i.
  void read_bases(const NodeView& node, const JsonObject& kwargs, const ArgContext& here,
                  Node* call) {
    constexpr std::string_view kSuffix = "_base_index";
    const auto bases = find_array(kwargs, "_all_bases");
    if (!bases) text_.fail_at(node.name, "has no _all_bases");
    size_t next = 0;
    for (const auto [key, arg] : kwargs) {
      if (key == "_all_bases") continue;
      if (key.starts_with("_") && key.ends_with(kSuffix)) {
        const std::string mutated(key.substr(1, key.size() - 1 - kSuffix.size()));
        if (integer_of(arg) != static_cast<Int>(next) || next >= bases->size()) {
          text_.fail_at(
              node.name,
              "argument '" + mutated + "' does not mutate base number " + std::to_string(next),
              "arguments that share a base, or lack one, are not supported");
        }
        call->kwargs.emplace_back(mutated, read_arg(bases->at(next).value_unsafe(), here));
        ++next;
      } else if (key.starts_with("_")) {
        text_.fail_at(node.name, "mutates a view of a base (" + std::string(key) +
                                     "), which is not supported");
      } else {
        call->kwargs.emplace_back(key, read_arg(arg, here));
      }
    }
    if (next != bases->size()) text_.fail_at(node.name, "a base belongs to no argument");
  }

  void add_results(const NodeView& node) {
    const auto id = static_cast<NodeId>(graph_.nodes.size() - 1);
    const auto parts = parts_.find(node.name);
    if (parts != parts_.end()) {
      if (value_of(node)) text_.fail_at(node.name, "is a tensor, but a getitem takes it apart");
      graph_.nodes.back().outputs.assign(static_cast<size_t>(parts->second), kNone);
      producers_.emplace(node.name, id);
    } else if (value_of(node)) {
      graph_.nodes.back().outputs = {add_tensor(node, value_of(node), id, 0)};
    }
  }

  void read_names(const Json& names) {
    JsonObject aliases;
    if (names.get(aliases) != simdjson::SUCCESS) text_.fail("\"names\" is no object");
    for (const auto [key, tensor] : aliases) {
      const std::string alias(key);
      const auto name = text_of(tensor);
      const TensorId id = name ? graph_.find(std::string(*name)) : kNone;
      if (id == kNone) text_.fail("\"names\": '" + alias + "' names no tensor");
      if (!graph_.by_name.emplace(alias, id).second) {
        text_.fail("\"names\": '" + alias + "' is already the name of a tensor");
      }
    }
  }

  Text text_;
  const SymbolValues& symbols_;
  simdjson::dom::parser parser_;
  Graph graph_;
  ComplexTensors complex_;
  std::vector<NodeView> views_;
  std::unordered_set<int32_t> works_;                // of the nodes so far
  std::unordered_map<std::string_view, Int> parts_;  // tuple -> number of outputs
  // target of a constant -> its first name, its value
  std::unordered_map<std::string_view, std::pair<std::string_view, Json>> attributes_;
  std::unordered_map<std::string_view, Json> lifts_;        // constant -> "value" of its copy
  std::unordered_map<std::string_view, NodeId> producers_;  // tuple -> node
  std::unordered_map<std::string_view, Int> integers_;      // nodes that are no tensors
  UnbackedSizes sizes_;                                     // those that depend on values
  std::unordered_set<std::string_view> seen_;
  bool has_output_ = false;
};

}  // namespace
}  // namespace fx

Graph parse_fx_json(std::string_view text, const std::string& name, const SymbolValues& symbols) {
  const simdjson::padded_string padded(text);
  return fx::Reader(padded, name, symbols).run();
}

Graph import_fx_json(const std::filesystem::path& file, const SymbolValues& symbols) {
  simdjson::padded_string text;
  if (simdjson::padded_string::load(file.string()).get(text) != simdjson::SUCCESS) {
    throw UserError({file.string()}, "cannot read this file");
  }
  return fx::Reader(text, file.string(), symbols).run();
}

}  // namespace assay
