#include "static_check/lift/program/lift_program.h"

#include "static_check/lift/program/interpret.h"

namespace assay {

namespace {

// The ranks' programs, as the order in which collectives meet evaluates them.
class Ranks : public RankEvaluation {
 public:
  Ranks(Lifting& lifting, const Case& refinement, const std::vector<CoreProgram>& programs,
        const InputValues& inputs, const GivenValues& given)
      : given_(given) {
    for (size_t r = 0; r < programs.size(); ++r) {
      interpreters_.emplace_back(lifting, refinement.ranks[r], programs[r], inputs.ranks[r]);
    }
  }

  void evaluate(Rank rank, CoreId id) override {
    if (!give(rank, id)) of(rank).evaluate(id);
  }
  void evaluate_collective(Rank rank, CoreId id, Meeting& meeting, size_t member) override {
    if (!give(rank, id)) of(rank).evaluate_collective(id, meeting, member);
  }
  const Value& value(Rank rank, CoreId id) override { return of(rank).value(id); }

  std::vector<LiftedProgram> take() {
    std::vector<LiftedProgram> result;
    for (Interpreter& interpreter : interpreters_) result.push_back(interpreter.take());
    return result;
  }

 private:
  Interpreter& of(Rank rank) { return interpreters_[static_cast<size_t>(rank)]; }

  bool give(Rank rank, CoreId id) {
    const auto known = given_.find({rank, id});
    if (known != given_.end()) of(rank).give(id, known->second);
    return known != given_.end();
  }

  const GivenValues& given_;
  std::vector<Interpreter> interpreters_;
};

}  // namespace

LiftedProgram lift_sequential(Lifting& lifting, const Graph& graph, const CoreProgram& program,
                              const InputValues& inputs) {
  lifting.set_sequential(true);
  Interpreter interpreter(lifting, graph, program, inputs.sequential);
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const CoreOp& op = program.ops[i];
    if (op.prim == Prim::kCollective) {
      // One rank: every collective is over itself.
      Meeting alone;
      alone.join(program.collectives[static_cast<size_t>(op.collective)],
                 interpreter.value(op.operands.at(0)));
      interpreter.evaluate_collective(static_cast<CoreId>(i), alone, 0);
    } else {
      interpreter.evaluate(static_cast<CoreId>(i));
    }
  }
  return interpreter.take();
}

LiftedRanks lift_ranks(Lifting& lifting, const Case& refinement,
                       const std::vector<CoreProgram>& programs, const InputValues& inputs,
                       const GivenValues& given) {
  lifting.set_sequential(false);
  Ranks ranks(lifting, refinement, programs, inputs, given);
  LiftedRanks result;
  result.mismatch = run_in_order(programs, ranks);
  result.ranks = ranks.take();
  return result;
}

}  // namespace assay
