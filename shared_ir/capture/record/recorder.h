// What happens to each operator while a recording is active.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shared_ir/capture/record/collectives.h"
#include "shared_ir/capture/record/forward_origins.h"
#include "shared_ir/capture/record/functional_form.h"
#include "shared_ir/capture/record/numbers_from_host.h"
#include "shared_ir/capture/record/pending_calls.h"
#include "shared_ir/capture/record/recording.h"
#include "shared_ir/capture/record/storage_values.h"
#include "shared_ir/capture/record/tape.h"

namespace assay {

class Recorder {
 public:
  Recorder(std::string graph_name, RecordingOptions options);

  void input(const std::string& name, const at::Tensor& tensor);
  void output(const std::string& name, const at::Tensor& tensor);
  int64_t size_of(const at::Tensor& tensor, std::optional<int64_t> at_most);
  const std::vector<SizeRead>& sizes_read() const { return sizes_read_; }
  Graph finish();

  // Runs one operator on the arguments on the stack, leaves its results there, and records it.
  // `keys`: where to dispatch it to.
  void call(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);

 private:
  void call_operator(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                     torch::jit::Stack* stack);
  void call_view_in_place(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                          torch::jit::Stack* stack);
  void call_fill(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);
  void call_collective(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                       torch::jit::Stack* stack);
  NodeId add_collective(const CollectiveCall& call, ArgList args,
                        const std::vector<at::Tensor>& outputs, const std::function<void()>& wait);
  void call_synchronization(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                            torch::jit::Stack* stack);
  void execute(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);
  // What shows elements that have a value already gets memory of its own.
  void copy_views(const c10::OperatorHandle& op, std::span<const c10::IValue> arguments,
                  std::span<c10::IValue> results);
  void require_writable(const FunctionalForm& form, std::span<const c10::IValue> arguments);
  void record(const c10::OperatorHandle& op, const FunctionalForm& form, ArgList args,
              std::vector<std::pair<std::string, Arg>> kwargs,
              std::span<const c10::IValue> arguments, std::span<const c10::IValue> results);

  // The arguments of the node for these of the schema: positional ones, and the rest by name.
  std::pair<ArgList, std::vector<std::pair<std::string, Arg>>> node_arguments(
      const c10::OperatorHandle& op, std::span<const size_t> positions,
      std::span<const c10::IValue> arguments);

  void require_own_precision(const c10::OperatorHandle& op, const FunctionalForm& form,
                             std::span<const c10::IValue> arguments);

  // The argument for a tensor that an operator reads. Throws UserError when the recording never saw
  // it.
  Arg read(const at::Tensor& tensor);
  // The value of a tensor that an operator reads or writes.
  TensorId value_of(const at::Tensor& tensor);
  void set_origin(std::span<const c10::IValue> arguments);

  Tape tape_;
  StorageValues values_;
  HostNumbers host_;
  PendingCalls pending_;
  ForwardOrigins forward_origins_;
  std::vector<SizeRead> sizes_read_;
  std::vector<at::Storage> copied_;  // of views
  bool shapes_only_, refuse_items_, copies_views_;
};

}  // namespace assay
