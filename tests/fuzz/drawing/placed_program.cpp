#include "tests/fuzz/drawing/placed_program.h"

#include <algorithm>
#include <numeric>

namespace assay::test {
namespace {

CleanExpr together(CleanExpr::Kind kind, std::vector<CleanExpr> operands, size_t dim = 0) {
  CleanExpr expr;
  expr.kind = kind;
  expr.dim = static_cast<int64_t>(dim);
  expr.operands = std::move(operands);
  return expr;
}

}  // namespace

PlacedProgram::PlacedProgram(std::vector<std::vector<Rank>> groups) : groups_(std::move(groups)) {
  const size_t ranks = groups_.size() * members();
  group_of_.resize(ranks);
  member_of_.resize(ranks);
  for (size_t g = 0; g < groups_.size(); ++g)
    for (size_t m = 0; m < members(); ++m) {
      group_of_[static_cast<size_t>(groups_[g][m])] = g;
      member_of_[static_cast<size_t>(groups_[g][m])] = m;
    }
  builders_.emplace_back("sequential");
  for (size_t r = 0; r < ranks; ++r) builders_.emplace_back("rank " + std::to_string(r));
}

Shape PlacedProgram::local(Shape shape, const Placement& placement, Side side) const {
  if (side > 0 && placement.is_sharded()) shape[placement.dim] = placement.sizes[member(side)];
  return shape;
}

std::string PlacedProgram::fresh_name() { return "t" + std::to_string(names_++); }

std::string PlacedProgram::name_of_group(Side rank) const {
  return "tp:" + std::to_string(group_of_[rank - 1]);
}

Placed PlacedProgram::input(const Shape& shape, DType dtype, const Placement& placement,
                            int64_t below) {
  Placed made{{}, shape, dtype, placement, below};
  const std::string name = fresh_name();
  for (Side s = 0; s < sides(); ++s)
    made.on.push_back(builders_[s].input(name, local(shape, placement, s), dtype));
  relations_.push_back({name, replicas(made), {}});
  inputs_.push_back(made);
  return made;
}

std::vector<Placed> PlacedProgram::call_many(const std::string& op, const Arguments& arguments,
                                             const std::vector<TensorType>& results,
                                             const Placement& placement) {
  std::vector<Placed> made;
  for (const TensorType& result : results)
    made.push_back({{}, result.shape, result.dtype, placement});
  const std::string name = fresh_name();
  for (Side s = 0; s < sides(); ++s) {
    std::vector<TensorType> local_results = results;
    for (TensorType& result : local_results) result.shape = local(result.shape, placement, s);
    builders_[s].at("model.py", static_cast<int64_t>(names_));
    const auto refs = builders_[s].call_many(name, op, arguments(s), local_results);
    for (size_t i = 0; i < refs.size(); ++i) made[i].on.push_back(refs[i]);
  }
  return made;
}

Placed PlacedProgram::call(const std::string& op, const Arguments& arguments, const Shape& shape,
                           DType dtype, const Placement& placement) {
  return call_many(op, arguments, {{shape, dtype}}, placement)[0];
}

void PlacedProgram::on_ranks(Placed& x, const std::string& op, const Arguments& arguments,
                             const Placement& placement, const Shape& shape) {
  const std::string name = fresh_name();
  for (Side s = 1; s < sides(); ++s)
    x.on[s] = builders_[s].call(name, op, arguments(s), local(shape, placement, s), x.dtype);
  x.copied = true;
}

void PlacedProgram::collective(Placed& x, const std::string& op, const Arguments& arguments,
                               const Placement& placement, const Shape& shape) {
  on_ranks(x, "_c10d_functional." + op + ".default", arguments, placement, shape);
  on_ranks(
      x, "_c10d_functional.wait_tensor.default",
      [&](Side s) { return std::vector<Argument>{x[s]}; }, placement, shape);
}

void PlacedProgram::move_dim(Placed& x, size_t dim, bool to_front) {
  if (dim == 0) return;
  std::vector<int64_t> dims(x.shape.size());
  std::iota(dims.begin(), dims.end(), 0);
  const auto at = dims.begin() + static_cast<ptrdiff_t>(dim);
  to_front ? std::rotate(dims.begin(), at, at + 1)
           : std::rotate(dims.begin(), dims.begin() + 1, at + 1);
  Shape shape;
  for (const int64_t d : dims) shape.push_back(x.shape[static_cast<size_t>(d)]);
  Placement placement = x.placement;
  if (placement.is_sharded()) placement.dim = to_front ? 0 : dim;
  on_ranks(
      x, "aten.permute.default",
      [&](Side s) { return std::vector<Argument>{x[s], integers(dims)}; }, placement, shape);
  x.shape = shape;
  x.placement = placement;
}

void PlacedProgram::gather_even(Placed& x) {
  collective(
      x, "all_gather_into_tensor",
      [&](Side s) {
        return std::vector<Argument>{x[s], static_cast<int64_t>(members()),
                                     name_of_group(s).c_str()};
      },
      {}, x.shape);
}

// Everybody sends its part to all.
void PlacedProgram::gather_uneven(Placed& x) {
  const auto count = static_cast<int64_t>(members());
  Placement copies = x.placement;
  for (int64_t& size : copies.sizes) size *= count;
  on_ranks(
      x, "aten.cat.default",
      [&](Side s) { return std::vector<Argument>{std::vector<Argument>(members(), x[s]), 0}; },
      copies, x.shape);
  collective(
      x, "all_to_all_single",
      [&](Side s) {
        const std::vector<int64_t> sent(members(), x.placement.sizes[member(s)]);
        return std::vector<Argument>{x[s], integers(x.placement.sizes), integers(sent),
                                     name_of_group(s).c_str()};
      },
      {}, x.shape);
}

Placed PlacedProgram::replicate(const Placed& x, uint64_t kind) {
  Placed made = x;
  if (x.placement.is_partial()) {
    collective(
        made, "all_reduce",
        [&](Side s) { return std::vector<Argument>{made[s], "sum", name_of_group(s).c_str()}; }, {},
        x.shape);
  } else if (x.placement.is_sharded()) {
    const std::vector<int64_t>& sizes = x.placement.sizes;
    const size_t dim = x.placement.dim;
    move_dim(made, dim, true);
    const bool even = std::ranges::adjacent_find(sizes, std::not_equal_to<>()) == sizes.end();
    even&& kind % 4 != 0 ? gather_even(made) : gather_uneven(made);
    made.placement = {};
    move_dim(made, dim, false);
  }
  made.placement = {};
  return made;
}

Placed PlacedProgram::shard(const Placed& x, size_t dim, const std::vector<int64_t>& sizes) {
  Placed made = x;
  const Placement placement = sharded(dim, sizes);
  on_ranks(
      made, "aten.slice.Tensor",
      [&](Side s) {
        const auto first = sizes.begin();
        const int64_t start =
            std::accumulate(first, first + static_cast<ptrdiff_t>(member(s)), int64_t{0});
        return std::vector<Argument>{made[s], static_cast<int64_t>(dim), start,
                                     start + sizes[member(s)]};
      },
      placement, x.shape);
  made.placement = placement;
  return made;
}

Placed PlacedProgram::reduce_scatter(const Placed& x) {
  Placed made = x;
  const auto count = static_cast<int64_t>(members());
  const Placement placement = sharded(0, std::vector<int64_t>(members(), x.shape[0] / count));
  collective(
      made, "reduce_scatter_tensor",
      [&](Side s) {
        return std::vector<Argument>{made[s], "sum", count, name_of_group(s).c_str()};
      },
      placement, x.shape);
  made.placement = placement;
  return made;
}

Placed PlacedProgram::reduce_extremum(const Placed& x, const char* reduce) {
  Placed made = x;
  collective(
      made, "all_reduce",
      [&](Side s) { return std::vector<Argument>{made[s], reduce, name_of_group(s).c_str()}; }, {},
      x.shape);
  made.placement = {};
  return made;
}

CleanExpr PlacedProgram::on_rank(const Placed& x, Rank rank) const {
  const auto side = static_cast<Side>(rank) + 1;
  CleanExpr leaf;
  leaf.name = builders_[side].name_of(x.on[side]);
  leaf.rank = rank;
  return leaf;
}

std::vector<CleanExpr> PlacedProgram::replicas(const Placed& x) const {
  std::vector<CleanExpr> found;
  for (const std::vector<Rank>& ranks : groups_) {
    std::vector<CleanExpr> parts;
    for (const Rank rank : ranks) parts.push_back(on_rank(x, rank));
    if (parts.size() == 1 || x.placement.kind == Placement::Kind::kReplicated) {
      found.insert(found.end(), parts.begin(), parts.end());
    } else if (x.placement.is_sharded()) {
      found.push_back(together(CleanExpr::Kind::kConcat, std::move(parts), x.placement.dim));
    } else {
      found.push_back(together(CleanExpr::Kind::kSum, std::move(parts)));
    }
  }
  return found;
}

void PlacedProgram::output(const Placed& x, bool expected) {
  for (Side s = 0; s < sides(); ++s) builders_[s].output(x.on[s]);
  if (!expected) return;
  CleanExpr sequential;
  sequential.name = builders_[0].name_of(x.on[0]);
  expectations_.push_back({sequential, replicas(x), {}});
}

Case PlacedProgram::build() const {
  Case made;
  made.name = "random";
  made.sequential = builders_[0].graph();
  for (Side s = 1; s < sides(); ++s) made.ranks.push_back(builders_[s].graph());
  for (size_t g = 0; g < groups_.size(); ++g)
    made.distributed_groups["tp:" + std::to_string(g)] = groups_[g];
  made.inputs = relations_;
  made.expect = expectations_;
  for (const TensorId id : made.sequential.outputs)
    made.outputs.push_back(made.sequential.tensors[static_cast<size_t>(id)].name);
  return made;
}

}  // namespace assay::test
