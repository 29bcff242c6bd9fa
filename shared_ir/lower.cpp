#include "shared_ir/lower.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shared_ir/integer.h"
#include "shared_ir/lower/arguments.h"
#include "shared_ir/lower/evaluate.h"
#include "shared_ir/lower/in_place.h"
#include "shared_ir/lower/random_operators.h"

namespace assay {
namespace {

using namespace lowering;

constexpr const char* kMakeFunctional =
    "capture a functional graph, or use what the in-place operator returns";

class Lowering {
 public:
  Lowering(const Graph& graph, const Groups& groups, Rank rank, const OperatorTable& operators)
      : graph_(graph),
        operators_(operators),
        builder_(3 * graph.nodes.size() + graph.inputs.size()),
        context_{builder_, groups, rank, {&graph, nullptr}, nullptr, {}},
        value_of_(graph.tensors.size(), kNone) {}

  CoreProgram run() {
    for (TensorId id : graph_.inputs)
      value_of_[id] = builder_.input(id, graph_.tensors[id].dtype, graph_.tensors[id].shape);
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      context_.site.node = &graph_.nodes[i];
      asked_by([&] { return describe(graph_.nodes[i]); });
      builder_.set_origin(static_cast<NodeId>(i));
      try {
        lower_node(graph_.nodes[i]);
      } catch (const RationalOverflow&) {
        context_.site.fail("arithmetic on its constants needs more than 64 bits");
      } catch (const SizeOverflow&) {
        context_.site.fail("its sizes leave 64 bits, or it is too many operators at once");
      }
    }
    for (const TensorId output : graph_.outputs) {
      const Node* by = changed_by(output);
      if (by == nullptr) continue;
      context_.site.node = by;
      context_.site.fail(fmt::format("changes the memory of '{}', which the graph gives out",
                                     graph_.tensors[output].name),
                         kMakeFunctional);
    }
    return builder_.finish(std::move(value_of_));
  }

 private:
  static std::string describe(const Node& node) {
    return node.source.known() ? fmt::format("{} at {}", node.op, to_string(node.source)) : node.op;
  }

  // Outputs that relations speak of as inputs (their values were lost by the capture) keep their
  // input.
  bool is_wanted(TensorId output) const { return output != kNone && value_of_[output] == kNone; }

  void lower_node(const Node& node) {
    if (!overwritten_.empty())
      for (const TensorId operand : operands_of(node)) refuse_changed(operand);
    const OperatorDeclaration* declaration = operators_.find(node.op);
    const std::string functional = declaration ? "" : functional_form(node.op);
    if (functional.empty()) return lower_functional(node, declaration);
    lower_functional(node, operators_.find(functional));
    const CoreId result =
        node.outputs.empty() || node.outputs[0] == kNone ? kNone : value_of_[node.outputs[0]];
    for (const TensorId operand : changed_operands(node))
      if (value_of_[operand] != kNone)
        overwritten_.change(builder_, value_of_[operand], result, node);
  }

  // An in-place operator changes its first argument.
  static std::vector<TensorId> changed_operands(const Node& node) {
    Node first;
    if (!node.args.empty()) first.args = {node.args[0]};
    return operands_of(first);
  }

  const Node* changed_by(TensorId tensor) const {
    const CoreId value = value_of_[tensor];
    return value == kNone ? nullptr : overwritten_.changed_by(builder_, value);
  }

  void refuse_changed(TensorId operand) const {
    const Node* by = changed_by(operand);
    if (by == nullptr) return;
    context_.site.fail(fmt::format("reads '{}', whose memory node '{}' ({}) has changed in place",
                                   graph_.tensors[operand].name, node_name(graph_, *by), by->op),
                       kMakeFunctional);
  }

  void lower_functional(const Node& node, const OperatorDeclaration* declaration) {
    const bool used = std::any_of(node.outputs.begin(), node.outputs.end(),
                                  [](TensorId output) { return output != kNone; });
    if (!used && !(declaration && declaration->communicates)) return;
    if (!declaration) return lower_opaque(node, {});
    try {
      lower_declared(node, *declaration);
    } catch (const Unsupported& unsupported) {
      lower_opaque(node, unsupported.reason);
    }
  }

  const Tensor* recorded_output(const Node& node, size_t i) const {
    return i < node.outputs.size() && node.outputs[i] != kNone ? &graph_.tensors[node.outputs[i]]
                                                               : nullptr;
  }

