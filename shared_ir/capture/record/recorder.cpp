#include "shared_ir/capture/record/recorder.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/native/TypeProperties.h>
#include <ATen/ops/empty_strided.h>

#include <algorithm>
#include <numeric>

#include "shared_ir/capture/places/module_scope.h"
#include "shared_ir/capture/record/view_in_place.h"
#include "shared_ir/capture/torch/arguments.h"
#include "shared_ir/capture/torch/meta_kernels.h"
#include "shared_ir/capture/torch/results_of_a_run.h"

namespace assay {
namespace {

std::vector<at::Tensor> tensors_of(const c10::IValue& value) {
  // An undefined tensor keeps its place.
  if (value.isTensor()) return {value.toTensor()};
  if (value.isNone()) return {at::Tensor()};
  std::vector<at::Tensor> tensors;
  for_each_tensor(value, [&](const at::Tensor& tensor) { tensors.push_back(tensor); });
  return tensors;
}

bool is_tensor_type(const c10::TypePtr& type) {
  if (const auto optional = type->cast<c10::OptionalType>()) {
    return is_tensor_type(optional->getElementType());
  }
  if (const auto list = type->cast<c10::ListType>()) return is_tensor_type(list->getElementType());
  return type->kind() == c10::TypeKind::TensorType;
}

// How at::tensor({...}) makes the memory that it writes its numbers to.
bool makes_unset_on_host(const c10::OperatorHandle& op, std::span<const c10::IValue> arguments) {
  if (op.operator_name().name != "aten::empty") return false;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (op.schema().arguments()[i].name() == "device")
      return arguments[i].isNone() || arguments[i].toDevice().is_cpu();
  return false;
}

std::string pretty(const c10::OperatorHandle& op) { return graph_name(op.operator_name()); }

}  // namespace

Recorder::Recorder(std::string graph_name, RecordingOptions options)
    : tape_(std::move(graph_name), std::move(options.on_outputs), options.expected),
      values_(tape_),
      host_(tape_, values_, options.shapes_only),
      pending_(tape_),
      shapes_only_(options.shapes_only),
      refuse_items_(options.shapes_only || options.refuse_items),
      copies_views_(options.copies_views) {}

void Recorder::input(const std::string& name, const at::Tensor& tensor) {
  values_.define(tensor, tape_.add_input(name, tensor));
}

Graph Recorder::finish() {
  pending_.finish();
  return tape_.finish();
}

void Recorder::output(const std::string& name, const at::Tensor& tensor) {
  tape_.set_origin({tape_.call_sites().here(), ModuleScope::path(), false});
  pending_.before_read(tensor);
  const Arg value = read(tensor);
  const auto* id = std::get_if<TensorArg>(&value.value);
  if (id == nullptr) {
    throw UserError(tape_.place(), "output '" + name + "' is a number, not a tensor",
                    "give a tensor that the program computed");
  }
  tape_.add_output(name, id->id);
}

int64_t Recorder::size_of(const at::Tensor& tensor, std::optional<int64_t> at_most) {
  tape_.set_origin({tape_.call_sites().here(), ModuleScope::path(), false});
  if (!tensor.defined() || tensor.numel() != 1 || !c10::isIntegralType(tensor.scalar_type(), false))
    throw UserError(tape_.place(), "a size is read from a tensor that is no single integer",
                    "give size_of(...) one element of an integer type");
  if (shapes_only_)
    throw SizesDependOnValues(tape_.place(), "a size is read from a tensor",
                              "capture the program with values");
  pending_.before_read(tensor);
  const Arg value = read(tensor);
  const auto* id = std::get_if<TensorArg>(&value.value);
  if (id == nullptr)
    throw UserError(tape_.place(), "a size is read from a number of the program",
                    "use the number itself");
  const SizeRead& made = sizes_read_.emplace_back(
      SizeRead{tape_.count(), id->id, tensor.item().toLong(), at_most, tape_.place()});
  if (at_most && made.value > *at_most)
    throw UserError(
        made.place,
        "a size that is at most " + std::to_string(*at_most) + " is " + std::to_string(made.value),
        "give size_of(...) the largest size that the tensor can hold");
  return made.value;
}

Arg Recorder::read(const at::Tensor& tensor) {
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
    // Only wrapped numbers have data that a graph may hold: they come from a Scalar of the program.
    const at::Scalar number = tensor.item();
    if (number.isBoolean()) return {number.toBool()};
    if (number.isIntegral(false)) return {number.toLong()};
    return {number.toDouble()};
  }
  const TensorId id = value_of(tensor);
  if (id == kNone) {
    throw UserError(tape_.place(),
                    "a tensor that the program did not compute from its inputs is used here",
                    "declare it as an input or a weight, or make it inside the program with "
                    "operators such as arange, full or where, or of numbers with "
                    "at::tensor({...})");
  }
  return {TensorArg{id}};
}

