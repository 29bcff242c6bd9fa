// One program's state during abstract interpretation.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "shared_ir/core.h"
#include "shared_ir/graph.h"
#include "static_check/algebra/value.h"
#include "static_check/lift/draws.h"
#include "static_check/lift/lifting.h"
#include "static_check/lift/program.h"

namespace assay {

class Interpreter {
 public:
  Interpreter(Lifting& lifting, const Graph& graph, const CoreProgram& program,
              const std::map<std::string, Value>& inputs);

  // Evaluates one core operator; operators come in program order.
  void evaluate(CoreId id);
  // meeting, operands: every member's collective and operand, in group order (of a message: the
  // sender's, then the receiver's, if there is one yet); member: this rank's position among them.
  void evaluate_collective(CoreId id, std::span<const Collective* const> meeting, size_t member,
                           std::vector<Value> operands);

  const Value& value(CoreId id) const { return result_.values[static_cast<size_t>(id)]; }
  LiftedProgram take() { return std::move(result_); }

 private:
  Value compute(const CoreOp& op);
  Value compute_of_nothing(const CoreOp& op);
  void keep_equal_atoms(Value& value) const;
  Value compute_arithmetic(const CoreOp& op);
  Value compute_source(const CoreOp& op);
  Value exchange(const CoreOp& op, std::span<const Collective* const> meeting, size_t member,
                 std::vector<Value> operands);
  Value unknown(const CoreOp& op, Atom::Kind kind);
  Value draw(const CoreOp& op);
  const Value& operand(const CoreOp& op, size_t i) const { return value(op.operands[i]); }
  std::vector<Value> operands(const CoreOp& op) const;
  // Integer maps among the operands as views of atoms.
  Value as_terms(Value value, DType dtype);

  Lifting& lifting_;
  const Graph& graph_;
  const CoreProgram& program_;
  const std::map<std::string, Value>& inputs_;
  LiftedProgram result_;
  Draws draws_;
};

}  // namespace assay
