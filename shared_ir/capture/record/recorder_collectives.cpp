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

  const auto awaited = std::make_shared<AwaitedCall>(tape_.next());
  if (shapes_only_) {
    auto results = results_without_communication(op, arguments, calls, awaited);
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
  for (size_t i = 0; i < calls.size(); ++i) {
    const bool returns = calls[i].output_shape.has_value();
    const std::vector<at::Tensor> outputs =
        returns ? std::vector{returned.at(i)} : calls[i].destinations;
    const NodeId collective = tape_.count();
    if (outputs.empty()) {
      tape_.add(calls[i].op, std::move(args[i]), {}, {});
    } else {
      const NodeId node = add_collective(calls[i], std::move(args[i]), outputs, wait);
      for (size_t k = 0; k < outputs.size(); ++k) {
        const TensorId id = tape_.node(node).outputs[k];
        returns ? values_.define(outputs[k], id) : values_.write(outputs[k], id);
      }
    }
    const Wait until = wait_of(op, arguments);
    if (!shapes_only_) continue;
    if (until == Wait::kNever) {  // done when the call returns
      tape_.set_pending(collective);
      tape_.set_awaited(collective, tape_.count());
      continue;
    }
    std::vector<at::Tensor> read;
    for (const CollectiveOperand& operand : calls[i].operands)
      if (!copies_operand(calls[i]))
        read.insert(read.end(), operand.tensors.begin(), operand.tensors.end());
    pending_.begin(graph_name(op.operator_name()), collective, outputs, std::move(read), awaited,
                   until == Wait::kForTensor);
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
