#include "tests/support/edits/edit_list.h"

#include <algorithm>

namespace assay::test {

std::vector<Value>& claims(Replay& replay, Rank rank) {
  return rank == kSequential ? replay.certificate.sequential
                             : replay.certificate.ranks[static_cast<size_t>(rank)];
}

const std::vector<Value>& claims(const Replay& replay, Rank rank) {
  return rank == kSequential ? replay.certificate.sequential
                             : replay.certificate.ranks[static_cast<size_t>(rank)];
}

void EditList::add(EditKind kind, std::string what, std::function<void(Replay&)> apply) {
  edits_[kind].push_back({kind, std::move(what), std::move(apply)});
}

void EditList::add(EditKind kind, const Place& at, const std::string& what,
                   std::function<void(Tile&)> edit) {
  const std::string where =
      at.rank == kSequential ? "sequential" : "rank " + std::to_string(at.rank);
  add(kind,
      where + ", operator " + std::to_string(at.op) + ", tile " + std::to_string(at.tile) + ": " +
          what,
      [at, edit = std::move(edit)](Replay& replay) {
        edit(claims(replay, at.rank)[at.op].tiles[at.tile]);
      });
}

const Instance* EditList::instance(AtomId id) const {
  return atom(id).kind == Atom::Kind::kInstance
             ? &universe_.instances[static_cast<size_t>(atom(id).instance)]
             : nullptr;
}

bool EditList::is_constant(AtomId id) const {
  const Atom::Kind kind = atom(id).kind;
  return kind == Atom::Kind::kOne || kind == Atom::Kind::kInfinity || kind == Atom::Kind::kNan;
}

bool EditList::may_be(AtomId id, int64_t value) const {
  if (atom(id).kind != Atom::Kind::kInput) return true;
  bool may = true;
  for (const CoreOp& op : replay_.sequential.ops)
    if (op.prim == Prim::kOneHot && op.ints.empty()) may &= 0 <= value && value < op.shape.back();
  return may;
}

bool EditList::may_be_in(AtomId id, const Interval& values) const {
  return may_be(id, std::clamp<int64_t>(0, values.lo, values.hi - 1));
}

bool EditList::is_unknown(AtomId id) const {
  const Atom& of = atom(id);
  return of.kind == Atom::Kind::kUninit || of.kind == Atom::Kind::kRandom ||
         (of.kind == Atom::Kind::kInput && of.tensor == kNone);
}

bool EditList::every_label_is_read(AtomId id) {
  const Instance* made = instance(id);
  if (made == nullptr) return true;
  if (const auto known = read_.find(id); known != read_.end()) return known->second;
  const auto unread = [](const InstanceLabel& label) {
    return label.tag == InstanceLabel::Tag::kParallel && label.size > 1 &&
           std::all_of(label.strides.begin(), label.strides.end(),
                       [](int64_t stride) { return stride == 0; });
  };
  return read_[id] = std::none_of(made->labels.begin(), made->labels.end(), unread) &&
                     std::all_of(made->operands.begin(), made->operands.end(),
                                 [&](const Instance::Operand& operand) {
                                   return every_label_is_read(operand.atom);
                                 });
}

bool EditList::knows(const Value& value) const {
  return std::all_of(value.tiles.begin(), value.tiles.end(), [&](const Tile& tile) {
    return std::none_of(tile.terms.begin(), tile.terms.end(),
                        [&](const Term& term) { return is_unknown(term.atom); });
  });
}

bool EditList::differ(const Value& a, const Value& b) const {
  return a.shape == b.shape && !(a == b) && knows(a) && knows(b);
}

}  // namespace assay::test
