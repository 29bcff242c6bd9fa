#include "static_check/checker/identity/cuts/cuts.h"

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
  const auto close_ranks = [&] {
    bool communicate = false;
    for (size_t r = 0; r < ranks_.size(); ++r)
      if (close(joint, cuts, static_cast<Rank>(r))) communicate = true;
    return communicate;
  };
  const auto ask_collectives = [&](Rank rank) {
    const std::vector<CoreOp>& ops = joint.program(rank).ops;
    for (size_t i = 0; i < ops.size(); ++i)
      if (ops[i].prim == Prim::kCollective) of(rank)[i] = true;
  };
  if (close_ranks()) {
    for (size_t r = 0; r < ranks_.size(); ++r) ask_collectives(static_cast<Rank>(r));
    close_ranks();
  }
  if (close(joint, cuts, kNone)) {
    ask_collectives(kNone);
    close(joint, cuts, kNone);
  }
  const auto count = [&](const CoreProgram& program, const Marks& marks) {
    for (size_t i = 0; i < marks.size(); ++i)
      if (marks[i]) elements_ += element_count(program.ops[i].shape);
  };
  count(joint.sequential, sequential_);
  for (size_t r = 0; r < ranks_.size(); ++r) count(joint.ranks[r], ranks_[r]);
}

// From the last operator to the first: what each is computed of. Whether any communicates.
bool Cone::close(const Joint& joint, const Cuts& cuts, Rank rank) {
  const std::vector<CoreOp>& ops = joint.program(rank).ops;
  bool communicates = false;
  for (size_t i = ops.size(); i-- > 0;) {
    if (!of(rank)[i]) continue;
    const bool collective = ops[i].prim == Prim::kCollective;
    communicates = communicates || collective;
    const Cuts::Place* place = rank == kNone ? nullptr : cuts.find({rank, static_cast<CoreId>(i)});
    if (place != nullptr) sequential_.at(static_cast<size_t>(place->sequential)) = true;
    const bool any = rank == kNone && cuts.is_any(static_cast<CoreId>(i));
    if ((place != nullptr || any) && !collective) continue;
    for (const CoreId operand : ops[i].operands) of(rank).at(static_cast<size_t>(operand)) = true;
  }
  return communicates;
}

bool Cone::holds(const OpRef& ref) const {
  const Marks& marks = ref.rank == kNone ? sequential_ : ranks_.at(static_cast<size_t>(ref.rank));
  return marks.at(static_cast<size_t>(ref.op));
}

}  // namespace assay::checker::identity