  void lower_declared(const Node& node, const OperatorDeclaration& declaration) {
    NodeEvaluator evaluator(context_, declaration,
                            bind_arguments(context_.site, declaration, value_of_));
    if (!declaration.assume.empty()) builder_.note(declaration.assume);
    // A functionalized operator without returns has None as its output 0.
    const bool starts_with_none = !node.outputs.empty() && node.outputs[0] == kNone;
    size_t next = declaration.returns.empty() && starts_with_none ? 1 : 0;
    for (const Expr& expr : declaration.returns) {
      if (next == node.outputs.size() && next > 0) break;
      context_.recorded = recorded_output(node, next);
      if (!context_.recorded && declaration.returns.size() > 1) {  // an unused return
        ++next;
        continue;
      }
      Value value = evaluator.evaluate(expr);
      if (const ValueList* list = value.get_if<ValueList>()) {
        for (const Value& element : *list) set_output(node, next++, element);
      } else {
        set_output(node, next++, value);
      }
    }
    for (const Expr& expr : declaration.writes) {
      context_.recorded = recorded_output(node, next);
      if (context_.recorded) set_output(node, next, evaluator.evaluate(expr));
      ++next;
    }
    if (node.outputs.size() > next)
      context_.site.fail(
          fmt::format("{} outputs recorded, its declaration gives {}", node.outputs.size(), next));
  }

  void set_output(const Node& node, size_t i, const Value& value) {
    const TensorRef* tensor = value.get_if<TensorRef>();
    if (!tensor) context_.site.fail(fmt::format("the declaration of result {} gives no tensor", i));
    if (i >= node.outputs.size() || !is_wanted(node.outputs[i])) return;
    const Tensor& recorded = graph_.tensors[node.outputs[i]];
    CoreId id = tensor->id;
    // A recorded precision that differs (kernels with wider or narrower results) is a cast: the
    // same value.
    if (is_floating(recorded.dtype) && is_floating(builder_.dtype(id)))
      id = builder_.cast(id, recorded.dtype);
    if (builder_.shape(id) != recorded.shape || builder_.dtype(id) != recorded.dtype)
      context_.site.fail(
          fmt::format("'{}' is recorded as {} [{}], but its declaration gives {} [{}]",
                      recorded.name, to_string(recorded.dtype), fmt::join(recorded.shape, ", "),
                      to_string(builder_.dtype(id)), fmt::join(builder_.shape(id), ", ")),
          "the graph was edited or recorded wrongly, or the operator's declaration is wrong");
    value_of_[node.outputs[i]] = id;
  }

  // An operator that nothing is known of is equal only to itself, on equal operands and attributes.
  void lower_opaque(const Node& node, const std::string& reason) {
    builder_.note_opaque(reason.empty() ? node.op : fmt::format("{} ({})", node.op, reason));
    std::vector<CoreId> operands;
    std::string attributes;
    for (const Arg& arg : node.args) attributes += describe(arg, operands) + ",";
    for (const auto& [keyword, arg] : node.kwargs)
      attributes += keyword + "=" + describe(arg, operands) + ",";
    // The n-th call of a random operator is a function of the n-th state of its generator.
    if (draws_random_numbers(node.op))
      operands.push_back(builder_.random("generator of " + node.op, DType::kInt64, {}));
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (!is_wanted(node.outputs[i])) continue;
      const Tensor& recorded = graph_.tensors[node.outputs[i]];
      value_of_[node.outputs[i]] =
          builder_.undeclared(fmt::format("{}({})#{}", node.op, attributes, i), operands,
                              recorded.dtype, recorded.shape);
    }
  }

  std::string describe(const Arg& arg, std::vector<CoreId>& operands) const {
    if (const TensorArg* tensor = std::get_if<TensorArg>(&arg.value)) {
      operands.push_back(value_of_[tensor->id]);
      return "tensor";
    }
    if (const ArgList* list = std::get_if<ArgList>(&arg.value)) {
      std::string text = "[";
      for (const Arg& element : *list) text += describe(element, operands) + ",";
      return text + "]";
    }
    return std::visit(
        [](const auto& value) -> std::string {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, ArgList> || std::is_same_v<T, TensorArg>)
            return {};
          else
            return attribute_text(Value{value});
        },
        arg.value);
  }

  const Graph& graph_;
  const OperatorTable& operators_;
  Builder builder_;
  Context context_;
  std::vector<CoreId> value_of_;
  Overwritten overwritten_;
};

}  // namespace

CoreProgram lower(const Graph& graph, const Groups& groups, Rank rank,
                  const OperatorTable& operators) {
  return Lowering(graph, groups, rank, operators).run();
}

}  // namespace assay
