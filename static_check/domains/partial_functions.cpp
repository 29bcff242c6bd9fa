#include "static_check/domains/partial_functions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "shared_ir/reference/element_functions.h"
#include "static_check/domains/lost_values.h"
#include "static_check/domains/masked_signs.h"

namespace assay {
namespace {

constexpr std::string_view kPartial[] = {
    "acos",
    "acosh",
    "asin",
    "atanh",
    "digamma",
    "div_floor",
    "div_trunc",
    "erfinv",
    "fmod",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "reciprocal",
    "remainder",
    "rsqrt",
    "solve",
    "solve_triangular",
    "sqrt",
    "tan",
    "xlogy",
};

// Of two operands, of which the second is not 0.
constexpr std::string_view kDivisions[] = {"div_floor", "div_trunc", "fmod", "remainder"};

constexpr char kDomains[] = "domains: every argument of ";
constexpr char kSequentialAlone[] = "the sequential program alone has";
constexpr char kRankAlone[] = "a rank alone has";
constexpr char kBoth[] = "both programs have";
constexpr char kLeftOut[] = "the proof leaves out of a rank's arithmetic";

// The partial functions of one side, with an operator that computes each.
using Computed = std::map<AtomId, std::string>;

class Side {
 public:
  Side(const Lifting& lifting, MaskedSigns& signs) : lifting_(lifting), signs_(signs) {}

  void add(const Graph& graph, const CoreProgram& program, const LiftedProgram& lifted) {
    for (size_t id = 0; id < lifted.values.size(); ++id) {
      const CoreOp& op = program.ops[id];
      const bool function = op.prim == Prim::kMap || op.prim == Prim::kBlock;
      if (!function || op.origin == kNone || !is_partial_function(op.fn)) continue;
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
    if (function && is_partial_function(made.fn) && !is_defined(id, made))
      computed_.emplace(id, op);
    if (function) return;
    for (const Instance::Operand& operand : made.operands) collect(operand.atom, op);
  }

  // As far as is known of its arguments.
  bool is_defined(AtomId id, const Instance& made) {
    if (signs_.sign(id).finite) return true;
    const auto name = reference::parse_function_name(made.fn).name;
    return std::ranges::find(kDivisions, name) != std::end(kDivisions) &&
           made.operands.size() == 2 && signs_.sign(made.operands[0].atom).finite &&
           signs_.sign(made.operands[1].atom).positive;
  }

  const Lifting& lifting_;
  MaskedSigns& signs_;
  Computed computed_;
  std::set<AtomId> seen_;
};

// Where all targets are ignored, an operator that computes a mean of a loss or its gradient gives
// other values than one that divides by the number of targets: 0, which has no atom.
bool may_ignore_targets(const CoreProgram& program) {
  return std::ranges::any_of(
      program.ops, [](const CoreOp& op) { return op.prim == Prim::kOneHot && !op.ints.empty(); });
}

}  // namespace

bool is_partial_function(const std::string& fn) {
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

DomainAssumptions domain_assumptions(Problem& problem, const Certificate* proof) {
  MaskedSigns signs(problem.lifting);
  Side sequential(problem.lifting, signs), ranks(problem.lifting, signs);
  sequential.add(problem.refinement.sequential, problem.sequential_program, problem.sequential);
  for (size_t r = 0; r < problem.ranks.ranks.size(); ++r)
    ranks.add(problem.refinement.ranks[r], problem.rank_programs[r], problem.ranks.ranks[r]);
  std::set<std::string> notes;
  std::set<AtomId> of_ranks, of_sequential;
  const auto assume = [&](const std::string& op, const char* which) {
    notes.insert(kDomains + op + " that " + which + " is one for which it is defined");
  };
  const bool evaluated =
      proof != nullptr && (!proof->evaluated.empty() || !proof->evaluated_claims.empty());
  for (const auto& [atom, op] : sequential.computed()) {
    if (ranks.computed().contains(atom)) {
      if (evaluated) assume(op, kBoth);
      continue;
    }
    assume(op, kSequentialAlone);
    of_sequential.insert(atom);
  }
  const bool ignores = may_ignore_targets(problem.sequential_program);
  for (const auto& [atom, op] : ranks.computed()) {
    const auto same = sequential.computed().find(atom);
    const bool both = same != sequential.computed().end();
    const bool by_another = both && ignores && same->second != op;
    if (both && !evaluated && !by_another) continue;
    if (!both) assume(op, kRankAlone);
    if (by_another) assume(op, kBoth);
    of_ranks.insert(atom);
  }
  if (proof != nullptr) {
    const auto lost = lost_values(problem, *proof, [&](AtomId atom) {
      return ranks.computed().contains(atom) && sequential.computed().contains(atom);
    });
    for (const AtomId atom : lost) {
      assume(ranks.computed().at(atom), kLeftOut);
      of_ranks.insert(atom);
    }
  }
  return {{notes.begin(), notes.end()}, std::move(of_ranks), std::move(of_sequential)};
}

bool is_domain_of_ranks(const std::string& assumption) {
  return assumption.starts_with(kDomains) && assumption.find(kSequentialAlone) == std::string::npos;
}

}  // namespace assay
