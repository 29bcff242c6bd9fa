#include <algorithm>
#include <set>

#include "shared_ir/case/approximation.h"
#include "shared_ir/case/case.h"
#include "shared_ir/case/contradictions.h"

namespace assay {
namespace {

enum class Numbers { kFloating, kInteger, kBool };

Numbers numbers(DType dtype) {
  return is_floating(dtype) ? Numbers::kFloating
         : is_bool(dtype)   ? Numbers::kBool
                            : Numbers::kInteger;
}

class CaseValidator {
 public:
  explicit CaseValidator(const Case& refinement) : case_(refinement) {}

  void run() const {
    if (case_.ranks.empty()) fail({}, "there is no distributed graph");
    validate(case_.sequential);
    for (const Graph& graph : case_.ranks) validate(graph);
    check_groups(case_.sequential_groups, 1);
    check_groups(case_.distributed_groups, case_.ranks.size());
    for (const Relation& relation : case_.inputs) check_input(relation);
    std::set<std::string> approximated;
    for (const Approximation& accepted : case_.approximations) {
      check_approximation(accepted);
      if (!approximated.insert(accepted.tensor).second)
        fail(accepted.place, "'" + accepted.tensor + "' is approximated twice",
             "one relation may list several expressions");
    }
    if (case_.approximations.empty())
      check_contradictions(case_);
    else
      check_contradictions(given_approximations(case_).refinement);
    if (case_.outputs.empty()) fail({}, "no output is checked");
    for (const std::string& output : case_.outputs) sequential(output, {});
    for (const Expectation& expectation : case_.expect) check_expectation(expectation);
    if (case_.accept) {
      for (const std::string& tensor : case_.accept->tensors)
        sequential(tensor, case_.accept->place);
    }
    for (const std::string& tensor : case_.self_made) sequential(tensor, {});
    for (const std::string& tensor : case_.never_ignored) check_never_ignored(tensor);
  }

 private:
  [[noreturn]] void fail(const SourcePlace& place, const std::string& message,
                         const std::string& hint = {}) const {
    throw UserError(place.known() ? place : SourcePlace{case_.folder.string()},
                    (place.known() ? "" : "case '" + case_.name + "': ") + message, hint);
  }

  void check_groups(const Groups& groups, size_t world) const {
    for (const auto& [id, ranks] : groups) {
      if (ranks.empty()) fail({}, "group '" + id + "' is empty");
      std::vector<bool> seen(world, false);
      for (Rank rank : ranks) {
        const auto index = static_cast<size_t>(rank);
        if (rank < 0 || index >= world || seen[index]) {
          fail({}, "group '" + id + "' has rank " + std::to_string(rank) +
                       ", which does not exist or is there twice");
        }
        seen[index] = true;
      }
    }
  }

  const Tensor& sequential(const std::string& name, const SourcePlace& place) const {
    const TensorId id = case_.sequential.find(name);
    if (id == kNone) fail(place, "the sequential graph has no tensor '" + name + "'");
    return case_.sequential.tensors[static_cast<size_t>(id)];
  }

  const Tensor& distributed(const std::string& name, Rank rank, const SourcePlace& place) const {
    if (static_cast<size_t>(rank) >= case_.ranks.size()) {
      fail(place, "rank " + std::to_string(rank) + " of " + name + " does not exist",
           "ranks are 0 to " + std::to_string(case_.ranks.size() - 1));
    }
    const Graph& graph = case_.ranks[static_cast<size_t>(rank)];
    const TensorId id = graph.find(name);
    if (id == kNone) {
      fail(place, "the graph of rank " + std::to_string(rank) + " has no tensor '" + name + "'");
    }
    return graph.tensors[static_cast<size_t>(id)];
  }

  void check_never_ignored(const std::string& name) const {
    sequential(name, {});
    const TensorId id = case_.sequential.find(name);
    const Graph& graph = case_.sequential;
    if (std::ranges::find(graph.inputs, id) == graph.inputs.end() ||
        !is_integer(graph.tensors[static_cast<size_t>(id)].dtype))
      fail({}, "never_ignored: '" + name + "' is no input of integers",
           "name inputs of the sequential graph whose elements are classes");
  }

  void check_scale(const CleanExpr& expr, const SourcePlace& place) const {
    if (expr.kind == CleanExpr::Kind::kScale && !case_.allow_scale) {
      fail(place, "scale(...) in a relation", "[check] allow_scale = true permits it");
    }
    if (expr.kind == CleanExpr::Kind::kScale && expr.numerator == 0)
      fail(place, "scale(...; by=0) says nothing about its operand", "a scale is not 0");
    for (const CleanExpr& operand : expr.operands) check_scale(operand, place);
  }

