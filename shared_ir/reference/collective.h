// What a collective does, member by member, whatever the numbers are.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "shared_ir/base/error.h"
#include "shared_ir/collective.h"
#include "shared_ir/core.h"
#include "shared_ir/reference/index.h"
#include "shared_ir/reference/tensor.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::reference {

template <class Number>
struct Member {
  const Collective* what;
  const TensorOf<Number>* sent;
  DType dtype;
};

template <class Number>
Int row_size(const TensorOf<Number>& tensor) {
  return tensor.shape.empty() || tensor.shape[0] == 0 ? 0
                                                      : count_of(tensor.shape) / tensor.shape[0];
}

// Element by element.
template <class Algebra, class Number>
TensorOf<Number> reduced(Algebra& algebra, const std::vector<Member<Number>>& members) {
  TensorOf<Number> result = *members[0].sent;
  Collective::Reduce reduce = members[0].what->reduce;
  for (size_t m = 1; m < members.size(); ++m) {
    for (size_t i = 0; i < result.values.size(); ++i) {
      Number& a = result.values[i];
      const Number& b = members[m].sent->values[i];
      switch (reduce) {
        case Collective::Reduce::kSum:
        case Collective::Reduce::kAvg:
          a = algebra.add(a, b);
          break;
        case Collective::Reduce::kMax:
          a = algebra.maximum(a, b, members[0].dtype);
          break;
        case Collective::Reduce::kMin:
          a = algebra.minimum(a, b, members[0].dtype);
          break;
        case Collective::Reduce::kProduct:
          a = algebra.multiply(a, b);
          break;
      }
    }
  }
  if (reduce == Collective::Reduce::kAvg)
    for (Number& value : result.values)
      value = algebra.share(value, static_cast<Int>(members.size()));
  return result;
}

template <class Number>
TensorOf<Number> rows(const TensorOf<Number>& tensor, Int first, Int count) {
  TensorOf<Number> result{tensor.shape, {}};
  result.shape[0] = count;
  auto begin = tensor.values.begin() + first * row_size(tensor);
  result.values.assign(begin, begin + count * row_size(tensor));
  return result;
}

template <class Number>
void append_rows(TensorOf<Number>& to, const TensorOf<Number>& more) {
  to.shape[0] += more.shape[0];
  to.values.insert(to.values.end(), more.values.begin(), more.values.end());
}

template <class Number>
TensorOf<Number> concatenated(const std::vector<TensorOf<Number>>& pieces) {
  TensorOf<Number> result = pieces[0];
  for (size_t i = 1; i < pieces.size(); ++i) append_rows(result, pieces[i]);
  return result;
}

template <class Number>
TensorOf<Number> exchanged(const std::vector<Member<Number>>& members, size_t receiver) {
  std::vector<TensorOf<Number>> pieces;
  for (const Member<Number>& sender : members) {
    Int first = 0;
    for (size_t i = 0; i < receiver; ++i) first += sender.what->send_splits[i];
    pieces.push_back(rows(*sender.sent, first, sender.what->send_splits[receiver]));
  }
  return concatenated(pieces);
}

// Where the members of a scatter differ, what the source sends is the standard.
inline size_t source_of(const Collective& what) {
  if (what.kind != Collective::Kind::kBroadcast && what.kind != Collective::Kind::kScatter)
    return 0;
  return static_cast<size_t>(std::find(what.ranks.begin(), what.ranks.end(), what.source) -
                             what.ranks.begin());
}

// Why a message is not what its receiver expects; empty when it is.
template <class Number>
std::string mismatched_message(const Member<Number>& sender, const Member<Number>& receiver) {
  if (sender.what->tag == receiver.what->tag && sender.sent->shape == receiver.sent->shape)
    return {};
  return fmt::format("rank {} receives another message of rank {} than it expects",
                     receiver.what->destination, receiver.what->source);
}

// Why these calls cannot meet; empty when they can.
template <class Number>
std::string mismatch(const std::vector<Member<Number>>& members) {
  const Collective& first = *members[0].what;
  if (is_point_to_point(first.kind)) return mismatched_message(members[0], members[1]);
  for (size_t m = 0; m < members.size(); ++m) {
    const Collective& other = *members[m].what;
    Rank rank = first.ranks[m];
    if (other.kind != first.kind)
      return fmt::format("rank {} calls another collective than rank {}", rank, first.ranks[0]);
    if (other.ranks != first.ranks)
      return fmt::format("rank {} takes the members in another order than rank {}", rank,
                         first.ranks[0]);
    if (other.reduce != first.reduce || other.source != first.source)
      return fmt::format("rank {} reduces otherwise, or from another source, than rank {}", rank,
                         first.ranks[0]);
    const bool own_rows = first.kind == Collective::Kind::kAllToAll ||
                          (first.kind == Collective::Kind::kScatter && rank != first.source);
    if (!own_rows && members[m].sent->shape != members[source_of(first)].sent->shape)
      return fmt::format("rank {} sends another shape than rank {}", rank, first.ranks[0]);
    if (first.kind != Collective::Kind::kAllToAll) continue;
    for (size_t peer = 0; peer < members.size(); ++peer)
      if (other.receive_splits[peer] != members[peer].what->send_splits[m])
        return fmt::format("rank {} expects {} rows of rank {}, which sends {}", rank,
                           other.receive_splits[peer], first.ranks[peer],
                           members[peer].what->send_splits[m]);
  }
  return {};
}

template <class Algebra, class Number>
std::vector<TensorOf<Number>> run_collective(Algebra& algebra,
                                             const std::vector<Member<Number>>& members) {
  const Collective& what = *members[0].what;
  std::vector<TensorOf<Number>> received;
  for (size_t m = 0; m < members.size(); ++m) {
    switch (what.kind) {
      case Collective::Kind::kAllReduce:
      case Collective::Kind::kReduce:
        received.push_back(reduced(algebra, members));
        break;
      case Collective::Kind::kAllGather:
      case Collective::Kind::kGather: {
        std::vector<TensorOf<Number>> pieces;
        for (const Member<Number>& member : members) pieces.push_back(*member.sent);
        received.push_back(concatenated(pieces));
        break;
      }
      case Collective::Kind::kReduceScatter: {
        TensorOf<Number> total = reduced(algebra, members);
        Int share = total.shape[0] / static_cast<Int>(members.size());
        received.push_back(rows(total, static_cast<Int>(m) * share, share));
        break;
      }
      case Collective::Kind::kBroadcast:
        received.push_back(*members[source_of(what)].sent);
        break;
      case Collective::Kind::kScatter: {
        const TensorOf<Number>& whole = *members[source_of(what)].sent;
        const Int share = whole.shape[0] / static_cast<Int>(members.size());
        received.push_back(rows(whole, static_cast<Int>(m) * share, share));
        break;
      }
      case Collective::Kind::kBarrier:
        received.push_back(*members[m].sent);
        break;
      case Collective::Kind::kSend:
      case Collective::Kind::kReceive:
        received.push_back(*members[0].sent);
        break;
      case Collective::Kind::kAllToAll:
        received.push_back(exchanged(members, m));
        break;
    }
  }
  return received;
}

}  // namespace assay::reference
