#include "static_check/domains/lost_values.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "shared_ir/collective.h"
#include "static_check/algebra/value.h"
#include "static_check/cover/evaluate.h"
#include "static_check/domains/lost_parts.h"
#include "static_check/lift/operators.h"

namespace assay {
namespace {

// The terms of a tile; of an integer map, the view that it reads.
std::vector<Term> views_of(const Tile& tile) {
  std::vector<Term> terms = tile.terms;
  for (const PiecewiseAffine& integer : tile.integer)
    if (std::ranges::any_of(integer.pieces, [](const auto& piece) { return piece.a != 0; }))
      terms.push_back(view_of(integer.atom, integer.layout));
  return terms;
}

std::vector<Term> views_of(const Value& value) {
  std::vector<Term> terms;
  for (const Tile& tile : value.tiles) {
    std::vector<Term> here = views_of(tile);
    std::ranges::move(here, std::back_inserter(terms));
  }
  return terms;
}

class LostValues {
 public:
  LostValues(Problem& problem, const std::function<bool(AtomId)>& watched)
      : problem_(problem), lifting_(problem.lifting), parts_(problem.lifting, watched) {}

  void look_at(const std::vector<CleanExpr>& replicas) {
    for (const CleanExpr& replica : replicas) look_at(replica);
  }

  std::set<AtomId> finish() {
    for (size_t rank = 0; rank < problem_.rank_programs.size(); ++rank) look_at_rank(rank);
    return std::move(lost_);
  }

 private:
  // What an expression adds up, and what it reads of the ranks.
  void look_at(const CleanExpr& expr) {
    for (const CleanExpr& operand : expr.operands) look_at(operand);
    if (expr.kind == CleanExpr::Kind::kTensor) {
      const TensorId tensor = problem_.rank_graph(expr.rank).find(expr.name);
      const CoreProgram& program = problem_.rank_programs[static_cast<size_t>(expr.rank)];
      read_.insert({expr.rank, program.value_of[static_cast<size_t>(tensor)]});
    }
    if (expr.kind != CleanExpr::Kind::kSum) return;
    const auto leaf = [&](const std::string& name, Rank rank) -> const Value& {
      return *problem_.rank_value(rank, problem_.rank_graph(rank).find(name));
    };
    const Value sum = evaluate(lifting_, expr, leaf);
    for (const CleanExpr& operand : expr.operands)
      compare_elements(evaluate(lifting_, operand, leaf), sum);
  }

  void look_at_rank(size_t rank) {
    const CoreProgram& program = problem_.rank_programs[rank];
    const std::vector<Value>& values = problem_.ranks.ranks[rank].values;
    std::vector<bool> used(program.ops.size());
    for (size_t i = values.size(); i-- > 0;) {
      const CoreOp& op = program.ops[i];
      used[i] = used[i] || op.prim == Prim::kCollective ||
                read_.contains({static_cast<Rank>(rank), static_cast<CoreId>(i)});
      if (!used[i]) continue;
      for (const CoreId operand : op.operands) used[static_cast<size_t>(operand)] = true;
      if (op.origin == kNone) continue;
      look_at_operator(rank, op, values, values[i]);
    }
  }

  void look_at_operator(size_t rank, const CoreOp& op, const std::vector<Value>& values,
                        const Value& result) {
    const auto each = [&](const auto& compare) {
      for (const CoreId operand : op.operands) {
        const Value& value = values[static_cast<size_t>(operand)];
        if (is_made_of_watched(value)) compare(value);
      }
    };
    switch (op.prim) {
      case Prim::kMul:
        look_at_selection(rank, op, values);
        [[fallthrough]];
      case Prim::kLinear:
      case Prim::kMap:
      case Prim::kCast:
        return each([&](const Value& value) { compare_elements(value, result); });
      case Prim::kReduceSum:
        return each([&](const Value& value) { compare_sum(op, value, result); });
      case Prim::kReduceMax:
      case Prim::kReduceMin:
      case Prim::kBlock:
        return each([&](const Value& value) { compare_whole(value, result); });
      case Prim::kCollective:
        return look_at_collective(rank, op, values, result);
      default:
        return;
    }
  }

  // A product with a one-hot that another operator made is no gather: it reads all classes.
  void look_at_selection(size_t rank, const CoreOp& op, const std::vector<Value>& values) {
    for (size_t i = 0; i < 2; ++i) {
      const Value& other = values[static_cast<size_t>(op.operands[i])];
      const Value& value = values[static_cast<size_t>(op.operands[1 - i])];
      if (!is_made_of_watched(value) || is_own_selection(rank, op, op.operands[i])) continue;
      for (const Tile& tile : other.tiles)
        for (const Term& term : tile.terms)
          if (lifting_.atom(term.atom).kind == Atom::Kind::kOneHot)
            return compare_whole(value, single_tile(value.shape, {}));
    }
  }

  bool is_own_selection(size_t rank, const CoreOp& op, CoreId operand) const {
    const CoreProgram& program = problem_.rank_programs[rank];
    for (;;) {
      const CoreOp& made = program.ops[static_cast<size_t>(operand)];
      if (made.origin != op.origin) return false;
      if (made.prim == Prim::kOneHot || made.operands.empty()) return true;
      operand = made.operands[0];
    }
  }

