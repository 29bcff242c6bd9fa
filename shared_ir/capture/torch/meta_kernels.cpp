#include "shared_ir/capture/torch/meta_kernels.h"

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

void run_on_meta(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                 torch::jit::Stack* stack) {
  replace_devices(op.schema(), *stack);
  const auto arguments = torch::jit::last(*stack, op.schema().arguments().size());
  std::optional<std::vector<at::Tensor>> results = infer_results(op.operator_name(), arguments);
  if (!results) {
    op.redispatchBoxed(keys, stack);
    return;
  }
  torch::jit::drop(*stack, arguments.size());
  for (auto& result : *results) stack->emplace_back(std::move(result));
}

}  // namespace assay
