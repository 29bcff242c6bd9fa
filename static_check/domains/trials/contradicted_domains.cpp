#include "static_check/domains/trials/contradicted_domains.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "static_check/domains/partial_functions.h"
#include "static_check/domains/trials/answers_for_nan.h"
#include "static_check/domains/trials/claims.h"
#include "static_check/domains/trials/input_numbers.h"
#include "static_check/domains/trials/trials.h"

namespace assay {
namespace {

// Draws that the programs must run on: a position may lie outside its table in some.
constexpr size_t kLeastRuns = InputNumbers::kDraws / 2;

bool all_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

struct Function;

// What the draws say of a claim.
struct SeenClaim {
  std::vector<bool> agrees = {};    // in some draw
  std::vector<bool> deviates = {};  // in some draw: the ranks have no number
  bool differs = false;             // two numbers, in some draw
  std::optional<std::pair<double, double>> difference = {};  // in the last draw
  // Of a draw in which that function has no value.
  std::optional<std::pair<const Function*, std::pair<double, double>>> answer = {};
  bool differs_by_rounding = false;
  // The ranks have NaN, and the specification, all of it, is a number: in some draw in which a
  // function of it has no value, and in another one.
  std::vector<bool> guarded = {}, unguarded = {};
  bool is_left_out = true;  // whenever such a function has no value: all are numbers

  bool deviates_always() const {
    for (size_t i = 0; i < agrees.size(); ++i)
      if (deviates[i] && !agrees[i]) return true;
    return false;
  }

  // The ranks have NaN where the specification, all of it, is a number.
  bool is_nan() const {
    for (size_t i = 0; i < guarded.size(); ++i)
      if (unguarded[i] || (guarded[i] && is_left_out)) return true;
    return false;
  }

  void see_nan(const ClaimedNumbers& numbers, bool undefined) {
    const auto& [wanted, found] = numbers;
    guarded.resize(wanted.values.size());
    unguarded.resize(wanted.values.size());
    for (size_t i = 0; i < wanted.values.size(); ++i)
      if (std::isnan(found.values[i])) (undefined ? guarded : unguarded)[i] = true;
  }

  // `magnitude`: of the greatest number of the draw. That a function is defined at 0 alone is no
  // domain: `has_zeros`.
  void see(const ClaimedNumbers& numbers, double magnitude, bool has_zeros) {
    const auto& [wanted, found] = numbers;
    agrees.resize(wanted.values.size());
    deviates.resize(wanted.values.size());
    difference = assay::difference(numbers, trial_rounding(magnitude));
    for (size_t i = 0; i < wanted.values.size(); ++i) {
      if (!std::isfinite(wanted.values[i])) continue;
      if (!has_zeros) (std::isfinite(found.values[i]) ? agrees : deviates)[i] = true;
      if (std::isfinite(found.values[i]) && !is_close(wanted.values[i], found.values[i]))
        differs = true;
    }
  }

 private:
  static bool is_close(double a, double b) {
    return std::fabs(a - b) <= trial_rounding(std::max(std::fabs(a), std::fabs(b)));
  }
};

// A function that is taken to be defined.
struct Function {
  std::optional<Rank> rank;  // none: of the specification
  CoreId op;
  std::vector<bool> defined = {};    // per element: in some draw
  std::vector<bool> undefined = {};  // in some draw of finite arguments
  bool undefined_now = false;        // at some element of the last draw
  bool nan_now = false;

  bool is_never_defined() const {
    for (size_t i = 0; i < defined.size(); ++i)
      if (undefined[i] && !defined[i]) return true;
    return false;
  }

  bool is_undefined_somewhere() const {
    return std::ranges::find(undefined, true) != undefined.end();
  }

