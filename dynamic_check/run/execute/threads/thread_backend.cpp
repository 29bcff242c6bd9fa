#include "dynamic_check/run/execute/threads/thread_backend.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <fmt/format.h>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <utility>

#include "dynamic_check/keep/keep.h"
#include "dynamic_check/run/execute/collective_text.h"
#include "dynamic_check/run/execute/threads/thread_collectives.h"
#include "dynamic_check/run/execute/threads/thread_work.h"

namespace assay {

namespace {

using c10d::OpType;
using c10d::Work;
using Tensors = std::vector<at::Tensor>;
using WorkPtr = c10::intrusive_ptr<Work>;

GroupMember::Buffers inputs_of(const Tensors& tensors) {
  const at::NoGradGuard no_grad;
  GroupMember::Buffers buffers;
  for (const at::Tensor& tensor : tensors) buffers.push_back(host_buffer(tensor));
  return buffers;
}

// A tensor elsewhere is written by way of the host.
Destination destination_of(const at::Tensor& tensor) {
  if (tensor.is_cpu()) return {writable_buffer(tensor), {}};
  const at::Tensor host = at::empty(tensor.sizes(), tensor.options().device(at::kCPU));
  return {writable_buffer(host), [tensor, host] {
            // The program calls wait(), and delivery is no operator of the program.
            const at::AutoDispatchBelowADInplaceOrView below_autograd;
            const c10::impl::ExcludeDispatchKeyGuard below_recording(c10::DispatchKey::Fake);
            tensor.copy_(host);
          }};
}

GroupMember::Destinations destinations_of(const Tensors& tensors) {
  GroupMember::Destinations destinations;
  for (const at::Tensor& tensor : tensors) destinations.push_back(destination_of(tensor));
  return destinations;
}

GroupCall group_call(const CollectiveText& text, const Tensors& agreed) {
  return {text.op, signature(text, agreed), text.async};
}

std::vector<std::string> message_texts(int tag, const Tensors& tensors) {
  std::vector<std::string> texts;
  for (const at::Tensor& tensor : tensors) texts.push_back(message_text(tag, tensor));
  return texts;
}

WorkPtr work(OpType type, Tensors outputs, PendingResults pending) {
  return c10::make_intrusive<ThreadWork>(type, std::move(outputs), std::move(pending));
}

// Tensors become memory and back; what is computed and moved is the member's affair.
class ThreadBackend final : public c10d::Backend {
 public:
  explicit ThreadBackend(GroupMember member)
      : Backend(static_cast<int>(member.index()), static_cast<int>(member.size())),
        member_(std::move(member)) {}

  const std::string getBackendName() const override { return "assay_threads"; }

  WorkPtr allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override {
    const Reduction reduction = reduction_of(options.reduceOp);
    const CollectiveText text{"all_reduce", to_string(reduction), OpType::ALLREDUCE,
                              options.asyncOp};
    return work(text.type, tensors,
                member_.all_reduce(group_call(text, tensors), reduction, inputs_of(tensors),
                                   destinations_of(tensors)));
  }

  WorkPtr allreduce_coalesced(Tensors& tensors,
                              const c10d::AllreduceCoalescedOptions& options) override {
    return allreduce(tensors, options);
  }

  WorkPtr broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) override {
    const auto root = static_cast<size_t>(options.rootRank);
    const CollectiveText text{"broadcast", fmt::format("from {}", root), OpType::BROADCAST,
                              options.asyncOp};
    return work(text.type, tensors,
                member_.broadcast(group_call(text, tensors), root, inputs_of(tensors),
                                  destinations_of(tensors)));
  }

  WorkPtr allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                    const c10d::AllgatherOptions& options) override {
    // The members' tensors may differ; what each member expects may not.
    const Tensors& all = outputs.at(0);
    const CollectiveText text{"all_gather", "", OpType::ALLGATHER, options.asyncOp};
    return work(
        text.type, all,
        member_.all_gather(group_call(text, all), inputs_of(inputs).at(0), destinations_of(all)));
  }

  WorkPtr _allgather_base(at::Tensor& output, at::Tensor& input,
                          const c10d::AllgatherOptions& options) override {
    Tensors outputs{output}, inputs{input};
    return allgather_into_tensor_coalesced(outputs, inputs, options);
  }

