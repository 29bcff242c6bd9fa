#include "shared_ir/capture/torch/meta_kernels.h"

#include <mutex>
#include <unordered_map>

#include "shared_ir/capture/torch/isolated_process.h"
#include "shared_ir/capture/torch/results_of_a_run.h"
#include "shared_ir/capture/torch/shape_functions.h"

namespace assay {
namespace {

bool is_device(const c10::Argument& argument) {
  c10::TypePtr type = argument.real_type();
  if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
  return type->kind() == c10::TypeKind::DeviceObjType;
}

bool takes_tensors(const c10::FunctionSchema& schema) {
  for (const auto& argument : schema.arguments()) {
    if (argument.type()->kind() == c10::TypeKind::TensorType) return true;
  }
  return false;
}

// A library's kernel for all devices may look into memory, which meta tensors do not have: whether
// it returns is tried in a process of its own, once for each operator.
bool may_run_on_meta(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                     const torch::jit::Stack& arguments) {
  const c10::OperatorName& name = op.operator_name();
  if (name.name.starts_with("aten::") || op.hasKernelForDispatchKey(c10::DispatchKey::Meta) ||
      !op.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd))
    return true;
  static std::mutex mutex;
  static std::unordered_map<c10::OperatorName, bool> known;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = known.try_emplace(name, false);
  if (is_new) {
    const IsolatedRun run = run_isolated([&](const SendMessage& send) {
      torch::jit::Stack stack = arguments;
      op.redispatchBoxed(keys, &stack);
      send({});
    });
    entry->second = !run.messages.empty();
  }
  return entry->second;
}

// `error`: what LibTorch says on meta tensors.
std::vector<c10::IValue> results_without_meta_kernel(const c10::OperatorHandle& op,
                                                     c10::ArrayRef<c10::IValue> arguments,
                                                     const c10::Error& error) {
  try {
    return results_of_a_run(op, arguments);
  } catch (const NoResults&) {
    if (dynamic_cast<const c10::NotImplementedError*>(&error) != nullptr) throw;
  }
  throw c10::Error(error);
}

void replace_devices(const c10::FunctionSchema& schema, torch::jit::Stack& stack) {
  const size_t count = schema.arguments().size();
  const size_t first = stack.size() - count;
  for (size_t i = 0; i < count; ++i) {
    const auto& argument = schema.arguments()[i];
    c10::IValue& value = stack[first + i];
    // A factory without a device makes its tensor on the CPU; other operators take the device of
    // their operands.
    const bool defaulted = value.isNone() && !takes_tensors(schema);
    if (is_device(argument) && (value.isDevice() || defaulted)) value = c10::Device(c10::kMeta);
    if (argument.name() == "pin_memory") value = c10::IValue();
  }
}

}  // namespace

void forbid_writes(const at::Tensor& meta) {
  meta.storage().unsafeGetStorageImpl()->set_throw_on_mutable_data_ptr();
}

void run_on_meta(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                 torch::jit::Stack* stack) {
  replace_devices(op.schema(), *stack);
  const auto last = torch::jit::last(*stack, op.schema().arguments().size());
  const std::vector<c10::IValue> arguments(last.begin(), last.end());
  torch::jit::Stack results;
  if (auto inferred = infer_results(op.operator_name(), arguments)) {
    for (auto& result : *inferred) results.emplace_back(std::move(result));
  } else if (!may_run_on_meta(op, keys, arguments)) {
    results = results_of_a_run(op, arguments);
  } else {
    results = arguments;
    try {
      op.redispatchBoxed(keys, &results);
    } catch (const c10::Error& error) {
      results = results_without_meta_kernel(op, arguments, error);
    }
  }
  torch::jit::drop(*stack, arguments.size());
  for (auto& result : results) stack->push_back(std::move(result));
}

}  // namespace assay
