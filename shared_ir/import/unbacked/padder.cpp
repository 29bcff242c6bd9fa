#include "shared_ir/import/unbacked/padder.h"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "shared_ir/import/unbacked/rules.h"

namespace assay {
namespace unbacked {
namespace {

// By its name alone: importers know no schemas.
bool may_write(const Node& node) {
  const std::string_view base = base_name(node.op);
  const std::string_view overload = std::string_view(node.op).substr(base.size());
  const bool known = base.starts_with("aten.") || base.starts_with("prims.") ||
                     base.starts_with("_c10d_functional") || base.starts_with("assay.");
  return !known || base.ends_with('_') || overload.ends_with("out") ||
         (base.find("batch_norm") != std::string_view::npos &&
          base.find("functional") == std::string_view::npos);
}

}  // namespace

Padder::Padder(const UnbackedGraph& from)
    : from_(from), emit_(to_, from.graph.by_name), values_(from.graph.tensors.size()) {
  to_.name = from.graph.name;
  to_.functional = from.graph.functional;
}

void Padder::fail(const std::string& message, const std::string& hint) const {
  ASSAY_CHECK(node_ != nullptr, "an error outside of a node");
  std::string name = node_->op;
  for (const TensorId output : node_->outputs)
    if (output != kNone) {
      name = fmt::format("{} ({})", from_.graph.tensors[static_cast<size_t>(output)].name, name);
      break;
    }
  throw UserError(node_->source, fmt::format("{}: node {}: {}", from_.graph.name, name, message),
                  hint);
}

Graph Padder::run() {
  for (const TensorId input : from_.graph.inputs) {
    const Shape& shape = from_.graph.tensors[static_cast<size_t>(input)].shape;
    values_[static_cast<size_t>(input)] = {add_tensor(input, shape), known_extents(shape)};
    to_.inputs.push_back(values_[static_cast<size_t>(input)].id);
  }
  find_bounds();
  std::vector<int32_t> awaited;  // by nodes of which nothing is left
  for (size_t i = 0; i < from_.graph.nodes.size(); ++i) {
    Node node = from_.graph.nodes[i];
    node.awaits.insert(node.awaits.end(), awaited.begin(), awaited.end());
    const size_t made_before = to_.nodes.size();
    run_node(node, static_cast<NodeId>(i));
    node_ = &from_.graph.nodes[i];
    awaited = to_.nodes.size() == made_before ? std::move(node.awaits) : std::vector<int32_t>{};
  }
  finish();
  return std::move(to_);
}

void Padder::run_node(const Node& node, NodeId id) {
  node_ = &node;
  std::string name = "size";
  for (const TensorId output : node.outputs)
    if (output != kNone) {
      name = from_.graph.tensors[static_cast<size_t>(output)].name;
      break;
    }
  emit_.begin(node, name);
  if (!from_.graph.functional && may_write(node))
    fail("it may write into memory, in a program with sizes that depend on values",
         "capture a functional program (torch.export, then run_decompositions())");
  if (const auto item = from_.items.find(id); item != from_.items.end())
    return read_item(node, item->second);
  if (node.op == kAssertOp) return assert_sizes(node);
  if (!depends_on_unknown(node)) return copy(node);
  const Rule rule = find_rule(node.op);
  if (rule == nullptr)
    fail("has no rule for sizes that depend on values",
         "pad its operand to a fixed size, or say what it does in operators that have a rule");
  Call call(*this, node);
  rule(call);
  call.require_all_read();
  for (const TensorId output : node.outputs)
    if (output != kNone && values_[static_cast<size_t>(output)].id == kNone)
      fail(fmt::format("result '{}' is not one that its rule gives",
                       from_.graph.tensors[static_cast<size_t>(output)].name));
}

bool Padder::depends_on_unknown(const Node& node) const {
  if (fails_for_values(node.op)) return true;
  for (const TensorId output : node.outputs)
    if (output != kNone && from_.shapes.contains(output)) return true;
  return std::ranges::any_of(tensor_arguments(node), [&](TensorId id) {
    return id < kNone || values_[static_cast<size_t>(id)].is_ragged();
  });
}

Arg Padder::copied(const Arg& arg) const {
  if (const auto* tensor = std::get_if<TensorArg>(&arg.value))
    return tensor_arg(operand(tensor->id).id);
  if (const auto* list = std::get_if<ArgList>(&arg.value)) {
    ArgList elements;
    for (const Arg& element : *list) elements.push_back(copied(element));
    return {std::move(elements)};
  }
  return arg;
}

void Padder::copy(const Node& node) {
  Node made = node;
  for (Arg& arg : made.args) arg = copied(arg);
  for (auto& [keyword, arg] : made.kwargs) arg = copied(arg);
  const auto id = static_cast<NodeId>(to_.nodes.size());
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const TensorId output = node.outputs[i];
    if (output == kNone) continue;
    const Tensor& tensor = from_.graph.tensors[static_cast<size_t>(output)];
    made.outputs[i] = add_tensor(output, tensor.shape);
    Tensor& copy = to_.tensors.back();
    copy.producer = id;
    copy.output = static_cast<int32_t>(i);
    copy.strides = tensor.strides;
    values_[static_cast<size_t>(output)] = {made.outputs[i], known_extents(tensor.shape)};
  }
  to_.nodes.push_back(std::move(made));
}

// With the name that it has there.
TensorId Padder::add_tensor(TensorId from, Shape shape) {
  const Tensor& recorded = from_.graph.tensors[static_cast<size_t>(from)];
  const auto id = static_cast<TensorId>(to_.tensors.size());
  Tensor& tensor = to_.tensors.emplace_back();
  tensor.name = recorded.name;
  tensor.dtype = recorded.dtype;
  tensor.shape = std::move(shape);
  if (from_.graph.nodes.empty() || recorded.producer == kNone) tensor.strides = recorded.strides;
  to_.by_name.emplace(tensor.name, id);
  return id;
}

const Padded& Padder::operand(TensorId id) const {
  ASSAY_CHECK(id >= 0, "an integer is no tensor");
  return values_[static_cast<size_t>(id)];
}

void Padder::set_result(size_t output, Padded value) {
  if (output >= node_->outputs.size() || node_->outputs[output] == kNone) return;
  const TensorId id = node_->outputs[output];
  const Tensor& tensor = from_.graph.tensors[static_cast<size_t>(id)];
  if (tensor.dtype != emit_.dtype(value.id))
    fail(fmt::format("'{}' is recorded as {}, and is {}", tensor.name, to_string(tensor.dtype),
                     to_string(emit_.dtype(value.id))));
  if (tensor.shape.size() != value.rank())
    fail(fmt::format("'{}' is recorded with {} dimensions, and has {}", tensor.name,
                     tensor.shape.size(), value.rank()));
  const auto unknown = from_.shapes.find(id);
  for (size_t dim = 0; dim < value.rank(); ++dim) {
    SymbolExpr expr;
    expr.number = tensor.shape[dim];
    fit(value, dim, unknown == from_.shapes.end() ? expr : unknown->second[dim]);
  }
  values_[static_cast<size_t>(id)] = value;
  // What was made for it bears its name; others have names of their own.
  Tensor& made = to_.tensors[static_cast<size_t>(value.id)];
  if (from_.graph.by_name.contains(made.name)) return;
  to_.by_name.erase(made.name);
  made.name = tensor.name;
  to_.by_name.emplace(made.name, value.id);
}

// A dimension against what was recorded of it.
void Padder::fit(Padded& value, size_t dim, const SymbolExpr& expr) {
  const Extent extent = value.dims[dim];
  if (expr.kind == SymbolExpr::Kind::kNumber) {
    if (!extent.is_known()) {
      value = resized(value, dim, {expr.number});
    } else if (extent.bound != expr.number) {
      fail(
          fmt::format("dimension {} is recorded as {}, and is {}", dim, expr.number, extent.bound));
    }
    return;
  }
  // What a capture says of sizes that it computed is no demand of the program.
  if (expr.kind == SymbolExpr::Kind::kSymbol && !symbols_.contains(expr.name)) {
    define(expr, extent);
  } else if (!extent.is_known()) {
    made_.try_emplace(to_string(expr), extent);
  }
}

void Padder::define(const SymbolExpr& expr, const Extent& extent) {
  if (expr.kind == SymbolExpr::Kind::kNumber) return;  // known to whoever captured it
  if (expr.kind != SymbolExpr::Kind::kSymbol)
    fail("makes a new size, and is recorded with one that is computed");
  const auto [known, first] = symbols_.try_emplace(expr.name);
  if (first) {
    known->second = {extent, kNone, extent.bound, node_->op};
  } else if (known->second.extent != extent) {
    fail(fmt::format("symbol '{}' stands for two numbers: {} made it, and this is another one",
                     expr.name, known->second.made_by),
         "every operator that makes a size has a symbol of its own");
  }
}

// Outputs are numbers only where all that was demanded holds.
void Padder::finish() {
  TensorId holds = kNone;
  for (const TensorId demand : demands_) holds = emit_.both(holds, demand);
  for (const auto& [alias, id] : from_.graph.by_name) {
    const TensorId value = values_[static_cast<size_t>(id)].id;
    if (value != kNone) to_.by_name.emplace(alias, value);
  }
  std::map<TensorId, TensorId> checked_of;
  for (const TensorId output : from_.graph.outputs) {
    const Tensor& recorded = from_.graph.tensors[static_cast<size_t>(output)];
    const Padded& value = values_[static_cast<size_t>(output)];
    static const Node kOutput;
    node_ = recorded.producer == kNone ? &kOutput
                                       : &from_.graph.nodes[static_cast<size_t>(recorded.producer)];
    if (value.is_ragged())
      fail(fmt::format("'{}' is an output, and its size depends on values", recorded.name),
           "let the program give what it is used for, or write it into a tensor of a fixed size");
    if (holds == kNone || recorded.producer == kNone) {
      to_.outputs.push_back(value.id);
      continue;
    }
    const auto [known, first] = checked_of.try_emplace(value.id, kNone);
    if (!first) {
      to_.outputs.push_back(known->second);
      continue;
    }
    if (!is_floating(recorded.dtype))
      fail(fmt::format("'{}' is an output of {}, of a program that fails for some values",
                       recorded.name, to_string(recorded.dtype)),
           "its sizes must agree with each other; outputs of floating types tell where they do");
    emit_.begin(*node_, recorded.name);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const TensorId checked = emit_.where(holds, value.id, emit_.full({}, {nan}, recorded.dtype));
    to_.outputs.push_back(known->second = checked);
    // The names of the output are those of what was checked.
    for (auto& [alias, id] : to_.by_name)
      if (id == value.id) id = checked;
    Tensor &before = to_.tensors[static_cast<size_t>(value.id)],
           &after = to_.tensors[static_cast<size_t>(checked)];
    std::swap(before.name, after.name);
    to_.by_name[before.name] = value.id;
    to_.by_name[after.name] = checked;
  }
}

}  // namespace unbacked

bool fails_for_values(std::string_view op) {
  return op == "aten.repeat_interleave.Tensor" || op == "aten.repeat_interleave.self_Tensor";
}

bool UnbackedGraph::is_needed() const {
  return !shapes.empty() || !integers.empty() || !items.empty() ||
         std::ranges::any_of(graph.nodes,
                             [](const Node& node) { return fails_for_values(node.op); });
}

Graph padded(UnbackedGraph graph) {
  for (auto& [id, sizes] : graph.shapes)
    for (size_t dim = 0; dim < sizes.size(); ++dim)
      if (sizes[dim].kind == SymbolExpr::Kind::kNumber)
        sizes[dim].number = graph.graph.tensors[static_cast<size_t>(id)].shape[dim];
  return unbacked::Padder(graph).run();
}

}  // namespace assay
