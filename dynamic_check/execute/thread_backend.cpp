#include "dynamic_check/execute/thread_backend.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
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

#include "dynamic_check/execute/collective_text.h"
#include "dynamic_check/execute/reduce.h"
#include "dynamic_check/execute/thread_work.h"
#include "shared_ir/error.h"

namespace assay {

namespace {

using c10d::Work;
using Tensors = std::vector<at::Tensor>;

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
    return collective(
        {"all_reduce", to_string(reduction), c10d::OpType::ALLREDUCE, options.asyncOp}, tensors,
        tensors, [&](const Offers& offers) { return reduce_each(reduction, offers); });
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
    return collective({"reduce_scatter", to_string(reduction), c10d::OpType::_REDUCE_SCATTER_BASE,
                       options.asyncOp},
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

  c10::intrusive_ptr<Work> alltoall(Tensors& outputs, Tensors& inputs,
                                    const c10d::AllToAllOptions& options) override {
    return collective({"all_to_all", "", c10d::OpType::ALLTOALL, options.asyncOp}, inputs, outputs,
                      [&](const Offers& offers) { return column(offers, getRank()); });
  }

  c10::intrusive_ptr<Work> reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                          const c10d::ReduceScatterOptions& options) override {
    const Reduction reduction = reduction_of(options.reduceOp);
    return collective(
        {"reduce_scatter", to_string(reduction), c10d::OpType::REDUCE_SCATTER, options.asyncOp},
        inputs.at(0), outputs, [&](const Offers& offers) {
          return Tensors{reduce_members(reduction, column(offers, getRank()))};
        });
  }

  // The others' tensors stay as they are.
  c10::intrusive_ptr<Work> reduce(Tensors& tensors, const c10d::ReduceOptions& options) override {
    const Reduction reduction = reduction_of(options.reduceOp);
    const bool mine = options.rootRank == getRank();
    return collective({"reduce", fmt::format("{} to {}", to_string(reduction), options.rootRank),
                       c10d::OpType::REDUCE, options.asyncOp},
                      tensors, mine ? tensors : Tensors{}, [&](const Offers& offers) {
                        return mine ? reduce_each(reduction, offers) : Tensors{};
                      });
  }

  c10::intrusive_ptr<Work> gather(std::vector<Tensors>& outputs, Tensors& inputs,
                                  const c10d::GatherOptions& options) override {
    const bool mine = options.rootRank == getRank();
    return collective(
        {"gather", fmt::format("to {}", options.rootRank), c10d::OpType::GATHER, options.asyncOp},
        inputs, mine ? outputs.at(0) : Tensors{},
        [&](const Offers& offers) { return mine ? column(offers, 0) : Tensors{}; });
  }

  c10::intrusive_ptr<Work> scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                   const c10d::ScatterOptions& options) override {
    const auto root = static_cast<size_t>(options.rootRank);
    const bool mine = options.rootRank == getRank();
    return collective(
        {"scatter", fmt::format("from {}{}", options.rootRank, types_and_sizes(outputs)),
         c10d::OpType::SCATTER, options.asyncOp},
        mine ? inputs.at(0) : Tensors{}, outputs,
        [&](const Offers& offers) { return Tensors{offers.at(root).at(getRank())}; });
  }

  c10::intrusive_ptr<Work> send(Tensors& tensors, int destination, int tag) override {
    at::NoGradGuard no_grad;
    const Completion completion = start("send");
    for (const at::Tensor& tensor : tensors)
      rendezvous_->send({group_, global_rank_, ranks_.at(destination)}, message_text(tag, tensor),
                        offered(tensor, completion));
    return c10::make_intrusive<ThreadWork>(c10d::OpType::SEND, Tensors{}, pending_,
                                           std::vector<size_t>{});
  }

  c10::intrusive_ptr<Work> recv(Tensors& tensors, int source, int tag) override {
    at::NoGradGuard no_grad;
    const Completion completion = start("recv");
    Tensors received;
    for (const at::Tensor& tensor : tensors)
      received.push_back(std::any_cast<at::Tensor>(rendezvous_->receive(
          {group_, ranks_.at(source), global_rank_}, message_text(tag, tensor))));
    return delivery({"recv", "", c10d::OpType::RECV, true}, completion, received, tensors);
  }

  c10::intrusive_ptr<Work> barrier(const c10d::BarrierOptions&) override {
    return collective({"barrier", "", c10d::OpType::BARRIER, false}, {}, {},
                      [](const Offers&) { return Tensors{}; });
  }

 private:
  using Offers = std::vector<Tensors>;  // member -> its tensors

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

  // How the rank's next call completes.
  Completion start(const char* op) {
    const int64_t index = index_++;
    return completion_ ? completion_({global_rank_, group_, op, index}) : Completion::kAtOnce;
  }

  // The input as the others get it.
  static at::Tensor offered(const at::Tensor& input, Completion completion) {
    at::Tensor offer = input.clone(at::MemoryFormat::Contiguous);
    if (completion == Completion::kInputUnready && input.numel() > 0) {
      at::Tensor flat = offer.view({-1});
      flat.narrow(0, flat.numel() / 2, flat.numel() - flat.numel() / 2).zero_();
    }
    return offer;
  }

  c10::intrusive_ptr<Work> delivery(const CollectiveText& call, Completion completion,
                                    const Tensors& results, const Tensors& destinations) {
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

  c10::intrusive_ptr<Work> collective(const CollectiveText& call, const Tensors& inputs,
                                      const Tensors& destinations,
                                      const std::function<Tensors(const Offers&)>& compute) {
    at::NoGradGuard no_grad;
    const Completion completion = start(call.op);
    Tensors offer;
    for (const at::Tensor& input : inputs) offer.push_back(offered(input, completion));
    // The pieces of an all-gather into a list may differ; what each member expects may not.
    const Tensors& agreed = call.type == c10d::OpType::ALLGATHER ? destinations : inputs;
    Offers offers;
    for (std::any& other : rendezvous_->exchange(group_, ranks_, global_rank_,
                                                 signature(call, agreed), std::move(offer)))
      offers.push_back(std::any_cast<Tensors&&>(std::move(other)));
    return delivery(call, completion, compute(offers), destinations);
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