TensorId Recorder::value_of(const at::Tensor& tensor) {
  host_.before_use(tensor);
  return values_.read(tensor);
}

void Recorder::set_origin(std::span<const c10::IValue> arguments) {
  // To look at the stack takes as long as a small operator.
  if (tape_.expects()) return tape_.expect_origin();
  Origin here{tape_.call_sites().here(), ModuleScope::path(), false};
  const Origin* last = nullptr;
  TensorId newest = kNone;
  for (const c10::IValue& argument : arguments) {
    for_each_tensor(argument, [&](const at::Tensor& tensor) {
      newest = std::max(newest, values_.peek(tensor));
    });
  }
  if (newest != kNone) last = tape_.origin_of(newest);
  tape_.set_origin(forward_origins_.resolve(std::move(here), last));
  forward_origins_.remember(tape_.origin());
}

void Recorder::execute(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                       torch::jit::Stack* stack) {
  if (refuse_items_ && op.operator_name().name == "aten::_local_scalar_dense") {
    throw UserError(
        tape_.place(),
        "the program reads the value of a tensor here (item()), and a captured program "
        "has no values",
        "keep the value in a tensor, or pass it to the program as a constant; a size is read "
        "through p.size_of(tensor); a program with others is captured by torch.export or "
        "make_fx, and checked as fx-JSON");
  }
  if (!shapes_only_) {
    op.redispatchBoxed(keys, stack);
    return;
  }
  try {
    run_on_meta(op, keys, stack);
  } catch (const NoResults& none) {
    if (none.shapes_depend_on_values())
      throw SizesDependOnValues(tape_.place(), pretty(op) + " cannot be captured: " + none.what(),
                                none.what_to_do());
    throw UserError(tape_.place(), pretty(op) + " cannot be captured: " + none.what(),
                    none.what_to_do());
  } catch (const c10::Error& error) {
    throw UserError(tape_.place(), pretty(op) + ": " + error.what_without_backtrace(),
                    "the shapes are those of one rank");
  }
}

void Recorder::call(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                    torch::jit::Stack* stack) {
  set_origin(torch::jit::last(*stack, op.schema().arguments().size()));
  switch (collective_kind(op)) {
    case CollectiveKind::kNotCollective:
      return call_operator(op, keys, stack);
    case CollectiveKind::kData:
      return call_collective(op, keys, stack);
    case CollectiveKind::kSynchronize:
      return call_synchronization(op, keys, stack);
    case CollectiveKind::kUnsupported:
      break;
  }
  throw UserError(tape_.place(), pretty(op) + " cannot be captured",
                  "receive from a rank that is named, and give tensors of a list one by one");
}

std::pair<ArgList, std::vector<std::pair<std::string, Arg>>> Recorder::node_arguments(
    const c10::OperatorHandle& op, std::span<const size_t> positions,
    std::span<const c10::IValue> arguments) {
  std::pair<ArgList, std::vector<std::pair<std::string, Arg>>> result;
  for (const size_t i : positions) {
    const auto& argument = op.schema().arguments()[i];
    Arg arg =
        to_arg(arguments[i], argument, [&](const at::Tensor& tensor) { return read(tensor); });
    if (!argument.kwarg_only()) {
      result.first.push_back(std::move(arg));
    } else if (!arg.is_none()) {
      result.second.emplace_back(argument.name(), std::move(arg));
    }
  }
  return result;
}

