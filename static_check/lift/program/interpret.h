// One program's state during abstract interpretation.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "shared_ir/core.h"
#include "shared_ir/graph.h"
#include "static_check/algebra/value.h"
#include "static_check/lift/collectives/meeting.h"
#include "static_check/lift/inputs/random_draws.h"
#include "static_check/lift/lifting.h"
#include "static_check/lift/program/lift_program.h"

namespace assay {

class Interpreter {
 public:
  Interpreter(Lifting& lifting, const Graph& graph, const CoreProgram& program,
              const std::map<std::string, Value>& inputs);

  // Evaluates one core operator. Operators come in program order, but a collective that is not
  // waited for comes when it is done.
  void evaluate(CoreId id);
  // member: this rank's position in the meeting.
  void evaluate_collective(CoreId id, Meeting& meeting, size_t member);

  // Of an operator that is not evaluated.
  void give(CoreId id, Value value) { result_.values[static_cast<size_t>(id)] = std::move(value); }

  // Stays where it is as further operators are evaluated.
  const Value& value(CoreId id) const { return result_.values[static_cast<size_t>(id)]; }
  // The values up to the first operator that was not evaluated.
  LiftedProgram take();

 private:
  Value compute(const CoreOp& op);
  Value compute_of_nothing(const CoreOp& op);
  void keep_equal_atoms(Value& value) const;
  Value compute_arithmetic(const CoreOp& op);
  Value compute_source(const CoreOp& op);
  Value unknown(const CoreOp& op, Atom::Kind kind);
  Value draw(const CoreOp& op);
  const Value& operand(const CoreOp& op, size_t i) const { return value(op.operands[i]); }
  std::vector<Value> operands(const CoreOp& op) const;

  Lifting& lifting_;
  const Graph& graph_;
  const CoreProgram& program_;
  const std::map<std::string, Value>& inputs_;
  LiftedProgram result_;
  Draws draws_;
};

}  // namespace assay
