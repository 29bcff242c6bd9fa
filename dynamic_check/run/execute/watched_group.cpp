#include "dynamic_check/run/execute/watched_group.h"

#include <fmt/format.h>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include "dynamic_check/run/execute/collective_text.h"
#include "shared_ir/capture/record/recording.h"

namespace assay {
namespace {

using c10d::OpType;
using c10d::Work;
using TensorList = std::vector<at::Tensor>;
using WorkPtr = c10::intrusive_ptr<Work>;

// Calls the backend, whose own operators are none of the program's; what it throws becomes a
// CollectiveFailed.
template <class Call>
auto guarded(const Call& call) -> decltype(call()) {
  const RecordingPause silent;
  try {
    return call();
  } catch (const c10::Error& error) {
    throw CollectiveFailed(error.what_without_backtrace());
  } catch (const std::exception& error) {
    throw CollectiveFailed(error.what());
  }
}

class WatchedWork final : public Work {
 public:
  WatchedWork(OpType type, WorkPtr inner) : Work(-1, type), inner_(std::move(inner)) {}

  bool isCompleted() override {
    return guarded([&] { return inner_->isCompleted(); });
  }
  bool isSuccess() const override { return inner_->isSuccess(); }
  std::exception_ptr exception() const override { return inner_->exception(); }
  int sourceRank() const override { return inner_->sourceRank(); }
  std::vector<at::Tensor> result() override { return inner_->result(); }
  bool wait(std::chrono::milliseconds timeout) override {
    return guarded([&] { return inner_->wait(timeout); });
  }
  void synchronize() override {
    guarded([&] { inner_->synchronize(); });
  }
  void blockCurrentStream() override {
    guarded([&] { inner_->blockCurrentStream(); });
  }
  void abort() override { inner_->abort(); }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override { return inner_->getFuture(); }
  uint64_t getSequencenumber() const override { return inner_->getSequencenumber(); }

 private:
  const WorkPtr inner_;
};

class WatchedBackend final : public c10d::Backend {
 public:
  WatchedBackend(std::string group, std::vector<Rank> ranks, c10::intrusive_ptr<Backend> inner,
                 CallListener listener)
      : Backend(inner->getRank(), inner->getSize()),
        group_(std::move(group)),
        ranks_(std::move(ranks)),
        inner_(std::move(inner)),
        listener_(std::move(listener)) {}

  const std::string getBackendName() const override { return inner_->getBackendName(); }

