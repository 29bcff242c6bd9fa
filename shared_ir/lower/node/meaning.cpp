#include "shared_ir/lower/node/meaning.h"
#include "shared_ir/lower/node/rounded_integers.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shared_ir/lower/declare/evaluate.h"
#include "shared_ir/lower/node/arguments.h"
#include "shared_ir/lower/node/random_operators.h"

namespace assay::lowering {
namespace {

// Calls on the elements of the lists that a call is given, which are equally long. An empty list is
// none.
std::vector<Node> calls_of_elements(const Site& site) {
  const auto length = [](const Arg& arg) -> std::optional<size_t> {
    const auto* list = std::get_if<ArgList>(&arg.value);
    return list != nullptr && !list->empty() ? std::optional(list->size()) : std::nullopt;
  };
  std::vector<const Arg*> all;
  for (const Arg& arg : site.node->args) all.push_back(&arg);
  for (const auto& [keyword, arg] : site.node->kwargs) all.push_back(&arg);
  std::optional<size_t> count;
  for (const Arg* arg : all) {
    const std::optional<size_t> own = length(*arg);
    if (own && count && own != count)
      site.fail(fmt::format("lists of {} and {} elements", *count, *own));
    if (own) count = own;
  }
  std::vector<Node> calls(count.value_or(0), *site.node);
  for (size_t i = 0; i < calls.size(); ++i) {
    const auto take = [i](Arg& arg) {
      if (auto* list = std::get_if<ArgList>(&arg.value))
        arg = list->empty() ? Arg{} : Arg((*list)[i]);
    };
    for (Arg& arg : calls[i].args) take(arg);
    for (auto& [keyword, arg] : calls[i].kwargs) take(arg);
  }
  return calls;
}

class Declared {
 public:
  Declared(Context& context, const OperatorDeclaration& declaration, const Recorded& recorded,
           const std::vector<CoreId>& values)
      : context_(context),
        declaration_(declaration),
        recorded_(recorded),
        functional_(was_made_functional(*context.site.graph, *context.site.node)) {
    const auto add_call = [&](const Site& site) {
      evaluators_.emplace_back(context, declaration, bind_arguments(site, declaration, values));
    };
    if (declaration.each) {
      for (const Node& call : calls_of_elements(context.site))
        add_call({context.site.graph, &call});
    } else {
      add_call(context.site);
    }
    any_used_ = std::any_of(recorded.returns.begin(), recorded.returns.end(),
                            [](const Tensor* tensor) { return tensor != nullptr; });
    results_.returns.assign(recorded.returns.size(), kNone);
    results_.writes.assign(recorded.writes.size(), kNone);
  }

  Results run() {
    if (!declaration_.assume.empty()) context_.builder.note(declaration_.assume);
    const std::vector<const Tensor*>& outputs = recorded_.returns;
    check_results();
    next_ = starts_with_none() ? 1 : 0;
    returns();
    writes();
    if (outputs.size() > next_)
      context_.site.fail(
          fmt::format("{} outputs recorded, its declaration gives {}", outputs.size(), next_));
    return std::move(results_);
  }

  // What run() had when it threw.
  const Results& so_far() const { return results_; }

 private:
  // What auto_functionalized gives of an operator without returns.
  bool starts_with_none() const {
    return context_.site.node->functional && declaration_.returns.empty();
  }

  // Before any is computed: where one is not declared for these arguments, others would be taken
  // for functions of the operands.
  void check_results() const {
    const std::vector<const Tensor*>& outputs = recorded_.returns;
    if (starts_with_none() && !outputs.empty() && outputs[0] != nullptr)
      context_.site.fail(
          fmt::format("output 0 is recorded as '{}', and is None: its declaration has no `returns`",
                      outputs[0]->name));
    const auto used =
        std::ranges::find_if(outputs, [](const Tensor* one) { return one != nullptr; });
    if (!functional_ && declaration_.returns.empty() && used != outputs.end())
      context_.site.fail(
          fmt::format("a result is recorded, '{}', and its declaration has none", (*used)->name),
          "declare it with `returns`; only what writes one operand and nothing else returns that "
          "without saying so. Where the capture made it functional, say \"functional\": true");
    if (context_.site.node->functional) check_order();
  }

