#include "static_check/checker/identity/cuts/cuts.h"

#include <algorithm>

#include "shared_ir/collective.h"
#include "static_check/checker/identity/cuts/defined.h"

namespace assay::checker::identity {
namespace {

CoreId operator_of(const Joint& joint, const std::string& tensor, Rank rank) {
  const TensorId id = joint.graph(rank).find(tensor);
  const CoreId op = id == kNone ? kNone : joint.program(rank).value_of.at(static_cast<size_t>(id));
  if (op == kNone) throw Rejection{"no value of \"" + tensor + "\""};
  return op;
}

}  // namespace

void Cuts::add(const Joint& joint, const Certificate::Evaluated& equation) {
  const CleanExpr &sequential = equation.sequential, &replica = equation.replica;
  const bool several = replica.kind == CleanExpr::Kind::kConcat;
  const std::vector<CleanExpr> leaves = several ? replica.operands : std::vector{replica};
  if (sequential.kind != CleanExpr::Kind::kTensor)
    throw Rejection{"an equation within the programs is not of a tensor"};
  Place place{operator_of(joint, sequential.name, kNone), 0, 0};
  if (equation.use == Certificate::Evaluated::Use::kTakenAsAnyNumbers)
    any_.insert(place.sequential);
  if (several) place.dim = static_cast<size_t>(replica.dim);
  for (const CleanExpr& leaf : leaves) {
    if (leaf.kind != CleanExpr::Kind::kTensor)
      throw Rejection{"an equation within the programs is not of ranks' tensors"};
    const OpRef ref{leaf.rank, operator_of(joint, leaf.name, leaf.rank)};
    places_.insert_or_assign(ref, place);
    const Shape& shape = joint.program(leaf.rank).ops.at(static_cast<size_t>(ref.op)).shape;
    if (several) place.offset += shape.at(place.dim);
  }
}

void Cuts::add(const Joint& joint, const Certificate::EvaluatedClaim::Cut& cut) {
  const bool slice = cut.sequential.kind == CleanExpr::Kind::kSlice;
  const CleanExpr& whole = slice ? cut.sequential.operands.at(0) : cut.sequential;
  if (whole.kind != CleanExpr::Kind::kTensor || cut.replica.kind != CleanExpr::Kind::kTensor)
    throw Rejection{"a cut is not of a tensor"};
  Place place{operator_of(joint, whole.name, kNone), 0, 0};
  if (slice) {
    place.dim = static_cast<size_t>(cut.sequential.dim);
    place.offset = cut.sequential.start;
  }
  const Rank rank = cut.replica.rank;
  places_.insert_or_assign({rank, operator_of(joint, cut.replica.name, rank)}, place);
}

void Cuts::free(const Joint& joint, std::span<const CoreId> sequential) {
  const Numbers numbers = numbers_of(joint.sequential);
  for (const CoreId id : sequential) {
    if (id < 0 || static_cast<size_t>(id) >= joint.sequential.ops.size() ||
        !is_floating(joint.sequential.ops[static_cast<size_t>(id)].dtype))
      throw Rejection{"any numbers are those of a floating operator"};
    if (!numbers.always[static_cast<size_t>(id)])
      throw Rejection{"what may be infinite is not any number"};
    any_.insert(id);
  }
}

const Cuts::Place* Cuts::find(const OpRef& ref) const {
  const auto found = places_.find(ref);
  return found == places_.end() ? nullptr : &found->second;
}

Cone::Cone(const Joint& joint, const Cuts& cuts, std::span<const Certificate::Evaluated> equations)
    : sequential_(joint.sequential.ops.size()) {
  for (const CoreProgram& program : joint.ranks) ranks_.emplace_back(program.ops.size());
  const auto ask = [&](Rank rank, const std::string& tensor) {
    of(rank).at(static_cast<size_t>(operator_of(joint, tensor, rank))) = true;
  };
  for (const Certificate::Evaluated& equation : equations) {
    for_each_leaf(equation.sequential, [&](const CleanExpr& leaf) { ask(kNone, leaf.name); });
    for_each_leaf(equation.replica, [&](const CleanExpr& leaf) { ask(leaf.rank, leaf.name); });
  }
  for (bool again = true; again;) {
    again = close(joint, cuts, kNone);
    for (size_t r = 0; r < ranks_.size(); ++r)
      again = close(joint, cuts, static_cast<Rank>(r)) || again;
  }
  const auto count = [&](const CoreProgram& program, const Marks& marks) {
    for (size_t i = 0; i < marks.size(); ++i)
      if (marks[i]) elements_ += element_count(program.ops[i].shape);
  };
  count(joint.sequential, sequential_);
  for (size_t r = 0; r < ranks_.size(); ++r) count(joint.ranks[r], ranks_[r]);
}

bool Cone::close(const Joint& joint, const Cuts& cuts, Rank rank) {
  const std::vector<CoreOp>& ops = joint.program(rank).ops;
  bool asks_others = false;
  for (size_t i = ops.size(); i-- > 0;) {
    if (!of(rank)[i]) continue;
    const OpRef ref{rank, static_cast<CoreId>(i)};
    const Cuts::Place* place = rank == kNone ? nullptr : cuts.find(ref);
    const bool cut = place != nullptr || (rank == kNone && cuts.is_any(ref.op));
    if (place != nullptr) {
      Marks::reference mark = sequential_.at(static_cast<size_t>(place->sequential));
      asks_others = asks_others || !mark;
      mark = true;
    }
    if (ops[i].prim == Prim::kCollective && !cut && !calls(ref)) {
      call_with_members(joint, ref);
      asks_others = true;
    }
    if (cut && !calls(ref)) continue;
    for (const CoreId operand : ops[i].operands) of(rank).at(static_cast<size_t>(operand)) = true;
  }
  return asks_others;
}

// Who meets in a collective: in each stream, every member's first meets the others' first, the
// second the second.
void Cone::call_with_members(const Joint& joint, const OpRef& ref) {
  called_.insert(ref);
  if (ref.rank == kNone) return;
  const auto stream_at = [&](const OpRef& call) {
    const CoreProgram& program = joint.program(call.rank);
    const CoreOp& op = program.ops.at(static_cast<size_t>(call.op));
    return stream_of(program.collectives.at(static_cast<size_t>(op.collective)));
  };
  const GroupStream stream = stream_at(ref);
  const auto calls_of = [&](Rank rank) {
    std::vector<OpRef> calls;
    const std::vector<CoreOp>& ops = joint.program(rank).ops;
    for (size_t i = 0; i < ops.size(); ++i) {
      const OpRef call{rank, static_cast<CoreId>(i)};
      if (ops[i].prim == Prim::kCollective && stream_at(call) == stream) calls.push_back(call);
    }
    return calls;
  };
  const std::vector<OpRef> own = calls_of(ref.rank);
  const auto number = static_cast<size_t>(std::ranges::find(own, ref) - own.begin());
  for (size_t r = 0; r < ranks_.size(); ++r) {
    const std::vector<OpRef> theirs = calls_of(static_cast<Rank>(r));
    if (number >= theirs.size()) continue;
    called_.insert(theirs[number]);
    ranks_[r].at(static_cast<size_t>(theirs[number].op)) = true;
  }
}

bool Cone::holds(const OpRef& ref) const {
  const Marks& marks = ref.rank == kNone ? sequential_ : ranks_.at(static_cast<size_t>(ref.rank));
  return marks.at(static_cast<size_t>(ref.op));
}

}  // namespace assay::checker::identity
