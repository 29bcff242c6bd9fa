// Rules about collectives that every reader of core programs needs.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "shared_ir/core.h"

namespace assay {

// "all_reduce", "send", ...
const char* to_string(Collective::Kind kind);
// "sum", "avg", ...
const char* to_string(Collective::Reduce reduce);

// Whether one rank sends and another receives; all other collectives need every member.
inline bool is_point_to_point(Collective::Kind kind) {
  return kind == Collective::Kind::kSend || kind == Collective::Kind::kReceive;
}

// Those who meet in it: the members of its group; of a message, its sender and its receiver.
std::vector<Rank> members_of(const Collective& what);

// What tells the collectives of one group from those of others: each group has a stream of its own,
// in which they run in the order of their calls. Its name, and its members in ascending order.
// Messages from one member of a group to another have a stream of theirs, too.
using GroupStream = std::pair<std::string, std::vector<Rank>>;
GroupStream stream_of(const Collective& what);

// The first operator that waits for the collective `id` to be done. A send that nobody waits for
// holds up nothing.
inline CoreId awaited_before(const CoreProgram& program, CoreId id) {
  const CoreOp& op = program.ops[static_cast<size_t>(id)];
  const Collective& what = program.collectives[static_cast<size_t>(op.collective)];
  if (what.awaited_before != kNone) return what.awaited_before;
  return what.kind == Collective::Kind::kSend ? std::numeric_limits<CoreId>::max() : id + 1;
}

// Whether the members' tensors are reduced.
inline bool is_reduction(Collective::Kind kind) {
  return kind == Collective::Kind::kAllReduce || kind == Collective::Kind::kReduce ||
         kind == Collective::Kind::kReduceScatter;
}

}  // namespace assay