  // Outputs of auto_functionalized follow the operands that are written in the schema's order, as
  // it lists them.
  void check_order() const {
    size_t last = 0;
    for (const auto& [keyword, arg] : context_.site.node->kwargs) {
      const auto named = std::ranges::find(declaration_.parameters, keyword, &Parameter::name);
      if (named == declaration_.parameters.end() || !named->written) continue;
      const auto place = static_cast<size_t>(named - declaration_.parameters.begin());
      if (place < last)
        context_.site.fail(
            fmt::format("argument '{}' comes after '{}', which follows it in the schema", keyword,
                        declaration_.parameters[last].name),
            "captures list what an operator writes in the order of its schema");
      last = place;
    }
  }

  const Tensor* recorded_return(size_t i) const {
    return i < recorded_.returns.size() ? recorded_.returns[i] : nullptr;
  }

  void returns() {
    for (const Expr& expr : declaration_.returns)
      for (NodeEvaluator& evaluator : evaluators_) evaluate_return(expr, evaluator);
  }

  void evaluate_return(const Expr& expr, NodeEvaluator& evaluator) {
    if (next_ == recorded_.returns.size() && next_ > 0) return;
    context_.recorded = recorded_return(next_);
    if (!context_.recorded && any_used_ && declaration_.returns.size() > 1) {
      ++next_;
      return;
    }
    const Value value = evaluator.evaluate(expr);
    if (const ValueList* list = value.get_if<ValueList>()) {
      for (const Value& element : *list) put_return(element);
    } else {
      put_return(value);
    }
  }

  void writes() {
    size_t next = 0, written = 0;
    for (size_t i = 0; i < declaration_.parameters.size(); ++i) {
      if (!declaration_.parameters[i].written) continue;
      const Expr& expr = declaration_.writes[next++];
      for (NodeEvaluator& evaluator : evaluators_) {
        if (functional_)
          new_value(expr, evaluator);
        else if (!evaluator.argument(i).is_none())
          write(i, expr, evaluator, written++);
      }
    }
    // Others than are declared, or one tensor by each call on elements of lists.
    if (!functional_ && !recorded_.writes.empty() && next != 0 &&
        written != recorded_.writes.size())
      context_.site.fail(fmt::format("writes {} tensors, its declaration says of {}",
                                     recorded_.writes.size(), written));
  }

  void new_value(const Expr& expr, NodeEvaluator& evaluator) {
    context_.recorded = recorded_return(next_);
    if (context_.recorded)
      put_return(evaluator.evaluate(expr));
    else
      ++next_;
  }

  void write(size_t parameter, const Expr& expr, NodeEvaluator& evaluator, size_t written) {
    if (written >= recorded_.writes.size()) return;  // of this call, its arguments say
    if (evaluator.argument(parameter).get_if<TensorRef>() == nullptr)
      context_.site.fail(fmt::format("its declaration writes one tensor into '{}', which is none",
                                     declaration_.parameters[parameter].name),
                         "of lists, elements are declared, with each = true");
    context_.recorded = recorded_.writes[written];
    results_.writes[written] = tensor_of(evaluator.evaluate(expr), written);
  }

  CoreId tensor_of(const Value& value, size_t i) const {
    const TensorRef* tensor = value.get_if<TensorRef>();
    if (!tensor) context_.site.fail(fmt::format("the declaration of result {} gives no tensor", i));
    return tensor->id;
  }

  void put_return(const Value& value) {
    const CoreId id = tensor_of(value, next_);
    if (next_ < results_.returns.size() && recorded_.returns[next_]) results_.returns[next_] = id;
    ++next_;
  }

  Context& context_;
  const OperatorDeclaration& declaration_;
  const Recorded& recorded_;
  const bool functional_;
  std::vector<NodeEvaluator> evaluators_;  // of the call, or of one for each element
  Results results_;
  bool any_used_ = false;  // of the returns; of a call that nobody uses all are made
  size_t next_ = 0;        // return
};

std::string describe(const Arg& arg, const std::vector<CoreId>& values,
                     std::vector<CoreId>& operands) {
  if (const TensorArg* tensor = std::get_if<TensorArg>(&arg.value)) {
    operands.push_back(values[tensor->id]);
    return "tensor";
  }
  if (const ArgList* list = std::get_if<ArgList>(&arg.value)) {
    std::string text = "[";
    for (const Arg& element : *list) text += describe(element, values, operands) + ",";
    return text + "]";
  }
  return std::visit(
      [](const auto& value) -> std::string {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, ArgList> || std::is_same_v<T, TensorArg>)
          return {};
        else if constexpr (std::is_same_v<T, std::string>)
          return fmt::format("text {}:{}", value.size(), value);
        else if constexpr (std::is_same_v<T, double>)
          return "float " + attribute_text(Value{value});
        else
          return attribute_text(Value{value});
      },
      arg.value);
}

}  // namespace

