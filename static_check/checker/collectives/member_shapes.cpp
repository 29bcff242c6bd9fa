#include "static_check/checker/collectives/member_shapes.h"

#include <algorithm>

#include "shared_ir/symbolic/integer.h"

namespace assay::checker {
namespace {

Int position(const std::vector<Rank>& ranks, Rank rank) {
  return std::find(ranks.begin(), ranks.end(), rank) - ranks.begin();
}

}  // namespace

const Collective& collective_of(const Joint& joint, const OpRef& ref) {
  const CoreProgram& program = joint.program(ref.rank);
  return program
      .collectives[static_cast<size_t>(program.ops[static_cast<size_t>(ref.op)].collective)];
}

const CoreOp& op_of(const Joint& joint, const OpRef& ref) {
  return joint.program(ref.rank).ops[static_cast<size_t>(ref.op)];
}

const CoreOp& operand_of(const Joint& joint, const OpRef& ref) {
  return joint.program(ref.rank).ops[static_cast<size_t>(op_of(joint, ref).operands[0])];
}

size_t source_of(const Meeting& meeting) {
  const auto source =
      static_cast<size_t>(position(meeting.collective->ranks, meeting.collective->source));
  if (source >= meeting.members.size()) throw Rejection{"a source outside of its group"};
  return source;
}

void check_member_shape(const Joint& joint, const Meeting& meeting, size_t i) {
  const auto members = static_cast<Int>(meeting.members.size());
  Shape shape = operand_of(joint, meeting.members[i]).shape;
  const Shape& out = op_of(joint, meeting.members[i]).shape;
  bool fits = true;
  switch (meeting.collective->kind) {
    case Collective::Kind::kAllReduce:
    case Collective::Kind::kReduce:
    case Collective::Kind::kBroadcast:
    case Collective::Kind::kBarrier:
    case Collective::Kind::kSend:
    case Collective::Kind::kReceive:
      break;
    case Collective::Kind::kScatter: {
      const Shape& whole = operand_of(joint, meeting.members[source_of(meeting)]).shape;
      fits = !shape.empty() && !out.empty() && !whole.empty() && whole[0] == out[0] * members;
      if (fits) shape[0] = out[0];
      break;
    }
    case Collective::Kind::kAllGather:
    case Collective::Kind::kGather:
      fits = !shape.empty();
      if (fits) shape[0] *= members;
      break;
    case Collective::Kind::kReduceScatter:
      fits = !shape.empty() && shape[0] % members == 0;
      if (fits) shape[0] /= members;
      break;
    case Collective::Kind::kAllToAll: {
      fits = !shape.empty() && collective_of(joint, meeting.members[i]).receive_splits.size() ==
                                   meeting.members.size();
      Int rows = 0;
      for (size_t from = 0; fits && from < meeting.members.size(); ++from) {
        const Collective& theirs = collective_of(joint, meeting.members[from]);
        const Int received = collective_of(joint, meeting.members[i]).receive_splits[from];
        fits = theirs.send_splits.size() == meeting.members.size() &&
               theirs.send_splits[i] == received;
        rows += received;
      }
      if (fits) shape[0] = rows;
      break;
    }
  }
  if (!fits || shape != out) throw Rejection{"shapes that do not fit its collective"};
}

}  // namespace assay::checker