  WorkPtr allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                          const c10d::AllgatherOptions& options) override {
    const CollectiveText text{"all_gather", "", OpType::_ALLGATHER_BASE, options.asyncOp};
    return work(text.type, outputs,
                member_.all_gather_rows(group_call(text, inputs), inputs_of(inputs),
                                        destinations_of(outputs)));
  }

  WorkPtr _reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                               const c10d::ReduceScatterOptions& options) override {
    Tensors outputs{output}, inputs{input};
    return reduce_scatter_tensor_coalesced(outputs, inputs, options);
  }

  WorkPtr reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                          const c10d::ReduceScatterOptions& options) override {
    const Reduction reduction = reduction_of(options.reduceOp);
    const CollectiveText text{"reduce_scatter", to_string(reduction), OpType::_REDUCE_SCATTER_BASE,
                              options.asyncOp};
    return work(text.type, outputs,
                member_.reduce_scatter_rows(group_call(text, inputs), reduction, inputs_of(inputs),
                                            destinations_of(outputs)));
  }

  WorkPtr alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<int64_t>&,
                        std::vector<int64_t>& input_splits,
                        const c10d::AllToAllOptions& options) override {
    const CollectiveText text{"all_to_all", "", OpType::ALLTOALL_BASE, options.asyncOp};
    return work(text.type, {output},
                member_.all_to_all_rows(group_call(text, {input}), inputs_of({input}).at(0),
                                        input_splits, destination_of(output)));
  }

  WorkPtr alltoall(Tensors& outputs, Tensors& inputs,
                   const c10d::AllToAllOptions& options) override {
    const CollectiveText text{"all_to_all", "", OpType::ALLTOALL, options.asyncOp};
    return work(
        text.type, outputs,
        member_.all_to_all(group_call(text, inputs), inputs_of(inputs), destinations_of(outputs)));
  }

  WorkPtr reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                         const c10d::ReduceScatterOptions& options) override {
    const Reduction reduction = reduction_of(options.reduceOp);
    const CollectiveText text{"reduce_scatter", to_string(reduction), OpType::REDUCE_SCATTER,
                              options.asyncOp};
    return work(text.type, outputs,
                member_.reduce_scatter(group_call(text, inputs.at(0)), reduction,
                                       inputs_of(inputs.at(0)), destination_of(outputs.at(0))));
  }

  // The others' tensors stay as they are.
  WorkPtr reduce(Tensors& tensors, const c10d::ReduceOptions& options) override {
    const Reduction reduction = reduction_of(options.reduceOp);
    const auto root = static_cast<size_t>(options.rootRank);
    const Tensors results = root == member_.index() ? tensors : Tensors{};
    const CollectiveText text{"reduce", fmt::format("{} to {}", to_string(reduction), root),
                              OpType::REDUCE, options.asyncOp};
    return work(text.type, results,
                member_.reduce(group_call(text, tensors), reduction, root, inputs_of(tensors),
                               destinations_of(results)));
  }

  WorkPtr gather(std::vector<Tensors>& outputs, Tensors& inputs,
                 const c10d::GatherOptions& options) override {
    const auto root = static_cast<size_t>(options.rootRank);
    const Tensors all = root == member_.index() ? outputs.at(0) : Tensors{};
    const CollectiveText text{"gather", fmt::format("to {}", root), OpType::GATHER,
                              options.asyncOp};
    return work(text.type, all,
                member_.gather(group_call(text, inputs), root, inputs_of(inputs).at(0),
                               destinations_of(all)));
  }

  WorkPtr scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                  const c10d::ScatterOptions& options) override {
    const auto root = static_cast<size_t>(options.rootRank);
    const Tensors pieces = root == member_.index() ? inputs.at(0) : Tensors{};
    const CollectiveText text{"scatter", fmt::format("from {}{}", root, types_and_sizes(outputs)),
                              OpType::SCATTER, options.asyncOp};
    return work(text.type, outputs,
                member_.scatter(group_call(text, pieces), root, inputs_of(pieces),
                                destination_of(outputs.at(0))));
  }

  WorkPtr send(Tensors& tensors, int destination, int tag) override {
    member_.send(static_cast<size_t>(destination), message_texts(tag, tensors), inputs_of(tensors));
    return work(OpType::SEND, {}, {});
  }

  WorkPtr recv(Tensors& tensors, int source, int tag) override {
    return work(OpType::RECV, tensors,
                member_.receive(static_cast<size_t>(source), message_texts(tag, tensors),
                                destinations_of(tensors)));
  }

  WorkPtr barrier(const c10d::BarrierOptions&) override {
    const CollectiveText text{"barrier", "", OpType::BARRIER, false};
    member_.barrier(group_call(text, {}));
    return work(text.type, {}, {});
  }

 private:
  GroupMember member_;
};

}  // namespace

namespace {

// LibTorch's own barrier keeps its tensor in one variable of the process, which rank threads would
// write at the same time.
class ThreadGroup final : public c10d::ProcessGroup {
 public:
  using ProcessGroup::ProcessGroup;

  WorkPtr barrier(const c10d::BarrierOptions& options) override {
    static const auto operation =
        c10::Dispatcher::singleton()
            .findSchemaOrThrow("c10d::barrier", "")
            .typed<WorkPtr(at::Tensor, const c10::intrusive_ptr<ProcessGroup>&,
                           const std::vector<int64_t>&, bool, int64_t)>();
    // As there, its device says which backend is meant.
    const at::Tensor tensor = at::empty(
        {1}, at::TensorOptions().device(options.device.value_or(at::kCPU)).dtype(at::kByte));
    return operation.call(tensor,
                          c10::intrusive_ptr<ProcessGroup>::unsafe_reclaim_from_nonowning(this),
                          options.device_ids, options.asyncOp, options.timeout.count());
  }
};

}  // namespace

c10::intrusive_ptr<c10d::ProcessGroup> make_thread_group(const std::string& name,
                                                         const std::vector<Rank>& ranks, Rank rank,
                                                         at::Device device,
                                                         std::shared_ptr<Rendezvous> rendezvous,
                                                         CompletionHook completion) {
  auto backend = c10::make_intrusive<ThreadBackend>(
      GroupMember(name, ranks, rank, std::move(rendezvous), std::move(completion)));
  auto group = c10::make_intrusive<ThreadGroup>(c10::make_intrusive<c10d::HashStore>(),
                                                backend->getRank(), backend->getSize());
  group->setBackend(device.type(), c10d::ProcessGroup::BackendType::CUSTOM, backend);
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::CUSTOM);
  group->setGroupName(name);
  c10d::register_process_group(name, group);
  return group;
}

}  // namespace assay