Results declared_results(Context& context, const OperatorDeclaration& declaration,
                         const Recorded& recorded, const std::vector<CoreId>& values) {
  return Declared(context, declaration, recorded, values).run();
}

Results results_of(Context& context, const OperatorDeclaration* declaration,
                   const Recorded& recorded, const std::vector<CoreId>& values) {
  std::string name = context.site.node->op;
  Results known;
  Recorded rest = recorded;
  if (declaration != nullptr) {
    Declared declared(context, *declaration, recorded, values);
    try {
      Results results = declared.run();
      const auto rounded = rounded_integers(context, results, values);
      if (!rounded) return results;
      name += fmt::format(" ({})", *rounded);
    } catch (const Unsupported& unsupported) {
      name += fmt::format(" ({})", unsupported.reason);
      // What was declared for these arguments before one was not is kept.
      known = declared.so_far();
    }
    for (size_t i = 0; i < known.returns.size(); ++i)
      if (known.returns[i] != kNone) rest.returns[i] = nullptr;
    for (size_t i = 0; i < known.writes.size(); ++i)
      if (known.writes[i] != kNone) rest.writes[i] = nullptr;
  }
  context.builder.note_opaque(name);
  Results results = opaque_results(context, rest, values);
  for (size_t i = 0; i < known.returns.size(); ++i)
    if (known.returns[i] != kNone) results.returns[i] = known.returns[i];
  for (size_t i = 0; i < known.writes.size(); ++i)
    if (known.writes[i] != kNone) results.writes[i] = known.writes[i];
  return results;
}

CoreId fitting(Context& context, CoreId value, const Tensor& recorded) {
  Builder& builder = context.builder;
  if (is_floating(recorded.dtype) && is_floating(builder.dtype(value)))
    value = builder.cast(value, recorded.dtype);
  if (builder.shape(value) != recorded.shape || builder.dtype(value) != recorded.dtype)
    context.site.fail(
        fmt::format("'{}' is recorded as {} [{}], but its declaration gives {} [{}]", recorded.name,
                    to_string(recorded.dtype), fmt::join(recorded.shape, ", "),
                    to_string(builder.dtype(value)), fmt::join(builder.shape(value), ", ")),
        "the graph was edited or recorded wrongly, or the operator's declaration is wrong");
  return value;
}

Results opaque_results(Context& context, const Recorded& recorded,
                       const std::vector<CoreId>& values) {
  const Node& node = *context.site.node;
  std::vector<CoreId> operands;
  std::string attributes;
  for (const Arg& arg : node.args) attributes += describe(arg, values, operands) + ",";
  std::map<std::string_view, const Arg*> keywords;  // in any order
  for (const auto& [keyword, arg] : node.kwargs) keywords.emplace(keyword, &arg);
  for (const auto& [keyword, arg] : keywords)
    attributes += fmt::format("{}={},", keyword, describe(*arg, values, operands));
  // The n-th call of a random operator is a function of the n-th state of its generator.
  if (draws_random_numbers(node.op))
    operands.push_back(context.builder.random("generator of " + node.op, DType::kInt64, {}));
  const auto results = [&](const std::vector<const Tensor*>& tensors, const char* mark) {
    std::vector<CoreId> made;
    for (size_t i = 0; i < tensors.size(); ++i)
      made.push_back(tensors[i] ? context.builder.undeclared(
                                      fmt::format("{}({}){}{}", node.op, attributes, mark, i),
                                      operands, tensors[i]->dtype, tensors[i]->shape)
                                : kNone);
    return made;
  };
  return {results(recorded.returns, "#"), results(recorded.writes, "!")};
}

}  // namespace assay::lowering
