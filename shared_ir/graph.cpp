#include "shared_ir/graph.h"

#include <algorithm>

#include "shared_ir/base/lexer.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {
namespace {

constexpr Int kMaxElements = Int{1} << 60;

class Validator {
 public:
  explicit Validator(const Graph& graph) : graph_(graph), defined_(graph.tensors.size(), false) {}

  void run() {
    check_tensors();
    for (TensorId id : graph_.inputs) define(id, [] { return "the list of inputs"; }, kNone, 0);
    for (size_t i = 0; i < graph_.nodes.size(); ++i) check_node(static_cast<NodeId>(i));
    for (TensorId id : graph_.outputs) use(id, [] { return "the list of outputs"; });
    for (size_t i = 0; i < defined_.size(); ++i) {
      if (!defined_[i]) fail("tensor '" + graph_.tensors[i].name + "' has no producer");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& message, const SourcePlace& place = {}) const {
    throw UserError(place, "graph '" + graph_.name + "': " + message);
  }

  bool in_range(TensorId id) const {
    return id >= 0 && static_cast<size_t>(id) < graph_.tensors.size();
  }

  void check_tensors() const {
    for (size_t i = 0; i < graph_.tensors.size(); ++i) {
      const Tensor& tensor = graph_.tensors[i];
      if (!is_tensor_name(tensor.name)) {
        fail("'" + tensor.name + "' cannot name a tensor: use letters, digits and _ . - :");
      }
      check_shape(tensor);
      if (graph_.find(tensor.name) != static_cast<TensorId>(i)) {
        fail("tensor name '" + tensor.name + "' is not unique");
      }
    }
    for (const auto& [alias, id] : graph_.by_name) {
      if (!is_tensor_name(alias)) {
        fail("'" + alias + "' cannot name a tensor: use letters, digits and _ . - :");
      }
      if (!in_range(id)) fail("name '" + alias + "' belongs to no tensor");
    }
  }

  void check_shape(const Tensor& tensor) const {
    if (!element_count_fits(tensor.shape)) {
      fail("tensor '" + tensor.name + "' has an impossible shape " + to_string(tensor.shape));
    }
  }

  // where(): the text of a place, which is made for errors alone.
  template <class Where>
  void define(TensorId id, const Where& where, NodeId producer, int32_t output) {
    if (!in_range(id))
      fail(std::string(where()) + " makes tensor number " + std::to_string(id) + ", unknown");
    const Tensor& tensor = graph_.tensors[static_cast<size_t>(id)];
    if (defined_[static_cast<size_t>(id)]) fail("tensor '" + tensor.name + "' is made twice");
    if (tensor.producer != producer || tensor.output != output) {
      fail("tensor '" + tensor.name + "' is made by " + where() + ", but says otherwise");
    }
    defined_[static_cast<size_t>(id)] = true;
  }

  template <class Where>
  void use(TensorId id, const Where& where, const SourcePlace& place = {}) const {
    if (!in_range(id))
      fail(std::string(where()) + " uses tensor number " + std::to_string(id) + ", unknown", place);
    if (!defined_[static_cast<size_t>(id)]) {
      fail(std::string(where()) + " uses '" + graph_.tensors[static_cast<size_t>(id)].name +
               "' before it is made: the graph is cyclic or out of order",
           place);
    }
  }

  template <class Where>
  void check_arg(const Arg& arg, const Where& where, const SourcePlace& place) const {
    if (const auto* tensor = std::get_if<TensorArg>(&arg.value)) use(tensor->id, where, place);
    if (const auto* list = std::get_if<ArgList>(&arg.value)) {
      for (const Arg& element : *list) check_arg(element, where, place);
    }
  }

  void check_node(NodeId id) {
    const Node& node = graph_.nodes[static_cast<size_t>(id)];
    const auto where = [&] { return "node " + std::to_string(id) + " (" + node.op + ")"; };
    if (node.op.empty()) fail("node " + std::to_string(id) + " names no operator", node.source);
    for (const Arg& arg : node.args) check_arg(arg, where, node.source);
    for (const auto& [key, arg] : node.kwargs) {
      check_arg(arg, [&, &name = key] { return where() + ", " + name; }, node.source);
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] != kNone) define(node.outputs[i], where, id, static_cast<int32_t>(i));
    }
  }

  const Graph& graph_;
  std::vector<bool> defined_;
};

}  // namespace

TensorId Graph::find(const std::string& tensor_name) const {
  const auto found = by_name.find(tensor_name);
  return found == by_name.end() ? kNone : found->second;
}

bool is_tensor_name(std::string_view name) {
  return !name.empty() && name.find_first_not_of(kInTensorNames) == std::string_view::npos;
}

bool element_count_fits(const Shape& shape) {
  Int count = 1;
  for (Int size : shape) {
    if (size < 0 || exceeds(size, kMaxElements) || mul_overflow(count, size, &count) ||
        exceeds(count, kMaxElements)) {
      return false;
    }
  }
  return true;
}

Int element_count(const Shape& shape) {
  Int count = 1;
  for (Int size : shape) count *= size;
  return count;
}

void collect_tensors(const Arg& arg, std::vector<TensorId>& found) {
  if (const auto* tensor = std::get_if<TensorArg>(&arg.value)) found.push_back(tensor->id);
  if (const auto* list = std::get_if<ArgList>(&arg.value)) {
    for (const Arg& element : *list) collect_tensors(element, found);
  }
}

std::vector<TensorId> tensor_arguments(const Node& node) {
  std::vector<TensorId> arguments;
  for (const Arg& arg : node.args) collect_tensors(arg, arguments);
  for (const auto& [name, arg] : node.kwargs) collect_tensors(arg, arguments);
  return arguments;
}

std::vector<TensorId> operands_of(const Node& node) {
  std::vector<TensorId> operands;
  for (const TensorId id : tensor_arguments(node))
    if (std::find(operands.begin(), operands.end(), id) == operands.end()) operands.push_back(id);
  return operands;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    text += (i ? ", " : "") + decimal(shape[i]);
  }
  return text + "]";
}

void validate(const Graph& graph) { Validator(graph).run(); }

}  // namespace assay
