#include "static_check/domains/trials/met_infinities.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "static_check/domains/trials/claims.h"
#include "static_check/domains/trials/input_numbers.h"
#include "static_check/domains/trials/trials.h"

namespace assay {
namespace {

// What a program's constants that are no numbers may have reached.
class Reached {
 public:
  Reached(const CoreProgram& program, bool nan) : program_(program), nan_(nan) {
    for (const CoreOp& op : program.ops) reached_.push_back(is_reached(op));
  }

  // The first operator whose result may be NaN because of them.
  std::optional<CoreId> first_met() const {
    for (size_t i = 0; i < program_.ops.size(); ++i)
      if (may_meet(program_.ops[i]) && program_.ops[i].origin != kNone)
        return static_cast<CoreId>(i);
    return std::nullopt;
  }

 private:
  bool is(CoreId id) const { return reached_[static_cast<size_t>(id)]; }

  bool is_reached(const CoreOp& op) const {
    const bool any = std::ranges::any_of(op.operands, [&](CoreId id) { return is(id); });
    if (is_movement(op.prim)) return any;
    switch (op.prim) {
      case Prim::kConst:
        return nan_ ? op.fn == "nan" : op.fn == "inf" || op.fn == "-inf";
      case Prim::kCat:
      case Prim::kLinear:
      case Prim::kMul:
      case Prim::kReduceSum:
      case Prim::kCollective:
        return any;
      case Prim::kKeep:
        return is(op.operands[1]);
      case Prim::kCast:
        return any && is_floating(op.dtype);
      // Of infinities a function, an extremum or a block (a softmax) makes numbers.
      case Prim::kMap:
        return any && nan_ && is_floating(op.dtype);
      default:
        return false;
    }
  }

  bool may_meet(const CoreOp& op) const {
    const auto reached = std::ranges::count_if(op.operands, [&](CoreId id) { return is(id); });
    if (reached == 0) return false;
    if (op.prim == Prim::kMul) return true;
    if (op.prim != Prim::kLinear) return false;
    if (reached > 1) return true;
    for (size_t i = 0; i < op.operands.size(); ++i)
      if (is(op.operands[i]) && op.coefs[i].is_zero()) return true;
    return false;
  }

  const CoreProgram& program_;
  const bool nan_;
  std::vector<bool> reached_;
};

[[noreturn]] void refuse(const Problem& problem, size_t rank, CoreId op, std::string_view what) {
  const Graph& graph = problem.rank_graph(static_cast<Rank>(rank));
  const CoreOp& core = problem.rank_programs[rank].ops[static_cast<size_t>(op)];
  const Node& node = graph.nodes[static_cast<size_t>(core.origin)];
  throw UserError(node.source, fmt::format("{}: {} {}", graph.name, node.op, what),
                  "0 times an infinity, one minus another, and all that is computed of NaN is NaN, "
                  "which no sum and no product takes away: choose by the condition afterwards");
}

// Whether the ranks have NaN somewhere where the specification, all of it, is a number.
bool is_nan(const std::vector<ClaimedNumbers>& claims) {
  const auto any = [](const ReferenceTensor& of, bool (*is)(double)) {
    return std::ranges::any_of(of.values, is);
  };
  const auto is_no_number = [](double x) { return !std::isfinite(x); };
  return std::ranges::none_of(
             claims,
             [&](const ClaimedNumbers& claim) { return any(claim.wanted, is_no_number); }) &&
         std::ranges::any_of(claims, [&](const ClaimedNumbers& claim) {
           return any(claim.found, [](double x) { return std::isnan(x); });
         });
}

}  // namespace

void refuse_met_infinities(const Problem& problem, const Certificate& certificate) {
  std::optional<std::pair<size_t, CoreId>> first;
  for (size_t rank = 0; rank < problem.rank_programs.size(); ++rank) {
    const CoreProgram& program = problem.rank_programs[rank];
    if (const auto met = Reached(program, true).first_met())
      refuse(problem, rank, *met, "computes with a NaN constant that a condition may keep");
    const auto met = first ? std::nullopt : Reached(program, false).first_met();
    if (met) first = {rank, *met};
  }
  if (!first) return;
  const Trials trials(problem);
  if (trials.are_too_large()) return;
  const Claims claims(problem, certificate);
  for (size_t draw = 0; draw < InputNumbers::kDraws; ++draw)
    if (const auto trial = trials.run(draw); trial && is_nan(claims.numbers(*trial)))
      refuse(problem, first->first, first->second,
             "meets an infinite constant, of which the ranks have NaN where the specification has "
             "a number");
}

}  // namespace assay
