#include "static_check/domains/contradicted_domains.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "shared_ir/reference/element_functions.h"
#include "shared_ir/reference/reference.h"
#include "static_check/domains/domains.h"
#include "static_check/domains/input_numbers.h"

namespace assay {
namespace {

// Elements of all operators together that are computed for one draw.
constexpr int64_t kMostComputed = int64_t{1} << 21;

// Draws that the programs must run on: a position may lie outside its table in some.
constexpr size_t kLeastRuns = InputNumbers::kDraws / 2;

// Of double precision, generously: numbers further apart are different.
constexpr double kRounding = 1e-6;

using ProgramNumbers = std::vector<std::vector<ReferenceTensor>>;  // per program, per core operator

bool all_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

// A place of what was proved at which the ranks have no number though the specification has one.
struct Claim {
  CleanExpr sequential;
  CleanExpr replica;
  std::vector<bool> agrees = {};    // in some draw
  std::vector<bool> deviates = {};  // in some draw
  bool differs = false;             // two numbers, in some draw

  bool is_open() const { return std::ranges::find(agrees, false) != agrees.end(); }
  bool deviates_always() const {
    for (size_t i = 0; i < agrees.size(); ++i)
      if (deviates[i] && !agrees[i]) return true;
    return false;
  }

  void see(const ReferenceTensor& wanted, const ReferenceTensor& found) {
    agrees.resize(wanted.values.size());
    deviates.resize(wanted.values.size());
    for (size_t i = 0; i < wanted.values.size(); ++i) {
      if (!std::isfinite(wanted.values[i])) continue;
      (std::isfinite(found.values[i]) ? agrees : deviates)[i] = true;
      if (std::isfinite(found.values[i]) && !is_close(wanted.values[i], found.values[i]))
        differs = true;
    }
  }

 private:
  static bool is_close(double a, double b) {
    return std::fabs(a - b) <= kRounding * std::max({1.0, std::fabs(a), std::fabs(b)});
  }
};

// A function that is taken to be defined.
struct Function {
  std::optional<Rank> rank;  // none: of the specification
  CoreId op;
  std::vector<bool> defined = {};    // per element: in some draw
  std::vector<bool> undefined = {};  // in some draw of finite arguments

  bool is_never_defined() const {
    for (size_t i = 0; i < defined.size(); ++i)
      if (undefined[i] && !defined[i]) return true;
    return false;
  }

  // At every element, in some draw.
  bool may_be_defined() const { return std::ranges::find(defined, false) == defined.end(); }

  void see(const CoreOp& core, const std::vector<ReferenceTensor>& values) {
    const std::vector<double>& results = values[static_cast<size_t>(op)].values;
    defined.resize(results.size());
    undefined.resize(results.size());
    const auto argument = [&](CoreId operand) -> const std::vector<double>& {
      return values[static_cast<size_t>(operand)].values;
    };
    const bool whole = core.prim == Prim::kBlock;
    for (size_t i = 0; i < results.size(); ++i) {
      const bool finite = std::isfinite(results[i]);
      if (finite) defined[i] = true;
      if (!finite && std::ranges::all_of(core.operands, [&](CoreId operand) {
            return whole ? all_finite(argument(operand)) : std::isfinite(argument(operand)[i]);
          }))
        undefined[i] = true;
    }
  }
};

class Runs {
 public:
  Runs(const Problem& problem, const Certificate& certificate, const DomainAssumptions& domains)
      : problem_(problem) {
    for (const Expectation& expectation : problem.refinement.expect)
      for (const CleanExpr& replica : expectation.replicas)
        claims_.push_back({expectation.sequential, replica});
    for (const Certificate::Covered& relation : certificate.relations) {
      if (!relation.output) continue;
      CleanExpr tensor;
      tensor.name = relation.tensor;
      for (const CleanExpr& replica : relation.replicas) claims_.push_back({tensor, replica});
    }
    add(std::nullopt, problem.sequential_program, problem.sequential, domains.of_sequential);
    for (size_t r = 0; r < problem.rank_programs.size(); ++r)
      add(static_cast<Rank>(r), problem.rank_programs[r], problem.ranks.ranks[r], domains.of_ranks);
  }

  // A function that no draw of the inputs satisfies, because of which what was proved has no value.
  const Function* contradicted() {
    if (functions_.empty() || is_large()) return nullptr;
    size_t runs = 0;
    for (size_t draw = 0; draw < InputNumbers::kDraws; ++draw) {
      if (!run(draw)) continue;
      if (std::ranges::all_of(functions_, &Function::may_be_defined)) return nullptr;
      if (std::ranges::none_of(claims_, &Claim::is_open) && are_of_ranks()) return nullptr;
      ++runs;
    }
    if (runs < kLeastRuns) return nullptr;
    const bool of_ranks = std::ranges::any_of(claims_, &Claim::deviates_always);
    const bool of_sequential = std::ranges::any_of(claims_, &Claim::differs);
    const auto found = std::ranges::find_if(functions_, [&](const Function& function) {
      return (function.rank ? of_ranks : of_sequential) && function.is_never_defined();
    });
    return found == functions_.end() ? nullptr : &*found;
  }

 private:
  void add(std::optional<Rank> rank, const CoreProgram& program, const LiftedProgram& lifted,
           const std::set<AtomId>& assumed) {
    if (assumed.empty()) return;
    for (size_t i = 0; i < program.ops.size(); ++i)
      if (is_assumed(program.ops[i], lifted.values[i], assumed))
        functions_.push_back({rank, static_cast<CoreId>(i)});
  }

