#include "tests/checker/hand_proof.h"

namespace assay::test {

Value claim(Shape shape, std::vector<Term> terms) {
  Value value;
  for (const int64_t extent : shape) value.cuts.push_back({0, extent});
  value.shape = std::move(shape);
  Tile tile;
  tile.terms = std::move(terms);
  value.tiles.push_back(std::move(tile));
  return value;
}

Term view(AtomId atom, const Shape& shape, const std::vector<int64_t>& strides, int64_t offset) {
  Term term;
  term.atom = atom;
  term.layout.offset = offset;
  for (size_t d = 0; d < shape.size(); ++d) {
    term.layout.dims.emplace_back();
    if (shape[d] != 1) term.layout.dims.back().push_back({shape[d], strides[d]});
  }
  return term;
}

Term part(Term term, LabelId label, int64_t size, Interval in) {
  Restriction box;
  box.label = label;
  box.radix = size;
  box.intervals = {in};
  term.restrictions.push_back(std::move(box));
  return term;
}

Term guarded(Term term, AtomId ids, Layout where, Interval in) {
  Restriction guard;
  guard.kind = Restriction::Kind::kGuard;
  guard.atom = ids;
  guard.where = std::move(where);
  guard.intervals = {in};
  term.restrictions.push_back(std::move(guard));
  return term;
}

TensorId HandProgram::tensor(const std::string& name, DType dtype, const Shape& shape, CoreId op) {
  const auto id = static_cast<TensorId>(graph_.tensors.size());
  graph_.tensors.push_back({name, dtype, shape, kNone, 0});
  graph_.by_name[name] = id;
  program_.value_of.push_back(op);
  program_.may_wrap.push_back(false);
  return id;
}

CoreId HandProgram::input(const std::string& name, DType dtype, Value value) {
  CoreOp op;
  op.dtype = dtype;
  op.tensor = tensor(name, dtype, value.shape, static_cast<CoreId>(program_.ops.size()));
  graph_.inputs.push_back(op.tensor);
  return this->op(std::move(op), std::move(value));
}

CoreId HandProgram::op(Prim prim, std::vector<CoreId> operands, Value value,
                       std::vector<int64_t> ints) {
  CoreOp op;
  op.prim = prim;
  op.dtype =
      operands.empty() ? DType::kFloat32 : program_.ops[static_cast<size_t>(operands.back())].dtype;
  op.operands = std::move(operands);
  op.ints = std::move(ints);
  return this->op(std::move(op), std::move(value));
}

CoreId HandProgram::op(CoreOp op, Value value) {
  op.shape = value.shape;
  program_.ops.push_back(std::move(op));
  claims_.push_back(std::move(value));
  return static_cast<CoreId>(program_.ops.size()) - 1;
}

CoreId HandProgram::all_reduce(CoreId operand, std::vector<Rank> ranks, Value value) {
  CoreOp op;
  op.prim = Prim::kCollective;
  op.operands = {operand};
  op.collective = static_cast<int32_t>(program_.collectives.size());
  Collective collective;
  collective.group = "tp:0";
  collective.ranks = std::move(ranks);
  program_.collectives.push_back(std::move(collective));
  return this->op(std::move(op), std::move(value));
}

void HandProgram::output(const std::string& name, CoreId op) {
  const CoreOp& made = program_.ops[static_cast<size_t>(op)];
  graph_.outputs.push_back(tensor(name, made.dtype, made.shape, op));
}

}  // namespace assay::test
