#include "static_check/domains/undefined_outputs.h"

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "shared_ir/clean_expr.h"
#include "shared_ir/reference/element_functions.h"

namespace assay {
namespace {

// The number that every element of the value is.
std::optional<double> constant_of(const Lifting& lifting, const Value& value) {
  std::optional<double> number;
  for (const Tile& tile : value.tiles) {
    if (!tile.integer.empty() || tile.terms.size() > 1) return std::nullopt;
    double here = 0;
    if (!tile.terms.empty()) {
      const Term& term = tile.terms[0];
      if (term.atom != lifting.one() || !term.restrictions.empty()) return std::nullopt;
      here = term.coef.to_double();
    }
    if (number && *number != here) return std::nullopt;
    number = here;
  }
  return number;
}

// Arguments that stand for all: what is no number for these is none for others.
constexpr double kSamples[] = {0.5, -1.25, 3.75};

class Tensors {
 public:
  Tensors(const Lifting& lifting, const CoreProgram& program, const LiftedProgram& lifted)
      : lifting_(lifting), program_(program), lifted_(lifted) {
    for (size_t id = 0; id < lifted.values.size(); ++id) add(program.ops[id], lifted.values[id]);
  }

  // The graph's node that gives no number for any input, where the proof has the tensor made of
  // what is left of that without it; kNone where there is none.
  NodeId lost(TensorId tensor) const {
    const CoreId id = program_.value_of[static_cast<size_t>(tensor)];
    return id == kNone ? kNone : lost_[static_cast<size_t>(id)];
  }

 private:
  void add(const CoreOp& op, const Value& value) {
    const bool undefined = is_undefined(op);
    if (undefined)
      for (const Tile& tile : value.tiles)
        for (const Term& term : tile.terms) undefined_atoms_.insert(term.atom);
    const NodeId origin = undefined ? op.origin : inherited(op, origins_);
    origins_.push_back(is_arithmetic(op) || undefined ? origin : kNone);
    const bool is_left_out = origins_.back() != kNone && !speaks_of_undefined(value);
    lost_.push_back(is_left_out ? origin : inherited(op, lost_));
  }

  // Sums, products and movements of what is no number are none.
  static bool is_arithmetic(const CoreOp& op) {
    return op.prim == Prim::kLinear || op.prim == Prim::kMul || op.prim == Prim::kReduceSum ||
           op.prim == Prim::kCat || is_movement(op.prim);
  }

  // From any operand; where they are joined, from all of them. Masks may have left it out.
  NodeId inherited(const CoreOp& op, const std::vector<NodeId>& nodes) const {
    if (op.prim == Prim::kKeep || element_count(op.shape) == 0) return kNone;
    NodeId node = kNone;
    for (const CoreId operand : op.operands) {
      const NodeId here = nodes[static_cast<size_t>(operand)];
      if (here != kNone)
        node = here;
      else if (op.prim == Prim::kCat)
        return kNone;
    }
    return node;
  }

  bool speaks_of_undefined(const Value& value) {
    return any_term(value, [this](const Term& term) { return is_made_of_undefined(term.atom); });
  }

  // Of an infinity, NaN, memory that nothing has written, what has no value, or something unknown.
  bool is_made_of_undefined(AtomId id) {
    const auto [known, first] = made_of_undefined_.try_emplace(id, false);
    if (!first) return known->second;
    const Atom& atom = lifting_.atom(id);
    bool found = undefined_atoms_.contains(id) || id == lifting_.infinity() ||
                 id == lifting_.nan() || lifting_.is_unwritten(id) ||
                 (atom.kind == Atom::Kind::kInput && atom.tensor == kNone);
    if (atom.kind == Atom::Kind::kInstance)
      for (const Instance::Operand& operand : lifting_.instance_of(id).operands)
        found = found || is_made_of_undefined(operand.atom);
    return made_of_undefined_[id] = found;
  }

  bool is_undefined(const CoreOp& op) const {
    if (element_count(op.shape) == 0 || !is_floating(op.dtype)) return false;
    if (op.prim == Prim::kUninit) return true;
    if (op.prim == Prim::kConst) return !op.fn.empty();  // an infinity, or NaN
    return op.prim == Prim::kMap && has_no_value(op);
  }