  void see(const CoreOp& core, const std::vector<ReferenceTensor>& values, bool has_zeros) {
    const std::vector<double>& results = values[static_cast<size_t>(op)].values;
    defined.resize(results.size());
    undefined.resize(results.size());
    const auto argument = [&](CoreId operand) -> const std::vector<double>& {
      return values[static_cast<size_t>(operand)].values;
    };
    const bool whole = core.prim == Prim::kBlock;
    undefined_now = nan_now = false;
    for (size_t i = 0; i < results.size(); ++i) {
      const bool finite = std::isfinite(results[i]);
      nan_now |= std::isnan(results[i]);
      if (finite && !has_zeros) defined[i] = true;
      if (!finite && std::ranges::all_of(core.operands, [&](CoreId operand) {
            return whole ? all_finite(argument(operand)) : std::isfinite(argument(operand)[i]);
          })) {
        undefined[i] = undefined_now = true;
      }
    }
  }
};

// Operators of the specification whose numbers its outputs are made of; flags are none.
std::set<CoreId> live_operators(const Problem& problem) {
  const CoreProgram& program = problem.sequential_program;
  std::set<CoreId> live;
  for (const TensorId output : problem.refinement.sequential.outputs)
    if (const CoreId id = program.value_of[static_cast<size_t>(output)]; id != kNone)
      live.insert(id);
  for (auto id = static_cast<CoreId>(program.ops.size()) - 1; id >= 0; --id)
    if (live.contains(id) && is_floating(program.ops[static_cast<size_t>(id)].dtype))
      for (const CoreId operand : program.ops[static_cast<size_t>(id)].operands)
        live.insert(operand);
  return live;
}

class Runs {
 public:
  Runs(const Problem& problem, const Certificate& certificate, const DomainAssumptions& domains)
      : problem_(problem), claims_(problem, certificate) {
    const std::vector<CoreOp>& ops = problem.sequential_program.ops;
    for (size_t i = 0; i < ops.size(); ++i)
      if (is_partial(ops[i])) specification_.push_back({std::nullopt, static_cast<CoreId>(i)});
    live_ = live_operators(problem);
    add(std::nullopt, problem.sequential_program, problem.sequential, domains.of_sequential);
    for (size_t r = 0; r < problem.rank_programs.size(); ++r)
      add(static_cast<Rank>(r), problem.rank_programs[r], problem.ranks.ranks[r], domains.of_ranks);
  }

  // A function that no draw of the inputs satisfies, because of which what was proved has no value.
  // Where `answered()`: one that has no value in a draw in which the ranks give another number than
  // the specification, as something asks for that value. Where `is_nan()`: one that the ranks call
  // where it has no value, and where the specification is a number.
  const Function* contradicted() {
    if (functions_.empty()) return nullptr;
    const Trials trials(problem_);
    if (trials.are_too_large()) return nullptr;
    const bool asked = are_asked();
    size_t runs = 0;
    for (size_t draw = 0; draw < InputNumbers::kDraws; ++draw) {
      const auto trial = trials.run(draw);
      if (!trial) continue;
      see(*trial, draw + InputNumbers::kDrawsWithZeros >= InputNumbers::kDraws);
      ++runs;
      if (asked) see_answers();
    }
    if (const Function* function = asked ? find_answered() : nullptr) return function;
    if (runs < kLeastRuns) return nullptr;
    const auto multiplied = std::ranges::find_if(functions_, [](const Function& function) {
      return function.rank && function.is_undefined_somewhere();
    });
    const bool of_ranks = std::ranges::any_of(seen_, &SeenClaim::deviates_always);
    const bool of_sequential = std::ranges::any_of(seen_, &SeenClaim::differs);
    const auto found = std::ranges::find_if(functions_, [&](const Function& function) {
      return (function.rank ? of_ranks : of_sequential) && function.is_never_defined();
    });
    if (found != functions_.end()) return &*found;
    if (multiplied == functions_.end()) return nullptr;
    // Each is defined for some inputs, and all together for none at which the specification is.
    if (of_ranks) return &*multiplied;
    is_nan_ = std::ranges::any_of(seen_, &SeenClaim::is_nan);
    return is_nan_ ? &*multiplied : nullptr;
  }