  bool is_assumed(const CoreOp& op, const Value& value, const std::set<AtomId>& assumed) const {
    const bool function = op.prim == Prim::kMap || op.prim == Prim::kBlock;
    if (!function || op.origin == kNone || !is_partial_function(op.fn)) return false;
    return std::ranges::any_of(value.tiles, [&](const Tile& tile) {
      return std::ranges::any_of(tile.terms,
                                 [&](const Term& term) { return is_made_of(term.atom, assumed); });
    });
  }

  // By the steps in which a function's value is normalised, other functions aside.
  bool is_made_of(AtomId id, const std::set<AtomId>& assumed) const {
    if (assumed.contains(id)) return true;
    if (id < *assumed.begin()) return false;  // made before all of them
    if (problem_.lifting.atom(id).kind != Atom::Kind::kInstance) return false;
    const Instance& made = problem_.lifting.instance_of(id);
    if (made.kind == Instance::Kind::kMap || made.kind == Instance::Kind::kBlock) return false;
    return std::ranges::any_of(made.operands, [&](const Instance::Operand& operand) {
      return is_made_of(operand.atom, assumed);
    });
  }

  bool are_of_ranks() const {
    return std::ranges::all_of(functions_, [](const Function& f) { return f.rank.has_value(); });
  }

  bool is_large() const {
    int64_t elements = 0;
    const auto add = [&](const CoreProgram& program) {
      for (const CoreOp& op : program.ops) elements += element_count(op.shape);
    };
    add(problem_.sequential_program);
    for (const CoreProgram& program : problem_.rank_programs) add(program);
    return elements > kMostComputed;
  }

  // False where the programs cannot be run on this draw.
  bool run(size_t draw) {
    problem_.lifting.check_deadline();
    InputNumbers inputs(problem_.lifting, draw);
    const auto sources = [&](const std::vector<CoreProgram>& programs,
                             const std::vector<const LiftedProgram*>& lifted) {
      return ReferenceSources{
          [&inputs, &programs, lifted](Rank rank, const CoreOp& op) {
            const auto r = static_cast<size_t>(rank);
            return inputs.of(lifted[r]->values[static_cast<size_t>(&op - programs[r].ops.data())]);
          },
          {}};
    };
    try {
      const std::vector<CoreProgram> whole{problem_.sequential_program};
      const ProgramNumbers sequential = evaluate(whole, sources(whole, {&problem_.sequential}));
      std::vector<const LiftedProgram*> lifted;
      for (const LiftedProgram& rank : problem_.ranks.ranks) lifted.push_back(&rank);
      see(sequential[0], evaluate(problem_.rank_programs, sources(problem_.rank_programs, lifted)));
    } catch (const reference::NoNumbers&) {
      return false;
    } catch (const InputNumbers::Unknown&) {
      return false;
    }
    return true;
  }

  void see(const std::vector<ReferenceTensor>& sequential, const ProgramNumbers& ranks) {
    const auto of_sequential = [&](const std::string& name, Rank) {
      const auto id = static_cast<size_t>(problem_.refinement.sequential.find(name));
      return sequential[static_cast<size_t>(problem_.sequential_program.value_of[id])];
    };
    const auto of_rank = [&](const std::string& name, Rank rank) {
      const auto r = static_cast<size_t>(rank);
      const auto id = static_cast<size_t>(problem_.rank_graph(rank).find(name));
      return ranks[r][static_cast<size_t>(problem_.rank_programs[r].value_of[id])];
    };
    for (Claim& claim : claims_)
      claim.see(evaluate(claim.sequential, of_sequential), evaluate(claim.replica, of_rank));
    for (Function& function : functions_) {
      const auto op = static_cast<size_t>(function.op);
      if (!function.rank) {
        function.see(problem_.sequential_program.ops[op], sequential);
        continue;
      }
      const auto r = static_cast<size_t>(*function.rank);
      function.see(problem_.rank_programs[r].ops[op], ranks[r]);
    }
  }

  const Problem& problem_;
  std::vector<Claim> claims_;
  std::vector<Function> functions_;
};

}  // namespace

void refuse_contradicted_domains(const Problem& problem, const Certificate& certificate,
                                 const DomainAssumptions& domains) {
  if (domains.of_ranks.empty() && domains.of_sequential.empty()) return;
  Runs runs(problem, certificate, domains);
  const Function* function = runs.contradicted();
  if (function == nullptr) return;
  const bool of_rank = function->rank.has_value();
  const CoreProgram& program = of_rank ? problem.rank_programs[static_cast<size_t>(*function->rank)]
                                       : problem.sequential_program;
  const Graph& graph =
      of_rank ? problem.rank_graph(*function->rank) : problem.refinement.sequential;
  const Node& node =
      graph.nodes[static_cast<size_t>(program.ops[static_cast<size_t>(function->op)].origin)];
  throw UserError(
      node.source,
      fmt::format("{}: the proof {} what {} gives, and an argument of it is outside of its "
                  "domain for all of {} draws of the inputs",
                  graph.name, of_rank ? "leaves out" : "computes with", node.op,
                  InputNumbers::kDraws),
      "what is not defined (1/0, log(-1)) is NaN, which no sum and no product takes away");
}

}  // namespace assay