  // Whether a function has no finite value, whatever those of its arguments are that vary.
  bool has_no_value(const CoreOp& op) const {
    const reference::FunctionName function = reference::parse_function_name(op.fn);
    const reference::MapFunction evaluate = reference::find_map(function.name);
    if (evaluate == nullptr) return false;
    std::vector<std::optional<double>> constants;
    for (const CoreId operand : op.operands)
      constants.push_back(constant_of(lifting_, lifted_.values[static_cast<size_t>(operand)]));
    if (std::ranges::none_of(constants, [](const auto& number) { return number.has_value(); }))
      return false;
    return std::ranges::none_of(kSamples, [&](double sample) {
      std::vector<double> arguments;
      for (const auto& number : constants) arguments.push_back(number.value_or(sample));
      return std::isfinite(evaluate(function, arguments));
    });
  }

  const Lifting& lifting_;
  const CoreProgram& program_;
  const LiftedProgram& lifted_;
  std::set<AtomId> undefined_atoms_;
  std::map<AtomId, bool> made_of_undefined_;
  std::vector<NodeId> origins_;  // per core operator: the node because of which it is no number
  std::vector<NodeId> lost_;     // see lost()
};

class Undefined {
 public:
  explicit Undefined(const Problem& problem)
      : problem_(problem),
        sequential_(problem.lifting, problem.sequential_program, problem.sequential) {
    for (size_t r = 0; r < problem.rank_programs.size(); ++r)
      ranks_.emplace_back(problem.lifting, problem.rank_programs[r], problem.ranks.ranks[r]);
  }

  // See Tensors::lost(), of a tensor of a rank.
  NodeId lost(const CleanExpr& leaf) const {
    const TensorId tensor = problem_.rank_graph(leaf.rank).find(leaf.name);
    return ranks_[static_cast<size_t>(leaf.rank)].lost(tensor);
  }

  // The specification may say the same.
  bool is_specified(const std::string& tensor) const {
    return sequential_.lost(problem_.refinement.sequential.find(tensor)) != kNone;
  }
  bool is_specified(const CleanExpr& expr) const {
    bool specified = false;
    for_each_leaf(expr,
                  [&](const CleanExpr& leaf) { specified = specified || is_specified(leaf.name); });
    return specified;
  }

 private:
  const Problem& problem_;
  Tensors sequential_;
  std::vector<Tensors> ranks_;
};

}  // namespace

void refuse_undefined_outputs(const Problem& problem, const Certificate& certificate) {
  const Undefined undefined(problem);
  const auto look_at = [&](const CleanExpr& leaf) {
    const NodeId origin = undefined.lost(leaf);
    if (origin == kNone) return;
    const Graph& graph = problem.rank_graph(leaf.rank);
    const Node& node = graph.nodes[static_cast<size_t>(origin)];
    throw UserError(node.source,
                    graph.name + ": " + node.op + " gives no number for any input, and '" +
                        leaf.name + "' is made of it",
                    "what is not defined (1/0, log 0) and memory that nothing has written may be "
                    "NaN, which no sum and no product takes away");
  };
  const auto look_at_all = [&](const std::vector<CleanExpr>& replicas) {
    for (const CleanExpr& replica : replicas) for_each_leaf(replica, look_at);
  };
  for (const Expectation& expectation : problem.refinement.expect)
    if (!undefined.is_specified(expectation.sequential)) look_at_all(expectation.replicas);
  for (const auto& relation : certificate.relations)
    if (relation.output && !undefined.is_specified(relation.tensor)) look_at_all(relation.replicas);
}

std::function<void(const std::string&, std::vector<CleanExpr>&)> without_undefined(
    const Problem& problem) {
  return [undefined = std::make_shared<Undefined>(problem)](const std::string& tensor,
                                                            std::vector<CleanExpr>& replicas) {
    if (undefined->is_specified(tensor)) return;
    std::erase_if(replicas, [&](const CleanExpr& replica) {
      bool found = false;
      for_each_leaf(
          replica, [&](const CleanExpr& leaf) { found = found || undefined->lost(leaf) != kNone; });
      return found;
    });
  };
}

}  // namespace assay
