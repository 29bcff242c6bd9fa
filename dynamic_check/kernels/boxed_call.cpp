#include "dynamic_check/kernels/boxed_call.h"

#include <ATen/InferSize.h>
#include <ATen/TensorUtils.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/scalar_tensor.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "dynamic_check/kernels/custom_operators.h"
#include "dynamic_check/kernels/declared_operators.h"
#include "dynamic_check/kernels/hlo_operators.h"
#include "shared_ir/capture/torch/memory_format.h"
#include "shared_ir/capture/torch/scalar_type.h"
#include "shared_ir/memory/effects.h"
#include "shared_ir/operator_table/operator_table.h"

namespace assay {
namespace {

[[noreturn]] void fail(const Graph& graph, const Node& node, const std::string& why,
                       const std::string& hint = {}) {
  throw UserError(node.source, fmt::format("{}: cannot run {}: {}", graph.name, node.op, why),
                  hint);
}

// Of PyTorch's libraries, whose operators a declaration of the user cannot replace.
bool is_pytorchs(const Node& node) {
  return node.op.starts_with("aten.") || node.op.starts_with("_c10d") ||
         node.op.starts_with("prims.");
}

// "aten.add.Tensor" -> aten::add, Tensor; the overload "default" is PyTorch's empty one.
c10::OperatorName dispatcher_name(std::string_view op) {
  const size_t first = op.find('.');
  const size_t last = op.rfind('.');
  if (first == std::string_view::npos) return {std::string(op), ""};
  std::string overload = last == first ? "" : std::string(op.substr(last + 1));
  if (overload == "default") overload.clear();
  return {fmt::format("{}::{}", op.substr(0, first),
                      op.substr(first + 1, last == first ? last : last - first - 1)),
          overload};
}

// Turns the arguments of one call into what the schema asks for.
class ArgumentConverter {
 public:
  ArgumentConverter(const Graph& graph, const Node& node, const TensorLookup& value,
                    Arithmetic arithmetic)
      : graph_(graph), node_(node), value_(value), arithmetic_(arithmetic) {}

  c10::IValue convert(const c10::Argument& slot, const Arg& arg) const {
    return convert(slot.type(), slot.name(), arg);
  }

  at::ScalarType dtype(DType recorded) const {
    return arithmetic_ == Arithmetic::kFloat64 && is_floating(recorded) ? at::kDouble
                                                                        : to_scalar_type(recorded);
  }

 private:
  c10::IValue convert(const c10::TypePtr& type, const std::string& name, const Arg& arg) const {
    if (const auto optional = type->cast<c10::OptionalType>()) {
      return arg.is_none() ? c10::IValue() : convert(optional->getElementType(), name, arg);
    }
    if (const auto list = type->cast<c10::ListType>())
      return convert_list(list->getElementType(), name, arg);
    if (type->kind() == c10::TypeKind::TensorType) return tensor(name, arg);
    if (const auto* integer = std::get_if<int64_t>(&arg.value)) {
      if (type->kind() == c10::TypeKind::FloatType) return static_cast<double>(*integer);
      if (type->kind() == c10::TypeKind::BoolType) return *integer != 0;
      return *integer;
    }
    if (const auto* real = std::get_if<double>(&arg.value)) return *real;
    if (const auto* boolean = std::get_if<bool>(&arg.value)) {
      // A float64 operand has no narrower type to be widened from.
      return name == "half_to_float" && arithmetic_ == Arithmetic::kFloat64 ? false : *boolean;
    }
    if (const auto* text = std::get_if<std::string>(&arg.value)) {
      if (const auto format = memory_format(*text)) return static_cast<int64_t>(*format);
      return *text;
    }
    if (const auto* type_arg = std::get_if<DType>(&arg.value))
      return static_cast<int64_t>(dtype(*type_arg));
    fail(graph_, node_, fmt::format("argument {} does not fit type {}", name, type->str()));
  }