  // What the specification gives there, and what the ranks.
  std::optional<std::pair<double, double>> answered() const { return answered_; }
  bool is_nan() const { return is_nan_; }

 private:
  // Whether something may ask for a value of one of the functions.
  bool are_asked() const {
    std::vector<std::set<CoreId>> of_sequential(1), of_ranks(problem_.rank_programs.size());
    for (const Function& function : functions_)
      (function.rank ? of_ranks[static_cast<size_t>(*function.rank)] : of_sequential[0])
          .insert(function.op);
    return may_be_asked({problem_.sequential_program}, of_sequential) ||
           may_be_asked(problem_.rank_programs, of_ranks);
  }

  // Where all functions have values, numbers that differ do so by rounding alone (x / x == 1).
  void see_answers() {
    // Where a function of the specification is NaN, its own answer says nothing; 1/0 is infinite,
    // of which exp(-1/0) makes a number.
    if (std::ranges::any_of(specification_, &Function::nan_now)) return;
    const auto function = std::ranges::find_if(functions_, &Function::undefined_now);
    for (SeenClaim& claim : seen_) {
      if (!claim.difference) continue;
      if (function == functions_.end()) claim.differs_by_rounding = true;
      if (!claim.answer && function != functions_.end())
        claim.answer = {&*function, *claim.difference};
    }
  }

  const Function* find_answered() {
    for (const SeenClaim& claim : seen_)
      if (claim.answer && !claim.differs_by_rounding) {
        answered_ = claim.answer->second;
        return claim.answer->first;
      }
    return nullptr;
  }

  void add(std::optional<Rank> rank, const CoreProgram& program, const LiftedProgram& lifted,
           const std::set<AtomId>& assumed) {
    if (assumed.empty()) return;
    for (size_t i = 0; i < program.ops.size(); ++i)
      if (is_assumed(program.ops[i], lifted.values[i], assumed))
        functions_.push_back({rank, static_cast<CoreId>(i)});
  }

  static bool is_partial(const CoreOp& op) {
    const bool function = op.prim == Prim::kMap || op.prim == Prim::kBlock;
    return function && op.origin != kNone && is_partial_function(op.fn);
  }

