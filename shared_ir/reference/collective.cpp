#include "shared_ir/reference/collective.h"

#include <algorithm>

#include <fmt/format.h>

#include "shared_ir/error.h"
#include "shared_ir/reference/index.h"

namespace assay::reference {
namespace {

int64_t row_size(const ReferenceTensor& tensor) {
  return tensor.shape.empty() || tensor.shape[0] == 0 ? 0
                                                      : count_of(tensor.shape) / tensor.shape[0];
}

ReferenceTensor reduced(const std::vector<Member>& members) {
  ReferenceTensor result = *members[0].sent;
  Collective::Reduce reduce = members[0].what->reduce;
  for (size_t m = 1; m < members.size(); ++m) {
    for (size_t i = 0; i < result.values.size(); ++i) {
      double &a = result.values[i], b = members[m].sent->values[i];
      switch (reduce) {
        case Collective::Reduce::kSum:
        case Collective::Reduce::kAvg:
          a += b;
          break;
        case Collective::Reduce::kMax:
          a = std::max(a, b);
          break;
        case Collective::Reduce::kMin:
          a = std::min(a, b);
          break;
        case Collective::Reduce::kProduct:
          a *= b;
          break;
      }
    }
  }
  if (reduce == Collective::Reduce::kAvg)
    for (double& value : result.values) value /= static_cast<double>(members.size());
  return result;
}

ReferenceTensor rows(const ReferenceTensor& tensor, int64_t first, int64_t count) {
  ReferenceTensor result{tensor.shape, {}};
  result.shape[0] = count;
  auto begin = tensor.values.begin() + first * row_size(tensor);
  result.values.assign(begin, begin + count * row_size(tensor));
  return result;
}

void append_rows(ReferenceTensor& to, const ReferenceTensor& more) {
  to.shape[0] += more.shape[0];
  to.values.insert(to.values.end(), more.values.begin(), more.values.end());
}

ReferenceTensor concatenated(const std::vector<ReferenceTensor>& pieces) {
  ReferenceTensor result = pieces[0];
  for (size_t i = 1; i < pieces.size(); ++i) append_rows(result, pieces[i]);
  return result;
}

ReferenceTensor exchanged(const std::vector<Member>& members, size_t receiver) {
  std::vector<ReferenceTensor> pieces;
  for (const Member& sender : members) {
    int64_t first = 0;
    for (size_t i = 0; i < receiver; ++i) first += sender.what->send_splits[i];
    pieces.push_back(rows(*sender.sent, first, sender.what->send_splits[receiver]));
  }
  return concatenated(pieces);
}

// Where the members of a scatter differ, what the source sends is the standard.
size_t source_of(const Collective& what) {
  if (what.kind != Collective::Kind::kBroadcast && what.kind != Collective::Kind::kScatter)
    return 0;
  return static_cast<size_t>(std::find(what.ranks.begin(), what.ranks.end(), what.source) -
                             what.ranks.begin());
}

}  // namespace

std::string mismatch(const std::vector<Member>& members) {
  const Collective& first = *members[0].what;
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

std::vector<ReferenceTensor> run_collective(const std::vector<Member>& members) {
  const Collective& what = *members[0].what;
  std::vector<ReferenceTensor> received;
  for (size_t m = 0; m < members.size(); ++m) {
    switch (what.kind) {
      case Collective::Kind::kAllReduce:
      case Collective::Kind::kReduce:
        received.push_back(reduced(members));
        break;
      case Collective::Kind::kAllGather:
      case Collective::Kind::kGather: {
        std::vector<ReferenceTensor> pieces;
        for (const Member& member : members) pieces.push_back(*member.sent);
        received.push_back(concatenated(pieces));
        break;
      }
      case Collective::Kind::kReduceScatter: {
        ReferenceTensor total = reduced(members);
        int64_t share = total.shape[0] / static_cast<int64_t>(members.size());
        received.push_back(rows(total, static_cast<int64_t>(m) * share, share));
        break;
      }
      case Collective::Kind::kBroadcast:
        received.push_back(*members[source_of(what)].sent);
        break;
      case Collective::Kind::kScatter: {
        const ReferenceTensor& whole = *members[source_of(what)].sent;
        const int64_t share = whole.shape[0] / static_cast<int64_t>(members.size());
        received.push_back(rows(whole, static_cast<int64_t>(m) * share, share));
        break;
      }
      case Collective::Kind::kBarrier:
        received.push_back(*members[m].sent);
        break;
      case Collective::Kind::kSend:
      case Collective::Kind::kReceive:
        throw InternalError("a message is no meeting of members");
      case Collective::Kind::kAllToAll:
        received.push_back(exchanged(members, m));
        break;
    }
  }
  return received;
}

}  // namespace assay::reference
