// What the calls that meet in one collective must agree on.
#pragma once

#include <string>

#include "shared_ir/core.h"

namespace assay {

// One rank's call of a collective.
struct RankCall {
  Rank rank;
  CoreId id;
  const CoreProgram* program;

  const CoreOp& op() const { return program->ops[static_cast<size_t>(id)]; }
  const Collective& what() const {
    return program->collectives[static_cast<size_t>(op().collective)];
  }
  const CoreOp& operand() const { return program->ops[static_cast<size_t>(op().operands.at(0))]; }
};

// Why calls of two members of a group that come to each other are not one collective: another kind,
// reduction, source, order of members, shape, dtype, or number of rows; empty when they are.
std::string disagreement(const RankCall& a, const RankCall& b);

// Why a rank does not expect what another one sends: another tag, shape or dtype; empty when it
// does.
std::string message_disagreement(const RankCall& sent, const RankCall& received);

}  // namespace assay