  bool is_assumed(const CoreOp& op, const Value& value, const std::set<AtomId>& assumed) const {
    if (!is_partial(op)) return false;
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

  void see(const Trial& trial, bool has_zeros) {
    const double magnitude = greatest_magnitude(trial);
    const auto numbers = claims_.numbers(trial);
    seen_.resize(numbers.size());
    for (size_t i = 0; i < numbers.size(); ++i) seen_[i].see(numbers[i], magnitude, has_zeros);
    for (Function& function : specification_)
      function.see(problem_.sequential_program.ops[static_cast<size_t>(function.op)],
                   trial.sequential, has_zeros);
    for (Function& function : functions_) {
      const auto op = static_cast<size_t>(function.op);
      if (!function.rank) {
        function.see(problem_.sequential_program.ops[op], trial.sequential, has_zeros);
        continue;
      }
      const auto r = static_cast<size_t>(*function.rank);
      function.see(problem_.rank_programs[r].ops[op], trial.ranks[r], has_zeros);
    }
    see_nan(numbers);
  }

  // Whether outputs are made of it, but for what its own operator leaves out.
  bool is_asked_for(const Function& function) const {
    const std::vector<CoreOp>& ops = problem_.sequential_program.ops;
    const TensorId origin = ops[static_cast<size_t>(function.op)].origin;
    return live_.contains(function.op) && std::ranges::none_of(ops, [&](const CoreOp& op) {
             return op.prim == Prim::kKeep && op.origin == origin;
           });
  }

  void see_nan(const std::vector<ClaimedNumbers>& numbers) {
    const auto is_undefined = [this](bool asked_for) {
      return std::ranges::any_of(specification_, [&](const Function& function) {
        return function.undefined_now && is_asked_for(function) == asked_for;
      });
    };
    const bool undefined = is_undefined(true);
    // Numbers beyond are what rounding leaves of a divisor that is 0.
    constexpr double kMost = 1e9;
    const bool are_numbers = std::ranges::all_of(numbers, [&](const ClaimedNumbers& claim) {
      return std::ranges::all_of(claim.wanted.values,
                                 [&](double value) { return std::fabs(value) < kMost; });
    });
    if (undefined && !are_numbers)
      for (SeenClaim& claim : seen_) claim.is_left_out = false;
    const bool of_ranks = std::ranges::any_of(functions_, [](const Function& function) {
      return function.rank && function.undefined_now;
    });
    // Nothing is said of a loss of no tokens, nor of its gradient.
    if (!are_numbers || !of_ranks || is_undefined(false)) return;
    for (size_t i = 0; i < numbers.size(); ++i) seen_[i].see_nan(numbers[i], undefined);
  }

  const Problem& problem_;
  const Claims claims_;
  std::vector<SeenClaim> seen_;          // per claim
  std::vector<Function> functions_;      // that are taken to be defined
  std::vector<Function> specification_;  // all of the specification's
  std::set<CoreId> live_;
  std::optional<std::pair<double, double>> answered_;
  bool is_nan_ = false;
};

}  // namespace

std::optional<FailureReport> refuse_contradicted_domains(const Problem& problem,
                                                         const Certificate& certificate,
                                                         const DomainAssumptions& domains) {
  if (domains.of_ranks.empty() && domains.of_sequential.empty()) return std::nullopt;
  Runs runs(problem, certificate, domains);
  const Function* function = runs.contradicted();
  if (function == nullptr) return std::nullopt;
  const bool of_rank = function->rank.has_value();
  const CoreProgram& program = of_rank ? problem.rank_programs[static_cast<size_t>(*function->rank)]
                                       : problem.sequential_program;
  const Graph& graph =
      of_rank ? problem.rank_graph(*function->rank) : problem.refinement.sequential;
  const Node& node =
      graph.nodes[static_cast<size_t>(program.ops[static_cast<size_t>(function->op)].origin)];
  if (const auto answer = runs.answered())
    throw UserError(
        node.source,
        fmt::format(
            "{}: {} has no value for some inputs (log(-1), 0/0), and the ranks then give {:.6g} "
            "where the specification gives {:.6g}",
            graph.name, node.op, answer->second, answer->first),
        "a comparison, isfinite, a sort or a cast answers for NaN, too: decide by the argument of "
        "the function, not by its value");
  if (runs.is_nan()) {
    FailureReport failure;
    failure.kind = "domain";
    failure.node = fmt::format(
        "{}@{}",
        node.outputs.empty() ? "" : graph.tensors[static_cast<size_t>(node.outputs[0])].name,
        *function->rank);
    failure.op = node.op;
    failure.source = failure.distributed_source = to_string(node.source);
    failure.reason =
        "has no value for some inputs (log(-1), 0/0): the ranks then have NaN where the "
        "specification has a number";
    failure.hint =
        "NaN times 0 is NaN: choose by a condition (where), or keep the argument within the "
        "function's domain (clamp)";
    return failure;
  }
  throw UserError(
      node.source,
      fmt::format(
          "{}: the proof {} what {} gives, and an argument of it{} is outside of its domain for "
          "all of {} draws of the inputs",
          graph.name, of_rank ? "leaves out" : "computes with", node.op,
          function->is_never_defined() ? "" : ", or of another function,", InputNumbers::kDraws),
      "what is not defined (1/0, log(-1)) is NaN, which no sum and no product takes away");
}

}  // namespace assay
