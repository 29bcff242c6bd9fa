#include "shared_ir/collective.h"

#include <algorithm>

#include "shared_ir/base/error.h"

namespace assay {

std::vector<Rank> members_of(const Collective& what) {
  if (is_point_to_point(what.kind)) return {what.source, what.destination};
  return what.ranks;
}

GroupStream stream_of(const Collective& what) {
  if (is_point_to_point(what.kind)) {
    GroupStream messages{what.group, what.ranks};
    messages.second.insert(messages.second.end(), {what.source, what.destination});
    return messages;
  }
  GroupStream stream{what.group, what.ranks};
  std::sort(stream.second.begin(), stream.second.end());
  return stream;
}

const char* to_string(Collective::Kind kind) {
  switch (kind) {
    case Collective::Kind::kAllReduce:
      return "all_reduce";
    case Collective::Kind::kReduce:
      return "reduce";
    case Collective::Kind::kAllGather:
      return "all_gather";
    case Collective::Kind::kGather:
      return "gather";
    case Collective::Kind::kReduceScatter:
      return "reduce_scatter";
    case Collective::Kind::kBroadcast:
      return "broadcast";
    case Collective::Kind::kScatter:
      return "scatter";
    case Collective::Kind::kAllToAll:
      return "all_to_all";
    case Collective::Kind::kBarrier:
      return "barrier";
    case Collective::Kind::kSend:
      return "send";
    case Collective::Kind::kReceive:
      return "recv";
  }
  throw InternalError("a collective of no kind");
}

const char* to_string(Collective::Reduce reduce) {
  switch (reduce) {
    case Collective::Reduce::kSum:
      return "sum";
    case Collective::Reduce::kAvg:
      return "avg";
    case Collective::Reduce::kMax:
      return "max";
    case Collective::Reduce::kMin:
      return "min";
    case Collective::Reduce::kProduct:
      return "product";
  }
  throw InternalError("a reduction of no kind");
}

}  // namespace assay