  at::Tensor tensor(const std::string& name, const Arg& arg) const {
    if (const auto* id = std::get_if<TensorArg>(&arg.value)) return value_(id->id);
    // A Python number where the schema has a tensor: it must not widen the result's type.
    at::Tensor scalar;
    if (const auto* integer = std::get_if<int64_t>(&arg.value)) {
      scalar = at::scalar_tensor(*integer, at::kLong);
    } else if (const auto* real = std::get_if<double>(&arg.value)) {
      scalar = at::scalar_tensor(*real, at::kDouble);
    } else if (const auto* boolean = std::get_if<bool>(&arg.value)) {
      scalar = at::scalar_tensor(*boolean, at::kBool);
    } else {
      fail(graph_, node_, fmt::format("argument {} must be a tensor", name));
    }
    scalar.unsafeGetTensorImpl()->set_wrapped_number(true);
    return scalar;
  }

  c10::IValue convert_list(const c10::TypePtr& element, const std::string& name,
                           const Arg& arg) const {
    ArgList elements;
    if (const auto* list = std::get_if<ArgList>(&arg.value)) {
      elements = *list;
    } else {
      elements = {arg};  // int where the schema has int[1]
    }
    c10::impl::GenericList list(element);
    for (const Arg& item : elements) list.push_back(convert(element, name, item));
    return list;
  }

  const Graph& graph_;
  const Node& node_;
  const TensorLookup& value_;
  const Arithmetic arithmetic_;
};

const Arg* find_argument(const Node& node, size_t position, const std::string& name) {
  if (position < node.args.size()) return &node.args[position];
  for (const auto& [key, arg] : node.kwargs) {
    if (key == name) return &arg;
  }
  return nullptr;
}

// Of the type that was recorded, whatever the arithmetic: types of fewer bits are accumulated in
// float32.
c10::IValue default_epsilon(const Graph& graph, const Node& node) {
  const DType dtype = graph.tensors[static_cast<size_t>(tensor_arguments(node).at(0))].dtype;
  return machine_epsilon(dtype == DType::kFloat64 ? dtype : DType::kFloat32);
}

// The arguments in schema order. Where the call was made functional, mutated tensors are replaced
// by copies, which `mutated` receives.
std::vector<c10::IValue> make_stack(const Graph& graph, const Node& node,
                                    const c10::FunctionSchema& schema,
                                    const ArgumentConverter& converter,
                                    std::vector<at::Tensor>& mutated) {
  const bool functional = was_made_functional(graph, node);
  std::vector<c10::IValue> stack;
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    const c10::Argument& slot = schema.arguments()[i];
    const Arg* arg = find_argument(node, i, slot.name());
    if (arg && !arg->is_none()) {
      stack.push_back(converter.convert(slot, *arg));
    } else {
      stack.push_back(slot.default_value().value_or(c10::IValue()));
      // A factory without a dtype would make float32: it makes what was recorded.
      if (slot.name() == "dtype" && !node.outputs.empty() && node.outputs[0] != kNone) {
        const DType recorded = graph.tensors[static_cast<size_t>(node.outputs[0])].dtype;
        if (tensor_arguments(node).empty())
          stack.back() = static_cast<int64_t>(converter.dtype(recorded));
      }
      if (slot.name() == "eps" && stack.back().isNone() &&
          schema.name().find("rms_norm") != std::string::npos)
        stack.back() = default_epsilon(graph, node);
    }
    if (functional && slot.alias_info() && slot.alias_info()->isWrite() &&
        stack.back().isTensor()) {
      mutated.push_back(stack.back().toTensor().clone());
      stack.back() = mutated.back();
    }
  }
  return stack;
}

// Batch normalization in evaluation reads running statistics; PyTorch's kernels do not look whether
// they are there.
bool lacks_statistics(const c10::FunctionSchema& schema, const std::vector<c10::IValue>& stack) {
  if (schema.name().find("batch_norm") == std::string::npos) return false;
  const auto argument = [&](const std::string& name) {
    const auto index = schema.argumentIndexWithName(name);
    return index ? &stack[static_cast<size_t>(*index)] : nullptr;
  };
  const c10::IValue* training = argument("training");
  if (training == nullptr) training = argument("train");
  if (training == nullptr || !training->isBool() || training->toBool()) return false;
  const c10::IValue *mean = argument("running_mean"), *variance = argument("running_var");
  return mean == nullptr || !mean->isTensor() || variance == nullptr || !variance->isTensor();
}

// Whether the tensor's elements can be seen in another shape where they lie. `size`: a list of
// integers, or a dtype, of which nothing is said.
bool is_viewable(const at::Tensor& tensor, const c10::IValue& size) {
  if (!size.isIntList()) return false;
  const std::vector<int64_t> shape = at::infer_size(size.toIntVector(), tensor.numel());
  return at::detail::computeStride(tensor.sizes(), tensor.strides(), shape).has_value();
}

std::vector<at::Tensor> run_dispatched(const Graph& graph, const Node& node,
                                       const c10::OperatorHandle& op, const TensorLookup& value,
                                       Arithmetic arithmetic) {
  const ArgumentConverter converter(graph, node, value, arithmetic);
  std::vector<at::Tensor> mutated;
  std::vector<c10::IValue> stack = make_stack(graph, node, op.schema(), converter, mutated);
  // Graphs record no strides: a view that was legal then may need its elements in row-major order
  // now.
  const std::string_view name = operator_name(node);
  if (name == "aten.view" || name == "aten._unsafe_view") {
    const at::Tensor& viewed = stack[0].toTensor();
    if (!is_viewable(viewed, stack.at(1))) stack[0] = viewed.contiguous();
  }
  if (lacks_statistics(op.schema(), stack))
    fail(graph, node, "batch normalization in evaluation without running statistics");
  op.callBoxed(&stack);
  std::vector<at::Tensor> outputs;
  for (const c10::IValue& result : stack) {
    if (result.isTensor()) outputs.push_back(result.toTensor());
    if (result.isTensorList()) {
      for (const at::Tensor& tensor : result.toTensorVector()) outputs.push_back(tensor);
    }
  }
  outputs.insert(outputs.end(), mutated.begin(), mutated.end());
  return outputs;
}

// Where the capture counts the None of an operator without returns, mutated arguments start at
// output 1.
std::vector<at::Tensor> numbered(const Node& node, bool returns, std::vector<at::Tensor> outputs) {
  if (!returns && node.functional) outputs.insert(outputs.begin(), at::Tensor());
  return outputs;
}

// Whether it makes floating numbers of integers alone.
bool is_of_integers(const Graph& graph, const Node& node, const c10::OperatorHandle& op) {
  const auto has_floats = [&](const std::vector<TensorId>& ids) {
    return std::ranges::any_of(ids, [&](TensorId id) {
      return id != kNone && is_floating(graph.tensors[static_cast<size_t>(id)].dtype);
    });
  };
  const std::vector<TensorId> operands = tensor_arguments(node);
  return is_pytorchs(node) && !operands.empty() && !has_floats(operands) &&
         has_floats(node.outputs) && !op.hasTag(at::Tag::nondeterministic_seeded);
}

// PyTorch makes float32 of integers, whatever the run's arithmetic is (arange * 0.1): they are its
// numbers before. A kernel that wants integers or flags gets them.
std::vector<at::Tensor> run_widened(const Graph& graph, const Node& node,
                                    const c10::OperatorHandle& op, const TensorLookup& value,
                                    Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::kFloat64 && is_of_integers(graph, node, op)) {
    try {
      return run_dispatched(
          graph, node, op, [&](TensorId id) { return value(id).to(at::kDouble); }, arithmetic);
    } catch (const c10::Error&) {
    }
  }
  return run_dispatched(graph, node, op, value, arithmetic);
}

