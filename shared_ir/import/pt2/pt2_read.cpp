#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>

#include "shared_ir/import/complex_parts/complex_parts.h"
#include "shared_ir/import/json_text.h"
#include "shared_ir/import/pt2/pt2.h"
#include "shared_ir/import/pt2/pt2_archive.h"
#include "shared_ir/import/pt2/pt2_arg.h"
#include "shared_ir/import/pt2/pt2_constants.h"

namespace assay {
namespace pt2 {
namespace {

using json::Json;
using json::JsonArray;
using json::JsonObject;

constexpr int64_t kSchemaVersion = 8;
// Operators that return nothing and write nothing.
constexpr std::string_view kAssertions = "aten._assert_";
constexpr const char* kDecompose =
    "call run_decompositions() on the exported program before you save it";

// The line of the innermost call that is not PyTorch's own: "File "model.py", line 12, in forward".
SourcePlace user_line(std::string_view stack_trace) {
  constexpr std::string_view kFile = "File \"", kLine = "\", line ";
  SourcePlace result;
  for (size_t at = stack_trace.find(kFile); at != std::string_view::npos;
       at = stack_trace.find(kFile, at)) {
    at += kFile.size();
    const size_t end = stack_trace.find(kLine, at);
    if (end == std::string_view::npos) break;
    const std::string_view file = stack_trace.substr(at, end - at);
    const std::string_view digits = stack_trace.substr(end + kLine.size());
    int64_t line = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
    if (error != std::errc{} || line <= 0) continue;
    const bool own = file.find("/torch/") != std::string_view::npos;
    if (!own || !result.known()) result = {std::string(file), line, 0};
  }
  return result;
}

// The innermost of "KEY,PATH,CLASS;KEY,PATH,CLASS".
std::string module_path(std::string_view nn_module_stack) {
  const std::string_view last = nn_module_stack.substr(nn_module_stack.rfind(';') + 1);
  const size_t begin = last.find(',') + 1;
  if (begin == 0) return {};
  return std::string(last.substr(begin, last.find(',', begin) - begin));
}

class Reader {
 public:
  // `constants` is null where there is no archive.
  Reader(std::string_view padded, const std::string& file, const Constants* constants)
      : text_(padded, file), constants_(constants) {
    graph_.name = file;
  }

  Graph run() {
    JsonObject root;
    if (text_.parse(parser_).get(root) != simdjson::SUCCESS) fail("the program is no object");
    check_version(root);
    const JsonObject module = object(root, "graph_module");
    const JsonObject graph = object(module, "graph");
    for (const auto [name, meta] : object(graph, "tensor_values")) metas_.try_emplace(name, meta);
    const JsonArray specs = array(object(module, "signature"), "input_specs");
    for (const Json spec : specs) read_constant(spec);
    for (const Json input : array(graph, "inputs")) read_input(input);
    for (const Json node : array(graph, "nodes")) read_node(node);
    for (const Json output : array(graph, "outputs")) read_output(output);
    for (const Json spec : specs) read_name(spec);
    rewrite_complex(graph_, complex_,
                    [this](const std::string&) { return SourcePlace{graph_.name}; });
    validate(graph_);
    return std::move(graph_);
  }

 private:
  [[noreturn]] void fail(const std::string& message, const std::string& hint = {}) const {
    text_.fail(where_.empty() ? message : "node '" + where_ + "' " + message, hint);
  }

  JsonObject object(const JsonObject& in, std::string_view key) const {
    const auto found = json::find_object(in, key);
    if (!found) fail("\"" + std::string(key) + "\" is missing or no object");
    return *found;
  }

  JsonArray array(const JsonObject& in, std::string_view key) const {
    const auto found = json::find_array(in, key);
    if (!found) fail("\"" + std::string(key) + "\" is missing or no list");
    return *found;
  }

  void check_version(const JsonObject& root) const {
    const auto major = json::find(object(root, "schema_version"), "major");
    if (!major || json::integer_of(*major) != kSchemaVersion) {
      fail("the program is not of schema version " + std::to_string(kSchemaVersion),
           "export it with torch 2.11");
    }
  }