void Recorder::call_operator(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                             torch::jit::Stack* stack) {
  if (op.hasTag(at::Tag::inplace_view)) return call_view_in_place(op, keys, stack);
  const c10::OperatorName& name = op.operator_name();
  if (name.name == "aten::fill_" && name.overload_name == "Tensor")
    return call_fill(op, keys, stack);
  const auto& schema = op.schema();
  const auto last = torch::jit::last(*stack, schema.arguments().size());
  const std::vector<c10::IValue> arguments(last.begin(), last.end());
  const FunctionalForm& form = functional_form(op);

  pending_.before_call(op, arguments);
  auto [args, kwargs] = node_arguments(op, form.arguments, arguments);
  for (const size_t i : form.mutated) {
    for_each_tensor(arguments[i], [&](const at::Tensor& tensor) { value_of(tensor); });
  }

  require_own_precision(op, form, arguments);

  if (copies_views_) require_writable(form, arguments);
  execute(op, keys, stack);
  if (copies_views_ && form.mutated.empty())
    copy_views(op, arguments, std::span(*stack).last(schema.returns().size()));
  if (name.name == "aten::scalar_tensor") {
    const auto made = torch::jit::last(*stack, 1)[0].toTensor();
    return host_.add_scalar(made, std::move(args), std::move(kwargs));
  }
  record(op, form, std::move(args), std::move(kwargs), arguments,
         torch::jit::last(*stack, schema.returns().size()));
}

// A number that is put at indices is a fill on the host, and on meta tensors a copy of the number
// everywhere: which is what is recorded.
void Recorder::call_fill(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                         torch::jit::Stack* stack) {
  const auto last = torch::jit::last(*stack, 2);
  const at::Tensor filled = last[0].toTensor(), number = last[1].toTensor();
  pending_.before_call(op, last);
  ArgList args = {{TensorArg{value_of(filled)}}, read(number)};
  if (filled.dim() > 0 && std::holds_alternative<TensorArg>(args[1].value)) {
    const at::AutoDispatchBelowADInplaceOrView no_gradient;
    const at::Tensor wide = number.expand(filled.sizes());
    const NodeId node = tape_.add("aten.expand.default", {args[1], int_list(filled.sizes().vec())},
                                  {{"implicit", {false}}}, {wide});
    values_.define_view(wide, number, node, 0);
    args[1] = {TensorArg{tape_.node(node).outputs[0]}};
  }
  execute(op, keys, stack);
  args.push_back({false});
  const NodeId node = tape_.add("aten.copy.default", std::move(args), {}, {filled});
  values_.write(filled, tape_.node(node).outputs[0]);
}

void Recorder::call_view_in_place(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                                  torch::jit::Stack* stack) {
  const auto last = torch::jit::last(*stack, op.schema().arguments().size());
  const std::vector<c10::IValue> arguments(last.begin(), last.end());
  std::vector<size_t> all(arguments.size());
  std::iota(all.begin(), all.end(), size_t{0});
  const at::Tensor tensor = arguments.at(0).toTensor();
  auto call = view_in_place(op, tensor, node_arguments(op, all, arguments).first);
  if (!call) {
    throw UserError(tape_.place(), pretty(op) + " gives a tensor other memory in place",
                    "make a new tensor of the size that is needed");
  }
  const at::Tensor before = StorageValues::handle(tensor);
  execute(op, keys, stack);
  if (values_.is_current(tensor)) return;
  const NodeId node = tape_.add(call->op, std::move(call->args), {}, {tensor});
  values_.define_view(tensor, before, node, 0);
}

// x.add_(y) computes in the wider type of both and casts to x's. The functional form of the graph
// would not cast.
void Recorder::require_own_precision(const c10::OperatorHandle& op, const FunctionalForm& form,
                                     std::span<const c10::IValue> arguments) {
  if (!form.pointwise) return;
  at::native::ResultTypeState state;
  for (const size_t i : form.arguments) {
    for_each_tensor(arguments[i], [&](const at::Tensor& tensor) {
      state = at::native::update_result_type_state(tensor, state);
    });
  }
  const auto& destination = arguments[form.mutated.front()];
  if (!destination.isTensor() ||
      destination.toTensor().scalar_type() == at::native::result_type(state)) {
    return;
  }
  throw UserError(tape_.place(), pretty(op) + " writes into a tensor of another element type",
                  "compute the result first, and copy_() it into the tensor");
}

