#include "shared_ir/import/complex_parts/complex_parts.h"

#include <algorithm>
#include <array>

#include "shared_ir/import/complex_parts/rules.h"

namespace assay {
namespace complex_parts {
namespace {

constexpr std::array<std::pair<std::string_view, DType>, 2> kDTypes = {{
    {"torch.complex64", DType::kFloat32},
    {"torch.complex128", DType::kFloat64},
}};

constexpr const char* kTakeParts = "take the parts with torch.view_as_real before it";

bool has_complex_dtype(const Arg& arg) {
  if (const auto* list = std::get_if<ArgList>(&arg.value))
    return std::ranges::any_of(*list, has_complex_dtype);
  const auto* text = std::get_if<std::string>(&arg.value);
  return text != nullptr && text->starts_with("torch.") && parse_complex_dtype(*text);
}

bool names_complex_dtype(const Node& node) {
  return std::ranges::any_of(node.args, has_complex_dtype) ||
         std::ranges::any_of(node.kwargs,
                             [](const auto& arg) { return has_complex_dtype(arg.second); });
}

Rule find_rule(std::string_view op) {
  for (const Rules* rules :
       {&arithmetic_rules(), &movement_rules(), &product_rules(), &source_rules()})
    if (const auto found = rules->find(op); found != rules->end()) return found->second;
  return nullptr;
}

// PyTorch's mark of operators that write into an operand, by their names: "aten.mul_.Tensor",
// "aten.__iand__.Tensor", "aten.add.out".
bool writes(const Graph& graph, const Node& node) {
  if (was_made_functional(graph, node)) return false;
  const std::string_view op = node.op;
  const std::string_view base = op.substr(0, op.rfind('.'));
  return base.ends_with('_') || op.ends_with(".out") || op.ends_with("_out") ||
         std::ranges::any_of(node.kwargs, [](const auto& arg) { return arg.first == "out"; });
}

// Views that change the sign of what they view, of which no operator on the parts is a view.
bool is_lazy(const Node& node) {
  return node.op == "aten._conj.default" || node.op == "aten._neg_view.default";
}

class Rewriter {
 public:
  Rewriter(Graph& graph, const ComplexTensors& complex, const PlaceOfNode& place)
      : graph_(graph), complex_(complex), place_(place) {}

  void run() {
    if (complex_.empty() && std::ranges::none_of(graph_.nodes, names_complex_dtype)) return;
    std::vector<Node> nodes = std::move(graph_.nodes);
    std::vector<int32_t> awaited;  // by nodes of which nothing is left
    for (Node& node : nodes) {
      node.awaits.insert(node.awaits.end(), awaited.begin(), awaited.end());
      const size_t made_before = made_.size();
      rewrite(node);
      awaited = made_.size() == made_before ? std::move(node.awaits) : std::vector<int32_t>{};
    }
    graph_.nodes = std::move(made_);
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      for (size_t output = 0; output < node.outputs.size(); ++output) {
        if (node.outputs[output] == kNone) continue;
        Tensor& tensor = graph_.tensors[static_cast<size_t>(node.outputs[output])];
        tensor.producer = static_cast<NodeId>(i);
        tensor.output = static_cast<int32_t>(output);
      }
    }
  }

 private:
  void rewrite(const Node& node) {
    if (const TensorId from = root(node); from != kNone)
      for (const TensorId output : node.outputs) roots_.emplace(output, from);
    const bool is_written = writes(graph_, node);
    const bool is_viewed = is_written && writes_into_viewed(node);
    if (!is_viewed && !is_of_complex(node)) {
      made_.push_back(node);
      return;
    }
    Call call(graph_, complex_, made_, node, place_);
    if (is_viewed)
      call.fail("may write into memory that a conjugate views",
                "take the conjugate with torch.conj_physical");
    if (is_written)
      call.fail("writes into a complex tensor", "write into its torch.view_as_real instead");
    const Rule rule = find_rule(node.op);
    if (rule == nullptr || node.functional)
      call.fail("has no rule for complex tensors", kTakeParts);
    rule(call);
    if (is_lazy(node)) viewed_.insert(root(node));
  }

  bool is_of_complex(const Node& node) const {
    const auto complex = [&](TensorId id) { return complex_.contains(id); };
    return std::ranges::any_of(tensor_arguments(node), complex) ||
           std::ranges::any_of(node.outputs, complex) || is_lazy(node) || names_complex_dtype(node);
  }

  bool writes_into_viewed(const Node& node) const {
    return !viewed_.empty() && std::ranges::any_of(tensor_arguments(node), [&](TensorId id) {
      return viewed_.contains(root(id));
    });
  }

  // Tensors that share memory have one root: views view their first operands. (Others may have it,
  // too.)
  TensorId root(TensorId id) const {
    const auto found = roots_.find(id);
    return found == roots_.end() ? id : found->second;
  }
  TensorId root(const Node& node) const {
    const std::vector<TensorId> tensors = tensor_arguments(node);
    return tensors.empty() || tensors[0] < 0 ? kNone : root(tensors[0]);
  }

  Graph& graph_;
  const ComplexTensors& complex_;
  const PlaceOfNode& place_;
  std::vector<Node> made_;
  std::unordered_map<TensorId, TensorId> roots_;
  std::unordered_set<TensorId> viewed_;
};

}  // namespace
}  // namespace complex_parts

std::optional<DType> parse_complex_dtype(std::string_view name) {
  for (const auto& [full, parts] : complex_parts::kDTypes)
    if (name == full || name == full.substr(full.find('.') + 1)) return parts;
  return std::nullopt;
}

Arg complex_dtype_argument(DType parts) {
  const auto* found =
      std::ranges::find(complex_parts::kDTypes, parts, &std::pair<std::string_view, DType>::second);
  return {std::string(found->first)};
}

void make_parts(Tensor& tensor) {
  tensor.shape.push_back(2);
  if (!tensor.strides) return;
  for (Int& stride : *tensor.strides) {
    if (!mul_overflow(stride, Int(2), &stride)) continue;
    tensor.strides.reset();
    return;
  }
  tensor.strides->push_back(1);
}

void rewrite_complex(Graph& graph, const ComplexTensors& complex, const PlaceOfNode& place) {
  complex_parts::Rewriter(graph, complex, place).run();
}

}  // namespace assay