  WorkPtr allreduce(TensorList& tensors, const c10d::AllreduceOptions& options) override {
    return watched({"all_reduce", to_string(reduction_of(options.reduceOp)), OpType::ALLREDUCE,
                    options.asyncOp},
                   tensors, [&] { return inner_->allreduce(tensors, options); });
  }
  WorkPtr allreduce_coalesced(TensorList& tensors,
                              const c10d::AllreduceCoalescedOptions& options) override {
    return watched({"all_reduce", to_string(reduction_of(options.reduceOp)),
                    OpType::ALLREDUCE_COALESCED, options.asyncOp},
                   tensors, [&] { return inner_->allreduce_coalesced(tensors, options); });
  }
  WorkPtr broadcast(TensorList& tensors, const c10d::BroadcastOptions& options) override {
    return watched(
        {"broadcast", fmt::format("from {}", options.rootRank), OpType::BROADCAST, options.asyncOp},
        tensors, [&] { return inner_->broadcast(tensors, options); });
  }
  WorkPtr allgather(std::vector<TensorList>& outputs, TensorList& inputs,
                    const c10d::AllgatherOptions& options) override {
    return watched({"all_gather", "", OpType::ALLGATHER, options.asyncOp}, outputs.at(0),
                   [&] { return inner_->allgather(outputs, inputs, options); });
  }
  WorkPtr _allgather_base(at::Tensor& output, at::Tensor& input,
                          const c10d::AllgatherOptions& options) override {
    return watched({"all_gather", "", OpType::_ALLGATHER_BASE, options.asyncOp}, {input},
                   [&] { return inner_->_allgather_base(output, input, options); });
  }
  WorkPtr allgather_into_tensor_coalesced(TensorList& outputs, TensorList& inputs,
                                          const c10d::AllgatherOptions& options) override {
    return watched({"all_gather", "", OpType::_ALLGATHER_BASE, options.asyncOp}, inputs, [&] {
      return inner_->allgather_into_tensor_coalesced(outputs, inputs, options);
    });
  }
  WorkPtr _reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                               const c10d::ReduceScatterOptions& options) override {
    return watched({"reduce_scatter", to_string(reduction_of(options.reduceOp)),
                    OpType::_REDUCE_SCATTER_BASE, options.asyncOp},
                   {input}, [&] { return inner_->_reduce_scatter_base(output, input, options); });
  }
  WorkPtr reduce_scatter_tensor_coalesced(TensorList& outputs, TensorList& inputs,
                                          const c10d::ReduceScatterOptions& options) override {
    return watched(
        {"reduce_scatter", to_string(reduction_of(options.reduceOp)), OpType::_REDUCE_SCATTER_BASE,
         options.asyncOp},
        inputs, [&] { return inner_->reduce_scatter_tensor_coalesced(outputs, inputs, options); });
  }
  WorkPtr alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<int64_t>& output_splits,
                        std::vector<int64_t>& input_splits,
                        const c10d::AllToAllOptions& options) override {
    return watched({"all_to_all", "", OpType::ALLTOALL_BASE, options.asyncOp}, {input}, [&] {
      return inner_->alltoall_base(output, input, output_splits, input_splits, options);
    });
  }
  WorkPtr alltoall(TensorList& outputs, TensorList& inputs,
                   const c10d::AllToAllOptions& options) override {
    return watched({"all_to_all", "", OpType::ALLTOALL, options.asyncOp}, inputs,
                   [&] { return inner_->alltoall(outputs, inputs, options); });
  }
  WorkPtr reduce_scatter(TensorList& outputs, std::vector<TensorList>& inputs,
                         const c10d::ReduceScatterOptions& options) override {
    return watched({"reduce_scatter", to_string(reduction_of(options.reduceOp)),
                    OpType::REDUCE_SCATTER, options.asyncOp},
                   inputs.at(0), [&] { return inner_->reduce_scatter(outputs, inputs, options); });
  }
  WorkPtr reduce(TensorList& tensors, const c10d::ReduceOptions& options) override {
    return watched(
        {"reduce",
         fmt::format("{} to {}", to_string(reduction_of(options.reduceOp)), options.rootRank),
         OpType::REDUCE, options.asyncOp},
        tensors, [&] { return inner_->reduce(tensors, options); });
  }
  WorkPtr gather(std::vector<TensorList>& outputs, TensorList& inputs,
                 const c10d::GatherOptions& options) override {
    return watched(
        {"gather", fmt::format("to {}", options.rootRank), OpType::GATHER, options.asyncOp}, inputs,
        [&] { return inner_->gather(outputs, inputs, options); });
  }
  WorkPtr scatter(TensorList& outputs, std::vector<TensorList>& inputs,
                  const c10d::ScatterOptions& options) override {
    return watched({"scatter", fmt::format("from {}{}", options.rootRank, types_and_sizes(outputs)),
                    OpType::SCATTER, options.asyncOp},
                   outputs, [&] { return inner_->scatter(outputs, inputs, options); });
  }
  WorkPtr barrier(const c10d::BarrierOptions& options) override {
    return watched({"barrier", "", OpType::BARRIER, false}, {},
                   [&] { return inner_->barrier(options); });
  }

  WorkPtr send(TensorList& tensors, int destination, int tag) override {
    announce_messages(WatchedCall::Kind::kSend, tensors, destination, tag);
    return wrapped(OpType::SEND, [&] { return inner_->send(tensors, destination, tag); });
  }
  WorkPtr recv(TensorList& tensors, int source, int tag) override {
    announce_messages(WatchedCall::Kind::kReceive, tensors, source, tag);
    return wrapped(OpType::RECV, [&] { return inner_->recv(tensors, source, tag); });
  }

 private:
  template <class Call>
  static WorkPtr wrapped(OpType type, const Call& call) {
    WorkPtr inner = guarded(call);
    // A synchronous call on a device may return none.
    if (!inner) return inner;
    return c10::make_intrusive<WatchedWork>(type, std::move(inner));
  }

  template <class Call>
  WorkPtr watched(const CollectiveText& text, const TensorList& agreed, const Call& call) {
    listener_({WatchedCall::Kind::kCollective, group_, signature(text, agreed), 0});
    return wrapped(text.type, call);
  }

  void announce_messages(WatchedCall::Kind kind, const TensorList& tensors, int member, int tag) {
    const Rank peer = ranks_.at(static_cast<size_t>(member));
    for (const at::Tensor& tensor : tensors)
      listener_({kind, group_, message_text(tag, tensor), peer});
  }

  const std::string group_;
  const std::vector<Rank> ranks_;
  const c10::intrusive_ptr<Backend> inner_;
  const CallListener listener_;
};

}  // namespace

c10::intrusive_ptr<c10d::ProcessGroup> make_watched_group(const std::string& name,
                                                          const std::vector<Rank>& ranks,
                                                          c10::DeviceType device,
                                                          c10::intrusive_ptr<c10d::Backend> backend,
                                                          CallListener listener) {
  auto watched =
      c10::make_intrusive<WatchedBackend>(name, ranks, std::move(backend), std::move(listener));
  auto group = c10::make_intrusive<c10d::ProcessGroup>(c10::make_intrusive<c10d::HashStore>(),
                                                       watched->getRank(), watched->getSize());
  group->setBackend(device, c10d::ProcessGroup::BackendType::CUSTOM, watched);
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::CUSTOM);
  group->setGroupName(name);
  return group;
}

}  // namespace assay
