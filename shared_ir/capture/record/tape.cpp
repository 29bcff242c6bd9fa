#include "shared_ir/capture/record/tape.h"

#include <string_view>

#include "shared_ir/capture/places/module_scope.h"
#include "shared_ir/capture/torch/scalar_type.h"

namespace assay {
namespace {

// "aten.mm.default" -> "mm", "_c10d_functional.all_reduce.default" -> "all_reduce".
std::string short_name(std::string_view op) {
  const size_t first = op.find('.') + 1;
  return std::string(op.substr(first, op.find('.', first) - first));
}

}  // namespace

Tape::Tape(std::string graph_name, Observer observer, const Graph* expected)
    : observer_(std::move(observer)), expected_(expected) {
  graph_.name = std::move(graph_name);
}

SourcePlace Tape::place() {
  const CallSite site = found_origin().site;
  return site == kNone ? SourcePlace{} : call_sites_.resolve(site);
}

const Origin& Tape::found_origin() {
  if (!origin_) origin_ = Origin{call_sites_.here(), ModuleScope::path(), false};
  return *origin_;
}

const Origin* Tape::origin_of(TensorId id) const {
  const NodeId producer = tensor(id).producer;
  return producer == kNone ? nullptr : &origins_[static_cast<size_t>(producer)];
}

TensorId Tape::add_input(const std::string& name, const at::Tensor& tensor) {
  const auto id = static_cast<TensorId>(graph_.tensors.size());
  if (!graph_.by_name.emplace(name, id).second) {
    throw UserError({}, "two inputs are named '" + name + "'", "give each input its own name");
  }
  graph_.tensors.push_back({name, to_dtype(tensor.scalar_type()), tensor.sizes().vec(), kNone, 0});
  graph_.inputs.push_back(id);
  return id;
}

NodeId Tape::append(Node node, const std::vector<at::Tensor>& outputs) {
  const auto id = static_cast<NodeId>(graph_.nodes.size());
  for (const auto& output : outputs) {
    if (!output.defined()) {
      node.outputs.push_back(kNone);
      continue;
    }
    const auto position = static_cast<int32_t>(node.outputs.size());
    node.outputs.push_back(static_cast<TensorId>(graph_.tensors.size()));
    graph_.tensors.push_back(
        {"", to_dtype(output.scalar_type()), output.sizes().vec(), id, position});
  }
  const auto index = static_cast<size_t>(id);
  if (expected_ && index < expected_->nodes.size() && expected_->nodes[index].op == node.op) {
    const Node& same = expected_->nodes[index];
    node.source = same.source;
    node.module = same.module;
    node.backward = same.backward;
    origins_.push_back({});
  } else {
    const Origin& origin = found_origin();
    node.module = origin.module;
    node.backward = origin.backward;
    origins_.push_back(origin);
  }
  graph_.nodes.push_back(std::move(node));
  *next_ = id + 1;
  return id;
}

void Tape::set_pending(NodeId collective) {
  graph_.nodes.at(static_cast<size_t>(collective)).work = collective;
}

void Tape::set_awaited(NodeId collective, NodeId node) { awaited_.emplace_back(collective, node); }

NodeId Tape::add(std::string op, ArgList args, std::vector<std::pair<std::string, Arg>> kwargs,
                 std::vector<at::Tensor> outputs) {
  Node node;
  node.op = std::move(op);
  node.args = std::move(args);
  node.kwargs = std::move(kwargs);
  const NodeId id = append(std::move(node), outputs);
  if (observer_) observer_(id, outputs);
  return id;
}

NodeId Tape::add_pending(std::string op, ArgList args, std::vector<at::Tensor> outputs,
                         std::function<void()> wait) {
  Node node;
  node.op = std::move(op);
  node.args = std::move(args);
  const NodeId id = append(std::move(node), outputs);
  if (observer_) {
    for (const TensorId output : graph_.nodes.back().outputs) {
      pending_of_tensor_[output] = pending_.size();
    }
    pending_.push_back({id, std::move(outputs), std::move(wait)});
  }
  return id;
}

void Tape::before_read(TensorId tensor) {
  const auto entry = pending_of_tensor_.find(tensor);
  if (entry == pending_of_tensor_.end()) return;
  const Pending pending = std::move(pending_[entry->second]);
  for (const TensorId output : node(pending.node).outputs) pending_of_tensor_.erase(output);
  // Of what it is a view of, as long as the memory holds it.
  for (const Arg& arg : node(pending.node).args)
    if (const auto* operand = std::get_if<TensorArg>(&arg.value)) before_read(operand->id);
  observer_(pending.node, pending.outputs);
}

void Tape::add_output(const std::string& name, TensorId tensor) {
  if (!graph_.by_name.emplace(name, tensor).second) {
    throw UserError(place(), "the name of output '" + name + "' is taken",
                    "give each input and output its own name");
  }
  auto& own_name = graph_.tensors.at(static_cast<size_t>(tensor)).name;
  if (own_name.empty()) own_name = name;
  graph_.outputs.push_back(tensor);
}

void Tape::name_results() {
  std::unordered_map<std::string, int> uses;
  for (const Node& node : graph_.nodes) {
    const std::string base = short_name(node.op);
    // The count goes on at names that the user took, so that they do not shift those behind them.
    std::string stem;
    const auto taken = [&](const std::string& name) {
      const auto entry = graph_.by_name.find(name);
      return entry != graph_.by_name.end() && graph_.tensors[entry->second].name == name;
    };
    do {
      const int count = uses[base]++;
      stem = count == 0 ? base : base + "_" + std::to_string(count);
    } while (taken(stem));
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == kNone) continue;
      auto& tensor = graph_.tensors[static_cast<size_t>(node.outputs[i])];
      if (!tensor.name.empty()) continue;
      tensor.name = node.outputs.size() == 1 ? stem : stem + "." + std::to_string(i);
      graph_.by_name.emplace(tensor.name, node.outputs[i]);
    }
  }
}

Graph Tape::finish() {
  for (auto& pending : pending_) {
    if (!pending.wait) continue;
    pending.wait();
    if (pending_of_tensor_.contains(node(pending.node).outputs.front())) {
      observer_(pending.node, pending.outputs);
    }
  }
  pending_.clear();
  pending_of_tensor_.clear();
  name_results();
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    if (origins_[i].site != kNone) graph_.nodes[i].source = call_sites_.resolve(origins_[i].site);
  }
  for (const auto& [collective, node] : awaited_)
    if (node < count()) graph_.nodes[static_cast<size_t>(node)].awaits.push_back(collective);
  graph_.functional = true;
  return std::move(graph_);
}

}  // namespace assay
