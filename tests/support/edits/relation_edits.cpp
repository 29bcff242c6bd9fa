// Edits of the expressions that make sequential tensors of distributed ones.
#include <algorithm>
#include <utility>

#include "tests/support/edits/edit_list.h"

namespace assay::test {
namespace {

// One expression of one relation.
class RelationEdits {
 public:
  RelationEdits(EditList& list, size_t relation, size_t replica)
      : list_(list), relation_(relation), replica_(replica) {}

  void run() { over(list_.replay().certificate.relations[relation_].replicas[replica_]); }

 private:
  void over(const CleanExpr& expr) {
    for (size_t i = 0; i < expr.operands.size(); ++i) {
      path_.push_back(i);
      over(expr.operands[i]);
      path_.pop_back();
    }
    if (expr.kind == CleanExpr::Kind::kTensor) other_ranks(expr);
    if (expr.kind == CleanExpr::Kind::kConcat) exchanged_pieces(expr);
    if (expr.kind == CleanExpr::Kind::kSum) other_members(expr);
  }

  // Null where the expression is no tensor of a rank.
  const Value* tensor_claim(const CleanExpr& expr) const {
    const auto rank = static_cast<size_t>(expr.rank);
    if (expr.kind != CleanExpr::Kind::kTensor || expr.rank < 0 ||
        rank >= list_.replay().ranks.size())
      return nullptr;
    const TensorId tensor = list_.replay().refinement.ranks[rank].find(expr.name);
    if (tensor == kNone) return nullptr;
    const CoreId op = list_.replay().ranks[rank].value_of[static_cast<size_t>(tensor)];
    return &claims(list_.replay(), expr.rank)[static_cast<size_t>(op)];
  }

  void other_ranks(const CleanExpr& leaf) {
    const Value* own = tensor_claim(leaf);
    for (size_t rank = 0; rank < list_.replay().ranks.size(); ++rank) {
      CleanExpr other = leaf;
      other.rank = static_cast<Rank>(rank);
      const Value* claim = tensor_claim(other);
      if (own != nullptr && claim != nullptr && list_.differ(*own, *claim))
        add(EditKind::kRank, other);
    }
  }

  void exchanged_pieces(const CleanExpr& concat) {
    for (size_t i = 1; i < concat.operands.size(); ++i) {
      const Value* left = tensor_claim(concat.operands[i - 1]);
      const Value* right = tensor_claim(concat.operands[i]);
      if (left == nullptr || right == nullptr || !list_.differ(*left, *right)) continue;
      CleanExpr swapped = concat;
      std::swap(swapped.operands[i - 1], swapped.operands[i]);
      add(EditKind::kOrder, swapped);
    }
  }

  void other_members(const CleanExpr& sum) {
    for (size_t i = 0; i < sum.operands.size(); ++i) {
      const Value* member = tensor_claim(sum.operands[i]);
      if (member == nullptr || !list_.knows(*member) ||
          std::all_of(member->tiles.begin(), member->tiles.end(),
                      [](const Tile& tile) { return tile.terms.empty(); }))
        continue;
      CleanExpr twice = sum;
      twice.operands.push_back(sum.operands[i]);
      add(EditKind::kGroup, twice);
      if (sum.operands.size() == 1) continue;
      CleanExpr without = sum;
      without.operands.erase(without.operands.begin() + static_cast<ptrdiff_t>(i));
      add(EditKind::kGroup, without);
    }
  }

  void add(EditKind kind, const CleanExpr& with) {
    list_.add(kind,
              "relation of " + list_.replay().certificate.relations[relation_].tensor + ": " +
                  to_string(with) + " instead",
              [relation = relation_, replica = replica_, path = path_, with](Replay& replay) {
                CleanExpr* at = &replay.certificate.relations[relation].replicas[replica];
                for (const size_t step : path) at = &at->operands[step];
                *at = with;
              });
  }

  EditList& list_;
  size_t relation_;
  size_t replica_;
  std::vector<size_t> path_;  // operand of operand of ... where the edit is
};

}  // namespace

void add_relation_edits(EditList& list) {
  const auto& relations = list.replay().certificate.relations;
  for (size_t relation = 0; relation < relations.size(); ++relation)
    for (size_t replica = 0; replica < relations[relation].replicas.size(); ++replica)
      RelationEdits(list, relation, replica).run();
}

}  // namespace assay::test
