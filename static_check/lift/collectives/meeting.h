// One collective of several ranks, or one message, as its members meet in it.
#pragma once

#include <optional>
#include <vector>

#include "shared_ir/core.h"
#include "static_check/algebra/value.h"
#include "static_check/lift/lifting.h"

namespace assay {

class Meeting {
 public:
  // The next member, in group order (of a message: the sender, then the receiver). Both must
  // outlive the meeting.
  void join(const Collective& what, const Value& operand);

  // What `member` (0: the first that joined) gets out of it, by its own operator; nullopt where
  // that is known by no other name. Throws NotLifted, RationalOverflow.
  std::optional<Value> result(Lifting& lifting, size_t member, const CoreOp& op);

 private:
  struct Member {
    const Collective* what;
    const Value* operand;
  };

  // What all members get, or get a piece of: made once.
  const std::optional<Value>& whole(Lifting& lifting, const CoreOp& op);
  std::optional<Value> reduced(Lifting& lifting, const Collective& what, DType dtype) const;
  // The rows that each member sends to this one, in group order.
  Value received(size_t member) const;
  std::vector<Value> operands() const;

  std::vector<Member> members_;
  bool made_ = false;
  std::optional<Value> whole_;
};

}  // namespace assay