const OperatorDeclaration* declaration_of(const Node& node) {
  static const OperatorTable declarations = OperatorTable::builtin();
  return declarations.find(node.op);
}

// What an operator that PyTorch does not know has made of operands that it writes, their new values
// the last of its outputs, goes into their memory. Not where the call was made functional.
std::vector<at::Tensor> written_back(const Graph& graph, const Node& node,
                                     const TensorLookup& value,
                                     const OperatorDeclaration* declaration,
                                     std::vector<at::Tensor> outputs) {
  if (was_made_functional(graph, node) || declaration == nullptr) return outputs;
  const std::vector<TensorId> written =
      memory::written_by(graph, node, memory::schema_of(node.op, declaration));
  if (written.size() > outputs.size()) return outputs;
  const size_t first = outputs.size() - written.size();
  for (size_t i = 0; i < written.size(); ++i)
    if (outputs[first + i].defined()) value(written[i]).copy_(outputs[first + i]);
  return outputs;
}

at::Tensor poison(const at::Tensor& tensor) {
  if (!tensor.is_floating_point()) return at::full_like(tensor, 0);
  return at::full_like(tensor, std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

at::Tensor widened(const at::Tensor& tensor) {
  return tensor.is_floating_point() ? tensor.to(at::kDouble) : tensor;
}

std::vector<at::Tensor> run_operator(const Graph& graph, const Node& node,
                                     const TensorLookup& value, Arithmetic arithmetic,
                                     const DeclaredOperators* declared) {
  at::NoGradGuard no_grad;
  const std::string_view name = operator_name(node);
  try {
    if (arithmetic == Arithmetic::kFloat64 && declared && declared->declares(node)) {
      if (declared->communicates(node)) fail(graph, node, "it communicates, and computes besides");
      std::vector<at::Tensor> outputs = written_back(
          graph, node, value, declared->declaration(node), declared->run(graph, node, value));
      outputs.resize(node.outputs.size());  // without what was written
      return outputs;
    }
    const CustomOperator* custom = find_custom_operator(name);
    if (!custom) custom = find_hlo_operator(node.op);
    if (custom && custom->only_wide && arithmetic == Arithmetic::kAsRecorded) custom = nullptr;
    if (custom)
      return numbered(node, custom->returns,
                      written_back(graph, node, value, declaration_of(node),
                                   custom->kernel(CustomCall(graph, node, value))));
    const auto op = c10::Dispatcher::singleton().findSchema(dispatcher_name(node.op));
    if (!op) fail(graph, node, "PyTorch has no such operator, and no reference kernel is known");
    std::vector<at::Tensor> outputs = run_widened(graph, node, *op, value, arithmetic);
    if (is_uninitialised(node)) {
      for (at::Tensor& output : outputs) output = poison(output);
    }
    return numbered(node, !op->schema().returns().empty(), std::move(outputs));
  } catch (const c10::Error& error) {
    const std::string why = error.what_without_backtrace();
    if (why.find("out of range") != std::string::npos ||
        why.find("out of bounds") != std::string::npos) {
      throw IndexOutOfRange(node.source, fmt::format("{}: {}: {}", graph.name, node.op, why));
    }
    const bool may_be_declared = arithmetic == Arithmetic::kFloat64 && !is_pytorchs(node);
    fail(graph, node, why,
         may_be_declared
             ? "where a kernel has no float64, declare what it computes, in a file that "
               "the test gives to operators(): then that is run in its place"
             : "");
  }
}

std::string_view operator_name(const Node& node) {
  const std::string_view op = node.op;
  const size_t first = op.find('.');
  const size_t last = op.rfind('.');
  return last == first ? op : op.substr(0, last);
}

bool is_uninitialised(const Node& node) {
  static const std::set<std::string_view> kNames{
      "aten.empty",     "aten.empty_like",        "aten.empty_strided",
      "aten.new_empty", "aten.new_empty_strided", "aten.empty_permuted"};
  return kNames.contains(operator_name(node));
}

bool is_random(const Node& node) {
  const auto op = c10::Dispatcher::singleton().findSchema(dispatcher_name(node.op));
  return op && op->hasTag(at::Tag::nondeterministic_seeded);
}

bool draws(const Node& node) {
  if (!is_random(node)) return false;
  const auto op = c10::Dispatcher::singleton().findSchema(dispatcher_name(node.op));
  for (size_t i = 0; i < op->schema().arguments().size(); ++i) {
    const c10::Argument& slot = op->schema().arguments()[i];
    const Arg* arg = find_argument(node, i, slot.name());
    if (slot.name() == "dropout_p") {
      const auto* given = arg ? std::get_if<double>(&arg->value) : nullptr;
      if ((given ? *given : slot.default_value().value_or(1.0).toDouble()) == 0) return false;
    }
    if (slot.name() == "train") {
      const auto* given = arg ? std::get_if<bool>(&arg->value) : nullptr;
      if (given && !*given) return false;
    }
  }
  return true;
}

bool is_view_operator(const Node& node) {
  if (operator_name(node) == "aten._unsafe_view") return true;  // its schema does not tell
  const auto op = c10::Dispatcher::singleton().findSchema(dispatcher_name(node.op));
  if (!op) return false;
  for (const c10::Argument& result : op->schema().returns()) {
    if (result.alias_info() && !result.alias_info()->isWrite()) return true;
  }
  return false;
}

}  // namespace assay