  // Sums of what its tiles hold one by one: what they have in common may cancel.
  void compare_sum(const CoreOp& op, const Value& value, const Value& result) {
    if (views_of(value).size() <= 1) return compare_whole(value, result);
    for (size_t t = 0; t < value.tiles.size(); ++t) {
      for (const Term& term : value.tiles[t].terms) {
        if (!parts_.is_made_of_watched(term.atom)) continue;
        Value alone = value;
        for (Tile& tile : alone.tiles) tile = {};
        alone.tiles[t].terms = {term};
        try {
          const Lifting::KnownOnly known_only(lifting_);
          compare_elements(reduce_sum(lifting_, alone, op.ints, op.dtype), result);
        } catch (const NotKnown&) {  // the sum was made in another way
          compare_whole(alone, result);
        } catch (const NotLifted&) {
          compare_whole(alone, result);
        }
      }
    }
  }

  void look_at_collective(size_t rank, const CoreOp& op, const std::vector<Value>& values,
                          const Value& result) {
    const Collective& what =
        problem_.rank_programs[rank].collectives[static_cast<size_t>(op.collective)];
    const Value& own = values[static_cast<size_t>(op.operands[0])];
    const bool arithmetic =
        what.reduce != Collective::Reduce::kMax && what.reduce != Collective::Reduce::kMin;
    switch (what.kind) {
      case Collective::Kind::kAllReduce:
      case Collective::Kind::kReduce:
        if (!is_made_of_watched(own)) return;
        return arithmetic ? compare_elements(own, result) : compare_whole(own, result);
      case Collective::Kind::kReduceScatter:
        // Every member's part of what this one gets.
        for (const Value* sent : sent_to(rank, op)) {
          if (!is_made_of_watched(*sent)) continue;
          const auto member = std::ranges::find(what.ranks, static_cast<Rank>(rank));
          const Value piece =
              slice(*sent, 0, (member - what.ranks.begin()) * op.shape[0], op.shape[0]);
          arithmetic ? compare_elements(piece, result) : compare_whole(piece, result);
        }
        return;
      default:
        return;  // what is moved
    }
  }

  // What the members of a group send where this one comes to `op`: each calls the same ones in the
  // same order.
  std::vector<const Value*> sent_to(size_t rank, const CoreOp& op) {
    const CoreProgram& program = problem_.rank_programs[rank];
    const Collective& what = program.collectives[static_cast<size_t>(op.collective)];
    const GroupStream stream = stream_of(what);
    const std::vector<CoreId>& own = calls(rank, stream);
    const auto number = static_cast<size_t>(
        std::ranges::find(own, static_cast<CoreId>(&op - program.ops.data())) - own.begin());
    std::vector<const Value*> sent;
    for (const Rank member : what.ranks) {
      const auto of = static_cast<size_t>(member);
      const std::vector<CoreId>& theirs = calls(of, stream);
      if (number >= theirs.size()) continue;
      const CoreOp& call = problem_.rank_programs[of].ops[static_cast<size_t>(theirs[number])];
      sent.push_back(&problem_.ranks.ranks[of].values[static_cast<size_t>(call.operands[0])]);
    }
    return sent;
  }

  // The collectives of a group that a member calls.
  const std::vector<CoreId>& calls(size_t of, const GroupStream& group) {
    const auto [known, first] = calls_.try_emplace({of, group});
    if (!first) return known->second;
    const CoreProgram& program = problem_.rank_programs[of];
    for (size_t i = 0; i < program.ops.size(); ++i) {
      if (program.ops[i].prim != Prim::kCollective) continue;
      const Collective& other = program.collectives[static_cast<size_t>(program.ops[i].collective)];
      if (!is_point_to_point(other.kind) && stream_of(other) == group)
        known->second.push_back(static_cast<CoreId>(i));
    }
    return known->second;
  }

  bool is_made_of_watched(const Value& value) {
    return std::ranges::any_of(value.tiles, [&](const Tile& tile) {
      return parts_.is_made_of_watched(tile.terms) ||
             std::ranges::any_of(tile.integer, [&](const PiecewiseAffine& integer) {
               return parts_.is_made_of_watched(integer.atom);
             });
    });
  }

  void compare_elements(const Value& operand, const Value& result) {
    if (operand.tiles.size() == 1 && result.tiles.size() == 1 &&
        parts_.are_read(operand.tiles[0].terms, result.tiles[0].terms))
      return;
    const Aligned both(operand, result);
    for (size_t t = 0; t < both.first().tiles.size(); ++t)
      compare(views_of(both.first().tiles[t]), views_of(both.second().tiles[t]),
              LostParts::Places::kSame);
  }

  void compare_whole(const Value& operand, const Value& result) {
    compare(views_of(operand), views_of(result), LostParts::Places::kAny);
  }

  void compare(const std::vector<Term>& operand, const std::vector<Term>& result,
               LostParts::Places places) {
    if (!parts_.is_made_of_watched(operand)) return;
    parts_.compare(operand, result, places, [&](AtomId id) { lost_.insert(id); });
  }

  Problem& problem_;
  Lifting& lifting_;
  LostParts parts_;
  std::set<std::pair<Rank, CoreId>> read_;  // operators whose results make up what was proved
  std::map<std::pair<size_t, GroupStream>, std::vector<CoreId>> calls_;
  std::set<AtomId> lost_;
};

}  // namespace

std::set<AtomId> lost_values(Problem& problem, const Certificate& certificate,
                             const std::function<bool(AtomId)>& watched) {
  const auto count = static_cast<AtomId>(problem.lifting.universe().atoms.size());
  bool any = false;
  for (AtomId id = 0; id < count && !any; ++id) any = watched(id);
  if (!any) return {};
  LostValues values(problem, watched);
  for (const Expectation& expectation : problem.refinement.expect)
    values.look_at(expectation.replicas);
  for (const Certificate::Covered& relation : certificate.relations)
    if (relation.output) values.look_at(relation.replicas);
  return values.finish();
}

}  // namespace assay
