#include "dynamic_check/execute/thread_backend.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include <algorithm>
#include <any>
#include <functional>
#include <utility>

#include "dynamic_check/execute/reduce.h"
#include "shared_ir/error.h"

namespace assay {

size_t PendingResults::add(at::Tensor destination, at::Tensor value) {
  entries_.push_back({std::move(destination), std::move(value)});
  return entries_.size() - 1;
}

void PendingResults::deliver(size_t ticket) {
  Entry& entry = entries_.at(ticket);
  if (entry.delivered) return;
  // The program calls wait(), and delivery is no operator of the program.
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const c10::impl::ExcludeDispatchKeyGuard below_recording(c10::DispatchKey::Fake);
  entry.destination.copy_(entry.value);
  entry.delivered = true;
  entry.value.reset();
}

namespace {

using c10d::Work;
using Tensors = std::vector<at::Tensor>;

// Done from the start, except that results still pending are delivered by whoever waits or asks.
class ThreadWork final : public Work {
 public:
  ThreadWork(c10d::OpType type, Tensors outputs, std::shared_ptr<PendingResults> pending,
             std::vector<size_t> tickets)
      : Work(-1, type),
        outputs_(std::move(outputs)),
        pending_(std::move(pending)),
        tickets_(std::move(tickets)) {}

  bool isCompleted() override {
    deliver();
    return true;
  }
  bool isSuccess() const override { return true; }
  bool wait(std::chrono::milliseconds) override {
    deliver();
    return true;
  }
  void synchronize() override { deliver(); }
  Tensors result() override { return outputs_; }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override {
    deliver();
    auto future =
        c10::make_intrusive<c10::ivalue::Future>(c10::ListType::create(c10::TensorType::get()));
    future->markCompleted(c10::IValue(outputs_));
    return future;
  }

 private:
  void deliver() {
    for (size_t ticket : tickets_) pending_->deliver(ticket);
  }

  Tensors outputs_;
  std::shared_ptr<PendingResults> pending_;
  std::vector<size_t> tickets_;
};

Reduction reduction_of(const c10d::ReduceOp& op) {
  switch (static_cast<c10d::ReduceOp::RedOpType>(op)) {
    case c10d::ReduceOp::SUM:
      return Reduction::kSum;
    case c10d::ReduceOp::AVG:
      return Reduction::kAverage;
    case c10d::ReduceOp::PRODUCT:
      return Reduction::kProduct;
    case c10d::ReduceOp::MIN:
      return Reduction::kMin;
    case c10d::ReduceOp::MAX:
      return Reduction::kMax;
    default:
      throw UserError({}, "this reduction is not supported in a dynamic check",
                      "use sum, avg, product, min or max");
  }
}

const char* name_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::kSum:
      return "sum";
    case Reduction::kAverage:
      return "avg";
    case Reduction::kProduct:
      return "product";
    case Reduction::kMin:
      return "min";
    case Reduction::kMax:
      return "max";
  }
  throw InternalError("unknown reduction");
}

