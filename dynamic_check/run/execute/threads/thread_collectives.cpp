#include "dynamic_check/run/execute/threads/thread_collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <any>
#include <cstring>
#include <numeric>
#include <utility>

namespace assay {
namespace {

using Buffers = GroupMember::Buffers;

// What the others get of an input.
StridedBuffer offered(const StridedBuffer& input, Completion completion) {
  const bool unready = completion == Completion::kInputUnready;
  StridedBuffer offer = input.owned && !unready ? contiguous(input) : copy(input);
  const auto elements = static_cast<size_t>(offer.elements());
  if (unready && elements > 0) {
    const size_t bytes = byte_size(offer.dtype), ready = elements / 2;
    std::memset(offer.owned.get() + ready * bytes, 0, (elements - ready) * bytes);
  }
  return offer;
}

// The input cut into so many rows for each member.
Buffers cut(const StridedBuffer& input, std::vector<int64_t> rows, size_t members) {
  const int64_t all = input.shape.empty() ? 0 : input.shape.front();
  if (rows.empty()) rows.assign(members, all / static_cast<int64_t>(members));
  if (input.shape.empty() || rows.size() != members ||
      std::accumulate(rows.begin(), rows.end(), int64_t{0}) != all ||
      std::ranges::any_of(rows, [](int64_t count) { return count < 0; })) {
    throw UserError({}, fmt::format("{} rows do not go to {} members", all, members),
                    "give each member its rows, or all as many");
  }
  Buffers pieces;
  int64_t start = 0;
  for (const int64_t count : rows) {
    pieces.push_back(narrow(input, 0, start, count));
    start += count;
  }
  return pieces;
}

template <typename Offers>
Buffers column(const Offers& offers, size_t input) {
  Buffers result;
  for (const auto& member : offers) result.push_back(member->at(input));
  return result;
}

// Each by itself.
std::vector<CollectiveResult> each(const Buffers& buffers) {
  std::vector<CollectiveResult> results;
  for (const StridedBuffer& buffer : buffers) results.push_back({{buffer}, {}});
  return results;
}

}  // namespace

GroupMember::GroupMember(std::string group, std::vector<Rank> ranks, Rank rank,
                         std::shared_ptr<Rendezvous> rendezvous, CompletionHook completion)
    : group_(std::move(group)),
      ranks_(std::move(ranks)),
      index_(static_cast<size_t>(std::ranges::find(ranks_, rank) - ranks_.begin())),
      rendezvous_(std::move(rendezvous)),
      completion_(std::move(completion)) {
  ASSAY_CHECK(index_ < ranks_.size(), "a member is in its group");
}

PendingResults GroupMember::all_reduce(const GroupCall& call, Reduction reduction,
                                       const Buffers& inputs, Destinations to) {
  return meet(call, inputs, std::move(to), [&](const Offers& offers) {
    Results results;
    for (size_t i = 0; i < inputs.size(); ++i) results.push_back({column(offers, i), reduction});
    return results;
  });
}

PendingResults GroupMember::reduce(const GroupCall& call, Reduction reduction, size_t root,
                                   const Buffers& inputs, Destinations to) {
  return meet(call, inputs, std::move(to), [&](const Offers& offers) {
    Results results;
    for (size_t i = 0; index_ == root && i < inputs.size(); ++i)
      results.push_back({column(offers, i), reduction});
    return results;
  });
}

PendingResults GroupMember::broadcast(const GroupCall& call, size_t root, const Buffers& inputs,
                                      Destinations to) {
  return meet(call, index_ == root ? inputs : Buffers(), std::move(to),
              [&](const Offers& offers) { return each(*offers.at(root)); });
}

PendingResults GroupMember::all_gather(const GroupCall& call, const StridedBuffer& input,
                                       Destinations to) {
  return meet(call, {input}, std::move(to),
              [&](const Offers& offers) { return each(column(offers, 0)); });
}

PendingResults GroupMember::gather(const GroupCall& call, size_t root, const StridedBuffer& input,
                                   Destinations to) {
  return meet(call, {input}, std::move(to), [&](const Offers& offers) {
    return index_ == root ? each(column(offers, 0)) : Results();
  });
}

PendingResults GroupMember::all_gather_rows(const GroupCall& call, const Buffers& inputs,
                                            Destinations to) {
  return meet(call, inputs, std::move(to), [&](const Offers& offers) {
    Results results;
    for (size_t i = 0; i < inputs.size(); ++i) results.push_back({column(offers, i), {}});
    return results;
  });
}

PendingResults GroupMember::reduce_scatter(const GroupCall& call, Reduction reduction,
                                           const Buffers& inputs, Destination to) {
  return meet(call, inputs, {std::move(to)},
              [&](const Offers& offers) { return Results{{column(offers, index_), reduction}}; });
}

PendingResults GroupMember::reduce_scatter_rows(const GroupCall& call, Reduction reduction,
                                                const Buffers& inputs, Destinations to) {
  return meet(call, inputs, std::move(to), [&](const Offers& offers) {
    Results results;
    for (size_t i = 0; i < inputs.size(); ++i) {
      Buffers rows;
      for (const StridedBuffer& offer : column(offers, i))
        rows.push_back(cut(offer, {}, size()).at(index_));
      results.push_back({std::move(rows), reduction});
    }
    return results;
  });
}

PendingResults GroupMember::all_to_all(const GroupCall& call, const Buffers& inputs,
                                       Destinations to) {
  return meet(call, inputs, std::move(to),
              [&](const Offers& offers) { return each(column(offers, index_)); });
}

PendingResults GroupMember::all_to_all_rows(const GroupCall& call, const StridedBuffer& input,
                                            const std::vector<int64_t>& rows, Destination to) {
  return meet(call, cut(input, rows, size()), {std::move(to)},
              [&](const Offers& offers) { return Results{{column(offers, index_), {}}}; });
}

PendingResults GroupMember::scatter(const GroupCall& call, size_t root, const Buffers& inputs,
                                    Destination to) {
  return meet(call, inputs, {std::move(to)},
              [&](const Offers& offers) { return Results{{{offers.at(root)->at(index_)}, {}}}; });
}

void GroupMember::barrier(const GroupCall& call) {
  meet(call, {}, {}, [](const Offers&) { return Results{}; });
}

void GroupMember::send(size_t to, const std::vector<std::string>& signatures,
                       const Buffers& inputs) {
  const Completion completion = start("send");
  for (size_t i = 0; i < inputs.size(); ++i)
    rendezvous_->send({group_, ranks_[index_], ranks_.at(to)}, signatures.at(i),
                      offered(inputs[i], completion));
}

PendingResults GroupMember::receive(size_t from, const std::vector<std::string>& signatures,
                                    Destinations to) {
  start("recv");
  const Rendezvous::Channel channel{group_, ranks_.at(from), ranks_[index_]};
  std::vector<int64_t> places;
  for (const std::string& signature : signatures)
    places.push_back(rendezvous_->begin_receive(channel, signature));
  PendingResults pending;
  pending.add_later(
      [rendezvous = rendezvous_, channel, places, signatures] {
        Results results;
        for (size_t i = 0; i < places.size(); ++i) {
          std::any message = rendezvous->receive(channel, places[i], signatures[i]);
          results.push_back({{std::any_cast<StridedBuffer&&>(std::move(message))}, {}});
        }
        return results;
      },
      std::move(to));
  return pending;
}

// How the member's next call completes.
Completion GroupMember::start(const char* op) {
  const int64_t call = calls_++;
  return completion_ ? completion_({ranks_[index_], group_, op, call}) : Completion::kAtOnce;
}

PendingResults GroupMember::finish(Completion completion, bool async, Results results,
                                   Destinations to) {
  if (results.size() != to.size()) {
    throw UserError({}, fmt::format("a collective gives {} tensors, to be written to {}",
                                    results.size(), to.size()));
  }
  PendingResults pending;
  for (size_t i = 0; i < to.size(); ++i) pending.add(std::move(results[i]), std::move(to[i]));
  // A synchronous call returns nothing that the program could wait for.
  if (completion != Completion::kAtWait || !async) pending.deliver();
  return pending;
}

template <typename Compute>
PendingResults GroupMember::meet(const GroupCall& call, const Buffers& inputs, Destinations to,
                                 const Compute& compute) {
  const Completion completion = start(call.op);
  auto offer = std::make_shared<Buffers>();
  for (const StridedBuffer& input : inputs) offer->push_back(offered(input, completion));
  Offers offers;
  for (const std::any& other :
       rendezvous_->exchange(group_, ranks_, ranks_[index_], call.signature,
                             std::shared_ptr<const Buffers>(std::move(offer))))
    offers.push_back(std::any_cast<const std::shared_ptr<const Buffers>&>(other));
  return finish(completion, call.async, compute(offers), std::move(to));
}

}  // namespace assay