  // Integers and booleans are what their type makes of them.
  void check_arithmetic(const CleanExpr& expr, DType dtype, const SourcePlace& place) const {
    if (expr.kind == CleanExpr::Kind::kSum && is_bool(dtype))
      fail(place, to_string(expr) + " adds booleans, which have no sum",
           "say which rank has which part of it by concat(...), or relate numbers");
    if (expr.kind == CleanExpr::Kind::kScale && expr.denominator != 1 && !is_floating(dtype))
      fail(place, to_string(expr) + " divides " + std::string(to_string(dtype)),
           "integers wrap around: a fraction of them says nothing of what they were");
    for (const CleanExpr& operand : expr.operands) check_arithmetic(operand, dtype, place);
  }

  // Shape and kind of numbers of every replica are those of the sequential side.
  void check_replicas(const std::string& name, const Shape& shape, DType dtype,
                      const std::vector<CleanExpr>& replicas, const SourcePlace& place) const {
    if (replicas.empty()) fail(place, "'" + name + "' has no expression");
    for (const CleanExpr& replica : replicas) {
      check_scale(replica, place);
      check_arithmetic(replica, dtype, place);
      const Shape found = infer_shape(
          replica,
          [&](const std::string& leaf, Rank rank) {
            const Tensor& tensor = distributed(leaf, rank, place);
            if (numbers(tensor.dtype) != numbers(dtype)) {
              fail(place, "'" + name + "' is " + std::string(to_string(dtype)) + ", but " + leaf +
                              "@" + std::to_string(rank) + " is " +
                              std::string(to_string(tensor.dtype)));
            }
            return tensor.shape;
          },
          place);
      if (found != shape) {
        fail(place, "'" + name + "' has shape " + to_string(shape) + ", but " + to_string(replica) +
                        " has " + to_string(found));
      }
    }
  }

  void check_input(const Relation& relation) const {
    const Tensor& tensor = sequential(relation.tensor, relation.place);
    check_is_input(case_.sequential, tensor, relation.tensor, relation.place);
    check_replicas(relation.tensor, tensor.shape, tensor.dtype, relation.replicas, relation.place);
    for (const CleanExpr& replica : relation.replicas) {
      for_each_leaf(replica, [&](const CleanExpr& leaf) {
        check_is_input(case_.ranks[static_cast<size_t>(leaf.rank)],
                       distributed(leaf.name, leaf.rank, relation.place), to_string(leaf),
                       relation.place);
      });
    }
  }

  void check_approximation(const Approximation& accepted) const {
    const Tensor& tensor = sequential(accepted.tensor, accepted.place);
    if (accepted.reason.empty())
      fail(accepted.place, "the approximation of '" + accepted.tensor + "' needs a reason");
    if (tensor.producer == kNone)
      fail(accepted.place, "'" + accepted.tensor + "' is an input: nothing approximates it",
           "how inputs relate belongs in [inputs]");
    check_replicas(accepted.tensor, tensor.shape, tensor.dtype, accepted.replicas, accepted.place);
    for (const CleanExpr& replica : accepted.replicas) {
      for_each_leaf(replica, [&](const CleanExpr& leaf) {
        if (distributed(leaf.name, leaf.rank, accepted.place).producer == kNone)
          fail(accepted.place, to_string(leaf) + " is an input: nothing approximates it",
               "name tensors that the ranks compute");
      });
    }
  }

  void check_is_input(const Graph& graph, const Tensor& tensor, const std::string& name,
                      const SourcePlace& place) const {
    if (tensor.producer == kNone) return;
    fail(place,
         "'" + name + "' is no input: " + graph.nodes[static_cast<size_t>(tensor.producer)].op +
             " computes it",
         "an input relation speaks of inputs; what results should equal belongs in [expect]");
  }

  void check_expectation(const Expectation& expectation) const {
    DType dtype = DType::kFloat32;
    check_scale(expectation.sequential, expectation.place);
    const Shape shape = infer_shape(
        expectation.sequential,
        [&](const std::string& leaf, Rank) {
          const Tensor& tensor = sequential(leaf, expectation.place);
          dtype = tensor.dtype;
          return tensor.shape;
        },
        expectation.place);
    check_replicas(to_string(expectation.sequential, Leaves::kSequential), shape, dtype,
                   expectation.replicas, expectation.place);
    if (expectation.sequential.kind != CleanExpr::Kind::kTensor ||
        std::ranges::find(case_.outputs, expectation.sequential.name) == case_.outputs.end())
      return;
    for (const CleanExpr& replica : expectation.replicas)
      for_each_leaf(replica, [&](const CleanExpr& leaf) {
        const Graph& graph = case_.ranks[static_cast<size_t>(leaf.rank)];
        if (std::ranges::find(graph.outputs, graph.find(leaf.name)) == graph.outputs.end())
          fail(expectation.place,
               "'" + expectation.sequential.name + "' is an output, and " + to_string(leaf) +
                   ", which is to make it up, is none of its rank",
               "name outputs of the ranks, or make it one");
      });
  }

  const Case& case_;
};

}  // namespace

void validate(const Case& refinement) { CaseValidator(refinement).run(); }

}  // namespace assay