class ThreadBackend final : public c10d::Backend {
 public:
  ThreadBackend(std::string group, std::vector<Rank> ranks, Rank rank,
                std::shared_ptr<Rendezvous> rendezvous, std::shared_ptr<PendingResults> pending,
                CompletionHook completion)
      : Backend(static_cast<int>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin()),
                static_cast<int>(ranks.size())),
        group_(std::move(group)),
        ranks_(std::move(ranks)),
        global_rank_(rank),
        rendezvous_(std::move(rendezvous)),
        pending_(std::move(pending)),
        completion_(std::move(completion)) {}

  const std::string getBackendName() const override { return "assay_threads"; }

  c10::intrusive_ptr<Work> allreduce(Tensors& tensors,
                                     const c10d::AllreduceOptions& options) override {
    const Reduction reduction = reduction_of(options.reduceOp);
    return collective({"all_reduce", name_of(reduction), c10d::OpType::ALLREDUCE, options.asyncOp},
                      tensors, tensors,
                      [&](const Offers& offers) { return reduce_each(reduction, offers); });
  }

  c10::intrusive_ptr<Work> allreduce_coalesced(
      Tensors& tensors, const c10d::AllreduceCoalescedOptions& options) override {
    return allreduce(tensors, options);
  }

  c10::intrusive_ptr<Work> broadcast(Tensors& tensors,
                                     const c10d::BroadcastOptions& options) override {
    const auto root = static_cast<size_t>(options.rootRank);
    return collective(
        {"broadcast", fmt::format("from {}", root), c10d::OpType::BROADCAST, options.asyncOp},
        tensors, tensors, [&](const Offers& offers) { return offers.at(root); });
  }

  c10::intrusive_ptr<Work> allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                                     const c10d::AllgatherOptions& options) override {
    return collective({"all_gather", "", c10d::OpType::ALLGATHER, options.asyncOp}, inputs,
                      outputs.at(0), [&](const Offers& offers) { return column(offers, 0); });
  }

  c10::intrusive_ptr<Work> _allgather_base(at::Tensor& output, at::Tensor& input,
                                           const c10d::AllgatherOptions& options) override {
    Tensors outputs{output}, inputs{input};
    return allgather_into_tensor_coalesced(outputs, inputs, options);
  }

  c10::intrusive_ptr<Work> allgather_into_tensor_coalesced(
      Tensors& outputs, Tensors& inputs, const c10d::AllgatherOptions& options) override {
    return collective({"all_gather", "", c10d::OpType::_ALLGATHER_BASE, options.asyncOp}, inputs,
                      outputs, [&](const Offers& offers) {
                        Tensors results;
                        for (size_t i = 0; i < inputs.size(); ++i)
                          results.push_back(at::cat(column(offers, i)));
                        return results;
                      });
  }

  c10::intrusive_ptr<Work> _reduce_scatter_base(
      at::Tensor& output, at::Tensor& input, const c10d::ReduceScatterOptions& options) override {
    Tensors outputs{output}, inputs{input};
    return reduce_scatter_tensor_coalesced(outputs, inputs, options);
  }

  c10::intrusive_ptr<Work> reduce_scatter_tensor_coalesced(
      Tensors& outputs, Tensors& inputs, const c10d::ReduceScatterOptions& options) override {
    const Reduction reduction = reduction_of(options.reduceOp);
    return collective(
        {"reduce_scatter", name_of(reduction), c10d::OpType::_REDUCE_SCATTER_BASE, options.asyncOp},
        inputs, outputs, [&](const Offers& offers) {
          Tensors results = reduce_each(reduction, offers);
          for (at::Tensor& result : results) {
            const int64_t rows = result.size(0) / getSize();
            result = result.narrow(0, getRank() * rows, rows);
          }
          return results;
        });
  }

  c10::intrusive_ptr<Work> alltoall_base(at::Tensor& output, at::Tensor& input,
                                         std::vector<int64_t>&, std::vector<int64_t>& input_splits,
                                         const c10d::AllToAllOptions& options) override {
    const Tensors pieces = input_splits.empty() ? Tensors(input.chunk(getSize()))
                                                : input.split_with_sizes(input_splits);
    return collective(
        {"all_to_all", "", c10d::OpType::ALLTOALL_BASE, options.asyncOp}, pieces, {output},
        [&](const Offers& offers) { return Tensors{at::cat(column(offers, getRank()))}; });
  }

  c10::intrusive_ptr<Work> barrier(const c10d::BarrierOptions&) override {
    return collective({"barrier", "", c10d::OpType::BARRIER, false}, {}, {},
                      [](const Offers&) { return Tensors{}; });
  }

 private:
  using Offers = std::vector<Tensors>;  // member -> its tensors

  struct Call {
    const char* op;
    std::string detail;  // what must agree besides operation, types and sizes
    c10d::OpType type;
    bool async;
  };

  static Tensors column(const Offers& offers, size_t index) {
    Tensors result;
    for (const Tensors& member : offers) result.push_back(member.at(index));
    return result;
  }

  static Tensors reduce_each(Reduction reduction, const Offers& offers) {
    Tensors results;
    for (size_t i = 0; i < offers.front().size(); ++i)
      results.push_back(reduce_members(reduction, column(offers, i)));
    return results;
  }

  static std::string signature(const Call& call, const Tensors& inputs) {
    std::string text = call.op;
    if (!call.detail.empty()) text += " " + call.detail;
    for (const at::Tensor& input : inputs) {
      text += fmt::format(" {}", c10::toString(input.scalar_type()));
      // The members of an all-to-all may send different sizes.
      if (call.type != c10d::OpType::ALLTOALL_BASE)
        text += fmt::format(" [{}]", fmt::join(input.sizes(), ", "));
    }
    return text;
  }

  c10::intrusive_ptr<Work> collective(const Call& call, const Tensors& inputs,
                                      const Tensors& destinations,
                                      const std::function<Tensors(const Offers&)>& compute) {
    at::NoGradGuard no_grad;
    const Completion completion =
        completion_ ? completion_({global_rank_, group_, call.op, index_}) : Completion::kAtOnce;
    ++index_;
    Tensors offer;
    for (const at::Tensor& input : inputs) {
      offer.push_back(input.clone(at::MemoryFormat::Contiguous));
      if (completion == Completion::kInputUnready && input.numel() > 0) {
        at::Tensor flat = offer.back().view({-1});
        flat.narrow(0, flat.numel() / 2, flat.numel() - flat.numel() / 2).zero_();
      }
    }
    // The pieces of an all-gather into a list may differ; what each member expects may not.
    const Tensors& agreed = call.type == c10d::OpType::ALLGATHER ? destinations : inputs;
    Offers offers;
    for (std::any& other : rendezvous_->exchange(group_, ranks_, global_rank_,
                                                 signature(call, agreed), std::move(offer)))
      offers.push_back(std::any_cast<Tensors&&>(std::move(other)));
    const Tensors results = compute(offers);
    ASSAY_CHECK(results.size() == destinations.size(),
                "a collective has one result for each destination");
    std::vector<size_t> tickets;
    for (size_t i = 0; i < results.size(); ++i) {
      tickets.push_back(
          pending_->add(destinations[i], results[i].reshape(destinations[i].sizes())));
      // A synchronous call has no work that the program could wait for.
      if (completion != Completion::kAtWait || !call.async) pending_->deliver(tickets.back());
    }
    return c10::make_intrusive<ThreadWork>(call.type, destinations, pending_, std::move(tickets));
  }

  const std::string group_;
  const std::vector<Rank> ranks_;
  const Rank global_rank_;
  std::shared_ptr<Rendezvous> rendezvous_;
  std::shared_ptr<PendingResults> pending_;
  CompletionHook completion_;
  int64_t index_ = 0;  // collectives of this group so far
};

}  // namespace

c10::intrusive_ptr<c10d::ProcessGroup> make_thread_group(const std::string& name,
                                                         const std::vector<Rank>& ranks, Rank rank,
                                                         at::Device device,
                                                         std::shared_ptr<Rendezvous> rendezvous,
                                                         std::shared_ptr<PendingResults> pending,
                                                         CompletionHook completion) {
  auto backend = c10::make_intrusive<ThreadBackend>(name, ranks, rank, std::move(rendezvous),
                                                    std::move(pending), std::move(completion));
  auto group = c10::make_intrusive<c10d::ProcessGroup>(c10::make_intrusive<c10d::HashStore>(),
                                                       backend->getRank(), backend->getSize());
  group->setBackend(device.type(), c10d::ProcessGroup::BackendType::CUSTOM, backend);
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::CUSTOM);
  group->setGroupName(name);
  c10d::register_process_group(name, group);
  return group;
}

}  // namespace assay