  TensorId add_tensor(std::string_view name, NodeId producer, int32_t output) {
    const auto meta = metas_.find(name);
    JsonObject about;
    if (meta == metas_.end() || meta->second.get(about) != simdjson::SUCCESS) {
      fail("tensor '" + std::string(name) + "' has no shape");
    }
    const auto id = static_cast<TensorId>(graph_.tensors.size());
    Tensor& tensor = graph_.tensors.emplace_back();
    tensor.name = name;
    tensor.producer = producer;
    tensor.output = output;
    const auto scalar_type = json::find(about, "dtype");
    const auto number = scalar_type ? json::integer_of(*scalar_type) : std::nullopt;
    const auto type = number ? element_type(*number) : std::nullopt;
    if (!type) fail("tensor '" + tensor.name + "' has an unknown dtype");
    tensor.dtype = type->dtype;
    for (const Json size : array(about, "sizes")) tensor.shape.push_back(size_of(size, tensor));
    if (type->is_complex) {
      make_parts(tensor);
      complex_.insert(id);
    }
    if (!element_count_fits(tensor.shape)) {
      fail("tensor '" + tensor.name + "' has impossible shape " + to_string(tensor.shape));
    }
    if (!graph_.by_name.emplace(name, id).second) {
      fail("tensor '" + tensor.name + "' is made twice");
    }
    return id;
  }

  int64_t size_of(const Json& size, const Tensor& tensor) const {
    const auto either = tagged(size);
    if (either && either->tag == "as_expr") {
      fail("tensor '" + tensor.name + "' has a symbolic size", kStaticHint);
    }
    const auto value =
        either && either->tag == "as_int" ? json::integer_of(either->value) : std::nullopt;
    if (!value) fail("tensor '" + tensor.name + "' has a size that is no integer");
    return *value;
  }

  // Tensors that the program holds itself: the name that each has in the graph.
  void read_constant(const Json& spec) {
    const auto either = tagged(spec);
    JsonObject input;
    if (!either || either->tag != "tensor_constant" ||
        either->value.get(input) != simdjson::SUCCESS) {
      return;
    }
    const auto argument = json::find(input, "arg");
    const auto name = argument ? name_in(*argument) : std::nullopt;
    const auto own = json::find_text(input, "tensor_constant_name");
    if (name && own) constant_names_.emplace(*name, *own);
  }

  // Inputs that are no tensors are constants on which the program was specialised.
  void read_input(const Json& input) {
    const auto argument = tagged(input);
    if (!argument) fail("an input of the program is no argument");
    if (argument->tag == "as_tensor") {
      const auto name = name_in(argument->value);
      if (!name) fail("an input of the program has no name");
      const TensorId id = add_tensor(*name, kNone, 0);
      const auto constant = constant_names_.find(*name);
      if (constant == constant_names_.end() || !holds(constant->second, id)) {
        graph_.inputs.push_back(id);
        if (constant != constant_names_.end()) graph_.unread_constants.push_back(id);
      }
    } else {
      read_arg(input, context());
    }
  }

  // Whether its data was read: a node makes it then.
  bool holds(std::string_view constant, TensorId id) {
    Tensor& tensor = graph_.tensors[static_cast<size_t>(id)];
    auto value = constants_ ? constants_->value_of(constant, tensor) : std::nullopt;
    if (!value) return false;
    tensor.producer = static_cast<NodeId>(graph_.nodes.size());
    Node& node = graph_.nodes.emplace_back();
    node.op = kConstantOp;
    node.args.push_back(std::move(*value));
    node.outputs = {id};
    return true;
  }

  Context context() {
    return {[this](std::string_view name) {
              const TensorId id = graph_.find(std::string(name));
              if (id == kNone) {
                fail("uses '" + std::string(name) + "', which does not exist before it");
              }
              return id;
            },
            [this](const std::string& message, const std::string& hint) { fail(message, hint); }};
  }

  // "torch.ops.aten.mm.default" without what is the same for all.
  std::string operator_of(const JsonObject& node) const {
    constexpr std::string_view kPrefix = "torch.ops.", kHigherOrder = "higher_order.";
    const auto target = json::find_text(node, "target");
    if (!target) fail("has no target");
    if (!target->starts_with(kPrefix)) {
      fail("calls " + std::string(*target) + ", which computes sizes", kStaticHint);
    }
    const std::string_view op = target->substr(kPrefix.size());
    if (op.starts_with(kHigherOrder)) {
      fail("calls " + std::string(*target) + ", which is not supported", kDecompose);
    }
    // ATen's mark of operators that write into their first argument.
    if (op.substr(0, op.rfind('.')).ends_with('_')) {
      fail("writes into its argument (" + std::string(op) + ")", kDecompose);
    }
    return std::string(op);
  }

  void read_node(const Json& json) {
    JsonObject node;
    where_ = "number " + std::to_string(graph_.nodes.size());
    if (json.get(node) != simdjson::SUCCESS) fail("is no object");
    if (const auto name = json::find_text(node, "name")) where_ = *name;
    std::string op = operator_of(node);
    if (op.starts_with(kAssertions)) return;
    Node& result = graph_.nodes.emplace_back();
    result.op = std::move(op);
    const Context here = context();
    for (const Json input : array(node, "inputs")) read_argument(input, here, &result);
    for (const Json output : array(node, "outputs")) read_results(output, &result);
    if (std::count(result.outputs.begin(), result.outputs.end(), kNone) ==
        static_cast<int64_t>(result.outputs.size())) {
      fail("returns nothing (" + result.op + "): it writes into its arguments", kDecompose);
    }
    if (const auto metadata = json::find_object(node, "metadata")) {
      if (const auto trace = json::find_text(*metadata, "stack_trace")) {
        result.source = user_line(*trace);
      }
      if (const auto stack = json::find_text(*metadata, "nn_module_stack")) {
        result.module = module_path(*stack);
      }
    }
    where_.clear();
  }

