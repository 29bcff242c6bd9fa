// Members of a collective, or sender and receiver of a message, as they meet: what shape each one's
// result has.
#pragma once

#include <vector>

#include "static_check/checker/joint.h"

namespace assay::checker {

// The members' operators that meet, in group order; of a message, the sender's and the receiver's.
struct Meeting {
  const Collective* collective;
  std::vector<OpRef> members;
};

const Collective& collective_of(const Joint& joint, const OpRef& ref);
const CoreOp& op_of(const Joint& joint, const OpRef& ref);
// The operator whose value the collective `ref` reads.
const CoreOp& operand_of(const Joint& joint, const OpRef& ref);

// The position of the source among the members. Throws Rejection where it is none of them.
size_t source_of(const Meeting& meeting);

// The result of member number i has the shape that the members' operands give it. Throws Rejection.
void check_member_shape(const Joint& joint, const Meeting& meeting, size_t i);

}  // namespace assay::checker
