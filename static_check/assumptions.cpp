#include "static_check/assumptions.h"

#include <algorithm>

#include "shared_ir/case/approximation.h"
#include "shared_ir/lower/node/random_operators.h"
#include "shared_ir/report/accepted_outputs.h"

namespace assay {
namespace {

class List {
 public:
  void add(const std::string& note) {
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
  }

  // What lowering assumed.
  void add(const CoreProgram& program, bool random_agrees) {
    for (const std::string& note : program.notes) add(note);
    for (const std::string& op : program.opaque)
      if (random_agrees || !lowering::draws_random_numbers(op))
        add("undeclared operator, equal only to itself on equal whole arguments, and its results "
            "are numbers: " +
            op);
  }

  // An input that is a sum of inputs is that over the integers.
  void add_sums(const Graph& graph, const Relation& relation) {
    const DType dtype = graph.tensors[static_cast<size_t>(graph.find(relation.tensor))].dtype;
    const auto is_sum = [](const CleanExpr& replica) {
      return has_kind(replica, CleanExpr::Kind::kSum) || has_kind(replica, CleanExpr::Kind::kScale);
    };
    if (is_integer(dtype) && std::ranges::any_of(relation.replicas, is_sum))
      add("input relations: " + relation.tensor + " is a sum or multiple that does not leave " +
          std::string(to_string(dtype)));
  }

  void add_unread_constants(const Graph& graph) {
    for (const TensorId id : graph.unread_constants)
      add("constants: " + graph.tensors[static_cast<size_t>(id)].name + " of " + graph.name +
          " is what [inputs] relates it to (its data are not read)");
  }

  // The random operators of a rank, by name and distribution.
  void add_random_draws(const Graph& graph, const CoreProgram& program) {
    for (const CoreOp& op : program.ops) {
      if (op.prim != Prim::kRandom || op.origin == kNone) continue;
      add("random draws agree: " + graph.nodes[static_cast<size_t>(op.origin)].op + " (" + op.fn +
          ") draws on every rank what the sequential program draws for the same " +
          (op.operands.empty() ? "call" : "elements"));
    }
  }

  // What a rank stops at where it does not hold. Of `_assert_tensor_metadata` captures decide.
  void add_assertions(const Graph& graph) {
    for (const Node& node : graph.nodes) {
      const bool asserts =
          node.op.starts_with("aten._assert_") || node.op.starts_with("aten._functional_assert_");
      if (asserts && !node.op.starts_with("aten._assert_tensor_metadata"))
        add("assertions: what " + node.op + " of a rank asks for holds");
    }
  }

  std::vector<std::string> take() { return std::move(notes_); }

 private:
  std::vector<std::string> notes_;
};

}  // namespace

std::vector<std::string> assumptions_of(const Problem& problem, const Case& asked) {
  const Case& refinement = problem.refinement;
  List list;
  list.add("real arithmetic; shapes, branches and host values as captured");
  if (&refinement != &asked)
    for (const Approximation& accepted : asked.approximations)
      list.add("accepted approximation: " + to_string(asked, accepted));
  list.add(problem.sequential_program, refinement.random_agrees);
  for (const std::string& taken : refinement.sequential.assumptions) list.add(taken);
  for (const Graph& rank : refinement.ranks)
    for (const std::string& taken : rank.assumptions) list.add(taken);
  for (const CoreProgram& program : problem.rank_programs)
    list.add(program, refinement.random_agrees);
  for (const Graph& rank : refinement.ranks) list.add_assertions(rank);
  list.add_unread_constants(refinement.sequential);
  for (const Graph& rank : refinement.ranks) list.add_unread_constants(rank);
  for (const Relation& relation : refinement.inputs) list.add_sums(refinement.sequential, relation);
  if (refinement.random_agrees)
    for (size_t r = 0; r < problem.rank_programs.size(); ++r)
      list.add_random_draws(refinement.ranks[r], problem.rank_programs[r]);
  const auto has_infinities = [](const CoreProgram& program) {
    return std::any_of(program.ops.begin(), program.ops.end(),
                       [](const CoreOp& op) { return op.prim == Prim::kConst && !op.fn.empty(); });
  };
  if (has_infinities(problem.sequential_program) ||
      std::any_of(problem.rank_programs.begin(), problem.rank_programs.end(), has_infinities))
    list.add(
        "infinite constants: none of them, nor what is computed from one, meets 0 or another "
        "infinity");
  return list.take();
}

void note_accepted(const Accepted& accept, StaticReport& report) {
  for (const TensorReport& output : report.outputs)
    if (output.verdict != Verdict::kProved && accepts(accept, output.name))
      report.assumptions.push_back("accepted without proof: " + output.name + " (" + accept.reason +
                                   ")");
}

bool accepts_failing(const Case& refinement, const std::vector<TensorId>& unproved,
                     const std::vector<BrokenExpectation>& broken) {
  const auto& accept = refinement.accept;
  const auto listed = [&](const std::string& name) { return accept && accepts(*accept, name); };
  return std::ranges::all_of(
             unproved,
             [&](TensorId id) {
               return listed(refinement.sequential.tensors[static_cast<size_t>(id)].name);
             }) &&
         std::ranges::all_of(broken, [&](const BrokenExpectation& one) {
           const CleanExpr& expr = one.expectation->sequential;
           return expr.kind == CleanExpr::Kind::kTensor && listed(expr.name);
         });
}

}  // namespace assay
