#include <ATen/core/LegacyTypeDispatch.h>

#include "shared_ir/capture/record/recorder.h"
#include "shared_ir/capture/torch/arguments.h"

namespace assay {

// The node whose results the outputs hold.
NodeId Recorder::add_collective(const CollectiveCall& call, ArgList args,
                                const std::vector<at::Tensor>& outputs,
                                const std::function<void()>& wait) {
  if (!call.made_shape) return tape_.add_pending(call.op, std::move(args), outputs, wait);
  const at::AutoDispatchBelowADInplaceOrView no_gradient;
  const at::Tensor& destination = outputs.at(0);
  const NodeId made =
      tape_.add_pending(call.op, std::move(args), {destination.view(*call.made_shape)}, wait);
  return tape_.add_pending(
      "aten.view.default",
      {{TensorArg{tape_.node(made).outputs[0]}}, int_list(destination.sizes().vec())}, outputs,
      wait);
}

void Recorder::call_collective(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                               torch::jit::Stack* stack) {
  const auto last = torch::jit::last(*stack, op.schema().arguments().size());
  const std::vector<c10::IValue> arguments(last.begin(), last.end());
  std::vector<CollectiveCall> calls = collective_calls(op, arguments);
  std::vector<ArgList> args;
  for (const CollectiveCall& call : calls) {
    for (const at::Tensor& destination : call.destinations) pending_.before_write(destination);
    ArgList& list = args.emplace_back();
    for (const CollectiveOperand& operand : call.operands) {
      ArgList tensors;
      for (const at::Tensor& tensor : operand.tensors) {
        pending_.before_read(tensor);
        tensors.push_back(read(tensor));
      }
      list.push_back(operand.list ? Arg{std::move(tensors)} : std::move(tensors.at(0)));
    }
    list.insert(list.end(), call.attributes.begin(), call.attributes.end());
    for (const at::Tensor& destination : call.destinations) value_of(destination);
  }

  const auto waited = std::make_shared<bool>(false);
  if (shapes_only_) {
    auto results = results_without_communication(op, arguments, calls, waited);
    torch::jit::drop(*stack, arguments.size());
    for (auto& result : results) stack->push_back(std::move(result));
  } else {
    op.redispatchBoxed(keys, stack);
  }

  const auto results = torch::jit::last(*stack, op.schema().returns().size());
  const auto wait = waiter(results);
  std::vector<at::Tensor> returned;
  if (!results.empty())
    for_each_tensor(results[0], [&](const at::Tensor& tensor) { returned.push_back(tensor); });
  if (shapes_only_) begin_calls(op, arguments, calls, returned, waited);
  for (size_t i = 0; i < calls.size(); ++i) {
    const bool returns = calls[i].output_shape.has_value();
    const std::vector<at::Tensor> outputs =
        returns ? std::vector{returned.at(i)} : calls[i].destinations;
    if (outputs.empty()) {
      tape_.add(calls[i].op, std::move(args[i]), {}, {});
      continue;
    }
    const NodeId node = add_collective(calls[i], std::move(args[i]), outputs, wait);
    for (size_t k = 0; k < outputs.size(); ++k) {
      const TensorId id = tape_.node(node).outputs[k];
      returns ? values_.define(outputs[k], id) : values_.write(outputs[k], id);
    }
  }
}

// They go on until the program waits for them.
void Recorder::begin_calls(const c10::OperatorHandle& op, std::span<const c10::IValue> arguments,
                           const std::vector<CollectiveCall>& calls,
                           const std::vector<at::Tensor>& returned,
                           const std::shared_ptr<bool>& waited) {
  const Wait wait = wait_of(op, arguments);
  if (wait == Wait::kNever) return;
  for (size_t i = 0; i < calls.size(); ++i) {
    const CollectiveCall& call = calls[i];
    auto filled = call.output_shape ? std::vector{returned.at(i)} : call.destinations;
    std::vector<at::Tensor> read;
    for (const CollectiveOperand& operand : call.operands)
      if (!copies_operand(call))
        read.insert(read.end(), operand.tensors.begin(), operand.tensors.end());
    pending_.begin(graph_name(op.operator_name()), std::move(filled), std::move(read),
                   wait == Wait::kForWork ? waited : nullptr);
  }
}

void Recorder::call_synchronization(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                                    torch::jit::Stack* stack) {
  if (!shapes_only_) {
    op.redispatchBoxed(keys, stack);
    return;
  }
  const auto last = torch::jit::last(*stack, op.schema().arguments().size());
  const std::vector<c10::IValue> arguments(last.begin(), last.end());
  pending_.wait_for(arguments.at(0).toTensor());
  auto results = results_without_communication(op, arguments, {}, nullptr);
  torch::jit::drop(*stack, arguments.size());
  for (auto& result : results) stack->push_back(std::move(result));
}

}  // namespace assay
