#include "static_check/domains.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include "shared_ir/reference/element_functions.h"

namespace assay {
namespace {

constexpr std::string_view kPartial[] = {
    "acos",  "acosh", "asin",       "atanh",     "div_floor", "div_trunc", "fmod", "log",
    "log10", "log2",  "reciprocal", "remainder", "rsqrt",     "sqrt",      "tan",  "xlogy",
};

// Whether the function has arguments for which it is no real number.
bool is_partial(const std::string& fn) {
  const reference::FunctionName function = reference::parse_function_name(fn);
  if (std::ranges::find(kPartial, function.name) != std::end(kPartial)) return true;
  if (function.name == "pow") {
    const double exponent = function.attributes.empty() ? -1 : function.number(0);
    return !(exponent >= 0 && exponent == std::floor(exponent));
  }
  const bool normalizes =
      function.name.starts_with("layer_norm.") || function.name.starts_with("rms_norm.");
  return normalizes && !function.attributes.empty() && !(function.number(0) > 0);
}

struct Computation {
  const Node* node;
  bool undefined = false;  // whatever the inputs are
};
// The partial functions of one side, with an operator that computes each.
using Computed = std::map<AtomId, Computation>;

std::optional<double> constant_of(const Lifting& lifting, const Tile& tile) {
  if (!tile.integer.empty() || tile.terms.size() > 1) return std::nullopt;
  if (tile.terms.empty()) return 0;
  const Term& term = tile.terms[0];
  if (term.atom != lifting.one() || !term.restrictions.empty()) return std::nullopt;
  return term.coef.to_double();
}

class Side {
 public:
  explicit Side(const Lifting& lifting) : lifting_(lifting) {}

  void add(const Graph& graph, const CoreProgram& program, const LiftedProgram& lifted) {
    for (size_t id = 0; id < lifted.values.size(); ++id) {
      const CoreOp& op = program.ops[id];
      const bool function = op.prim == Prim::kMap || op.prim == Prim::kBlock;
      if (!function || op.origin == kNone || !is_partial(op.fn)) continue;
      const Computation made{&graph.nodes[static_cast<size_t>(op.origin)],
                             is_undefined(op, lifted)};
      for (const Tile& tile : lifted.values[id].tiles)
        for (const Term& term : tile.terms) collect(term.atom, made);
    }
  }

  const Computed& computed() const { return computed_; }

 private:
  // Whether some element of its argument is a number for which the function has no value.
  bool is_undefined(const CoreOp& op, const LiftedProgram& lifted) const {
    const reference::FunctionName function = reference::parse_function_name(op.fn);
    const reference::MapFunction evaluate = reference::find_map(function.name);
    if (op.prim != Prim::kMap || op.operands.size() != 1 || evaluate == nullptr) return false;
    const Value& argument = lifted.values[static_cast<size_t>(op.operands[0])];
    return std::ranges::any_of(argument.tiles, [&](const Tile& tile) {
      const std::optional<double> number = constant_of(lifting_, tile);
      return number && !std::isfinite(evaluate(function, std::span(&*number, 1)));
    });
  }

  void collect(AtomId id, const Computation& computed) {
    if (!seen_.insert(id).second || lifting_.atom(id).kind != Atom::Kind::kInstance) return;
    const Instance& made = lifting_.instance_of(id);
    const bool function = made.kind == Instance::Kind::kMap || made.kind == Instance::Kind::kBlock;
    if (function && is_partial(made.fn) && !lifting_.sign(id).finite)
      computed_.emplace(id, computed);
    if (function) return;
    for (const Instance::Operand& operand : made.operands) collect(operand.atom, computed);
  }

  const Lifting& lifting_;
  Computed computed_;
  std::set<AtomId> seen_;
};

}  // namespace

std::vector<std::string> domain_assumptions(const Problem& problem, bool proved) {
  Side sequential(problem.lifting), ranks(problem.lifting);
  sequential.add(problem.refinement.sequential, problem.sequential_program, problem.sequential);
  for (size_t r = 0; r < problem.ranks.ranks.size(); ++r)
    ranks.add(problem.refinement.ranks[r], problem.rank_programs[r], problem.ranks.ranks[r]);
  std::set<std::string> notes;
  const auto compare = [&](const Computed& one, const Computed& other, const char* side) {
    for (const auto& [atom, computation] : one) {
      if (other.contains(atom)) continue;
      const Node& node = *computation.node;
      if (proved && computation.undefined)
        throw UserError(
            node.source,
            node.op +
                " has no value here: its argument is the same number for all "
                "inputs, one for which it is not defined",
            "what " + std::string(side) + " makes of it is not what the other computes");
      notes.insert("domains: every argument of " + node.op + " that " + side +
                   " alone has is one for which it is defined");
    }
  };
  compare(sequential.computed(), ranks.computed(), "the sequential program");
  compare(ranks.computed(), sequential.computed(), "a rank");
  return {notes.begin(), notes.end()};
}

}  // namespace assay