void Recorder::require_writable(const FunctionalForm& form,
                                std::span<const c10::IValue> arguments) {
  for (const size_t i : form.mutated) {
    for_each_tensor(arguments[i], [&](const at::Tensor& tensor) {
      if (std::ranges::none_of(copied_, [&](const at::Storage& one) {
            return tensor.has_storage() && one.is_alias_of(tensor.storage());
          }))
        return;
      throw UserError(tape_.place(),
                      "the program writes into memory of which it has a view, and has sizes that "
                      "depend on values",
                      "use the form of the operator that returns a new tensor");
    });
  }
}

void Recorder::copy_views(const c10::OperatorHandle& op, std::span<const c10::IValue> arguments,
                          std::span<c10::IValue> results) {
  const std::string& name = op.operator_name().name;
  if (name == "aten::detach" || name == "aten::alias" || name.starts_with("aten::lift")) return;
  const auto copy = [&](const at::Tensor& shown) {
    bool is_view = false;
    for (const c10::IValue& argument : arguments)
      for_each_tensor(argument, [&](const at::Tensor& tensor) {
        is_view = is_view || (shown.defined() && tensor.is_alias_of(shown));
      });
    if (!is_view || !values_.is_current(shown)) return shown;
    const at::AutoDispatchBelowADInplaceOrView below;
    at::Tensor own = at::empty_strided(shown.sizes(), shown.strides(), shown.options());
    own.copy_(shown);
    copied_.push_back(shown.storage());
    copied_.push_back(own.storage());
    return own;
  };
  for (c10::IValue& result : results) {
    if (result.isTensor()) {
      result = copy(result.toTensor());
    } else if (result.isTensorList()) {
      c10::List<at::Tensor> copies;
      for (const at::Tensor& shown : result.toTensorVector()) copies.push_back(copy(shown));
      result = std::move(copies);
    }
  }
}

void Recorder::record(const c10::OperatorHandle& op, const FunctionalForm& form, ArgList args,
                      std::vector<std::pair<std::string, Arg>> kwargs,
                      std::span<const c10::IValue> arguments,
                      std::span<const c10::IValue> results) {
  std::vector<at::Tensor> outputs;
  const auto& returns = op.schema().returns();
  for (size_t i = 0; i < results.size(); ++i) {
    const bool is_argument =
        returns[i].alias_info() != nullptr && returns[i].alias_info()->isWrite();
    if (is_argument || !is_tensor_type(returns[i].type())) continue;
    for (auto& tensor : tensors_of(results[i])) outputs.push_back(std::move(tensor));
  }
  const size_t own = outputs.size();
  // Another handle on what an operand holds already (detach, a view of the same shape) is no node.
  const auto is_new = [&](const at::Tensor& tensor) {
    return tensor.defined() && !values_.is_current(tensor);
  };
  if (form.mutated.empty() && std::none_of(outputs.begin(), outputs.end(), is_new)) return;
  for (const size_t i : form.mutated) {
    for (auto& tensor : tensors_of(arguments[i])) outputs.push_back(std::move(tensor));
  }

  const NodeId node = tape_.add(form.op, std::move(args), std::move(kwargs), outputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const at::Tensor& output = outputs[i];
    if (!output.defined()) continue;
    const auto position = static_cast<int32_t>(i);
    const TensorId id = tape_.node(node).outputs[i];
    if (i >= own) {
      values_.write(output, id);
      continue;
    }
    if (!is_new(output)) continue;
    at::Tensor base;
    for (const c10::IValue& argument : arguments) {
      for_each_tensor(argument, [&](const at::Tensor& tensor) {
        if (!base.defined() && tensor.is_alias_of(output)) base = tensor;
      });
    }
    if (base.defined()) {
      values_.define_view(output, base, node, position);
    } else {
      const bool open = makes_unset_on_host(op, arguments) && host_.watch(output);
      if (shapes_only_ && !open) forbid_writes(output);
      values_.define(output, id);
    }
  }
}

}  // namespace assay
