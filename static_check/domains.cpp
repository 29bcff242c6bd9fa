#include "static_check/domains.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
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

// The partial functions of one side, with an operator that computes each.
using Computed = std::map<AtomId, std::string>;

class Side {
 public:
  explicit Side(const Lifting& lifting) : lifting_(lifting) {}

  void add(const Graph& graph, const CoreProgram& program, const LiftedProgram& lifted) {
    for (size_t id = 0; id < lifted.values.size(); ++id) {
      const CoreOp& op = program.ops[id];
      const bool function = op.prim == Prim::kMap || op.prim == Prim::kBlock;
      if (!function || op.origin == kNone || !is_partial(op.fn)) continue;
      const Node& node = graph.nodes[static_cast<size_t>(op.origin)];
      for (const Tile& tile : lifted.values[id].tiles)
        for (const Term& term : tile.terms) collect(term.atom, node.op);
    }
  }

  const Computed& computed() const { return computed_; }

 private:
  void collect(AtomId id, const std::string& op) {
    if (!seen_.insert(id).second || lifting_.atom(id).kind != Atom::Kind::kInstance) return;
    const Instance& made = lifting_.instance_of(id);
    const bool function = made.kind == Instance::Kind::kMap || made.kind == Instance::Kind::kBlock;
    if (function && is_partial(made.fn) && !lifting_.sign(id).finite) computed_.emplace(id, op);
    if (function) return;
    for (const Instance::Operand& operand : made.operands) collect(operand.atom, op);
  }

  const Lifting& lifting_;
  Computed computed_;
  std::set<AtomId> seen_;
};

}  // namespace

std::vector<std::string> domain_assumptions(const Problem& problem) {
  Side sequential(problem.lifting), ranks(problem.lifting);
  sequential.add(problem.refinement.sequential, problem.sequential_program, problem.sequential);
  for (size_t r = 0; r < problem.ranks.ranks.size(); ++r)
    ranks.add(problem.refinement.ranks[r], problem.rank_programs[r], problem.ranks.ranks[r]);
  std::set<std::string> notes;
  const auto compare = [&](const Computed& one, const Computed& other, const char* side) {
    for (const auto& [atom, op] : one)
      if (!other.contains(atom))
        notes.insert("domains: every argument of " + op + " that " + side +
                     " alone has is one for which it is defined");
  };
  compare(sequential.computed(), ranks.computed(), "the sequential program");
  compare(ranks.computed(), sequential.computed(), "a rank");
  return {notes.begin(), notes.end()};
}

}  // namespace assay