  void read_argument(const Json& json, const Context& here, Node* node) const {
    constexpr int64_t kPositional = 1, kKeyword = 2;
    JsonObject input;
    if (json.get(input) != simdjson::SUCCESS) fail("has an argument that is no object");
    const auto name = json::find_text(input, "name");
    const auto value = json::find(input, "arg");
    const auto kind = json::find(input, "kind");
    if (!name || !value || !kind) fail("has an argument without name, value or kind");
    Arg arg = read_arg(*value, here);
    const auto number = json::integer_of(*kind);
    if (number == kPositional && node->kwargs.empty()) {
      node->args.push_back(std::move(arg));
    } else if (number == kPositional || number == kKeyword) {
      node->kwargs.emplace_back(*name, std::move(arg));
    } else {
      fail("has argument '" + std::string(*name) + "' of unknown kind");
    }
  }

  // One result, or a list of them that stands for one each.
  void read_results(const Json& json, Node* node) {
    const auto result = tagged(json);
    if (!result) fail("has a result that is none");
    const auto add = [&](const Json& tensor) {
      const auto name = name_in(tensor);
      if (!name) fail("has a result without name");
      const auto id = static_cast<NodeId>(graph_.nodes.size() - 1);
      node->outputs.push_back(add_tensor(*name, id, static_cast<int32_t>(node->outputs.size())));
    };
    JsonArray results;
    if (result->tag == "as_tensor") {
      add(result->value);
    } else if (result->tag == "as_tensors" && result->value.get(results) == simdjson::SUCCESS) {
      for (const Json one : results) add(one);
    } else if (result->tag == "as_optional_tensors" &&
               result->value.get(results) == simdjson::SUCCESS) {
      for (const Json one : results) read_results(one, node);
    } else if (result->tag == "as_none") {
      node->outputs.push_back(kNone);
    } else {
      fail("has a result of kind '" + std::string(result->tag) + "', which is no tensor",
           kStaticHint);
    }
  }

  void read_output(const Json& output) {
    const Arg arg = read_arg(output, context());
    if (const auto* tensor = std::get_if<TensorArg>(&arg.value)) {
      graph_.outputs.push_back(tensor->id);
    }
  }

  // The module's own name of an input.
  void read_name(const Json& spec) {
    constexpr std::pair<std::string_view, std::string_view> kNames[] = {
        {"parameter", "parameter_name"},
        {"buffer", "buffer_name"},
        {"tensor_constant", "tensor_constant_name"}};
    const auto either = tagged(spec);
    if (!either) fail("the signature has an input that is none");
    for (const auto& [tag, key] : kNames) {
      JsonObject input;
      if (either->tag != tag || either->value.get(input) != simdjson::SUCCESS) continue;
      const auto argument = json::find(input, "arg");
      const std::string own(argument ? name_in(*argument).value_or("") : "");
      const TensorId id = graph_.find(own);
      if (id == kNone) fail("the signature has '" + own + "', which is no tensor");
      const std::string_view name = json::find_text(input, key).value_or("");
      if (is_tensor_name(name)) graph_.by_name.emplace(name, id);
    }
  }

  json::Text text_;
  simdjson::dom::parser parser_;
  Graph graph_;
  ComplexTensors complex_;
  const Constants* constants_;
  std::unordered_map<std::string_view, std::string_view> constant_names_;  // by their tensors
  std::unordered_map<std::string_view, Json> metas_;
  std::string where_;  // the node that is read; empty outside nodes
};

}  // namespace
}  // namespace pt2

Graph parse_pt2_program(std::string_view json, const std::string& name) {
  const simdjson::padded_string padded(json);
  return pt2::Reader(padded, name, nullptr).run();
}

namespace {

Graph read_archive(std::istream& stream, const std::string& file) {
  pt2::Archive archive(stream, file);
  const pt2::Constants constants(archive, file);
  const simdjson::padded_string program(archive.program());
  return pt2::Reader(program, file, &constants).run();
}

}  // namespace

Graph import_pt2(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw UserError({file.string()}, "cannot read this file");
  return read_archive(stream, file.string());
}

Graph parse_pt2(std::string_view archive, const std::string& name) {
  std::istringstream stream{std::string(archive)};
  return read_archive(stream, name);
}

}  // namespace assay
