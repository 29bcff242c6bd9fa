// Products of matrices: over a dimension whose size depends on values, what is not there is 0.
#include <algorithm>
#include <map>

#include "shared_ir/import/unbacked/rules.h"

namespace assay::unbacked {
namespace {

// a [..., m, k] b [..., k, n], all but the last two dimensions alike.
Padded product(Call& call, Padded a, Padded b, DType dtype) {
  const size_t rank = a.rank();
  if (rank != b.rank() || rank < 2) call.p.fail("factors of different numbers of dimensions");
  std::vector<Extent> dims = a.dims;
  for (size_t dim = 0; dim + 2 < rank; ++dim) dims[dim] = call.p.unify({{&a, dim}, {&b, dim}});
  call.p.unify({{&a, rank - 1}, {&b, rank - 2}});
  dims[rank - 2] = a.dims[rank - 2];
  dims[rank - 1] = b.dims[rank - 1];
  const TensorId left = call.p.filled(a, {rank - 1}), right = call.p.filled(b, {rank - 2});
  const std::string op = rank == 2 ? "aten.mm.default" : "aten.bmm.default";
  if (rank > 3) call.p.fail("factors of more than 3 dimensions have no rule");
  return {call.p.emit().call(op, {tensor_arg(left), tensor_arg(right)}, dtype, bounds_of(dims)),
          dims};
}

void multiply(Call& call) {
  call.p.set_result(
      0, product(call, call.tensor(0, "self"), call.tensor(1, "mat2"), call.result_type()));
}

Padded turned(Call& call, const Padded& x) {
  std::vector<Extent> dims = x.dims;
  std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
  std::vector<int64_t> order;
  for (size_t dim = 0; dim < dims.size(); ++dim) order.push_back(static_cast<int64_t>(dim));
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return {call.p.emit().call("aten.permute.default", {tensor_arg(x.id), sizes_arg(order)},
                             call.p.emit().dtype(x.id), bounds_of(dims)),
          dims};
}

Padded plus(Call& call, Padded sum, const Padded& bias) {
  if (bias.is_ragged() || bias.rank() > sum.rank())
    call.p.fail("a bias of a size that depends on values has no rule");
  sum.id = call.p.emit().arithmetic("add", sum.id, bias.id);
  return sum;
}

void linear(Call& call) {
  const Padded& x = call.tensor(0, "input");
  if (x.rank() != 2) call.p.fail("has a rule for rows of numbers alone");
  Padded result = product(call, x, turned(call, call.tensor(1, "weight")), call.result_type());
  if (call.has(2, "bias")) result = plus(call, result, call.tensor(2, "bias"));
  call.p.set_result(0, result);
}

void addmm(Call& call) {
  if (!call.is_one(3, "beta") || !call.is_one(4, "alpha"))
    call.p.fail("factors have no rule where sizes depend on values");
  const Padded made =
      product(call, call.tensor(1, "mat1"), call.tensor(2, "mat2"), call.result_type());
  call.p.set_result(0, plus(call, made, call.tensor(0, "self")));
}

// bool [groups, bound]: which elements of a dimension belong to which group, where group g ends at
// position ends[g].
TensorId groups_of(Call& call, const Extent& extent, TensorId ends) {
  Emitter& emit = call.p.emit();
  const int64_t groups = emit.shape(ends)[0];
  const TensorId wide = emit.cast(ends, DType::kInt64);
  const TensorId starts = emit.cat(
      {emit.full({1}, {int64_t{0}}, DType::kInt64), emit.slice(wide, 0, 0, groups - 1)}, 0);
  const TensorId at = emit.reshape(call.p.position(extent), {1, extent.bound});
  TensorId inside = emit.both(emit.compare("ge", at, emit.reshape(starts, {groups, 1})),
                              emit.compare("lt", at, emit.reshape(wide, {groups, 1})));
  if (!extent.is_known()) inside = emit.both(inside, emit.reshape(extent.mask, {1, extent.bound}));
  call.p.demand(emit.compare("eq", emit.slice(wide, 0, groups - 1, 1), call.p.count(extent)));
  return inside;
}

// Each group of rows with a matrix of its own: x [rows, k], w [groups, k, n]; or a matrix for each
// group of columns: x [m, columns], w [columns, n].
void grouped(Call& call) {
  Padded x = call.tensor(0, "self"), w = call.tensor(1, "mat2");
  const Padded& offs = call.tensor(2, "offs");
  Emitter& emit = call.p.emit();
  if (call.has(3, "bias")) call.p.fail("a bias has no rule");
  call.follows(4, "out_dtype");
  if (x.rank() != 2 || offs.rank() != 1 || offs.is_ragged() || (w.rank() != 2 && w.rank() != 3))
    call.p.fail("these operands have no rule");
  const int64_t groups = offs.dims[0].bound;
  const size_t along = w.rank() == 3 ? 0 : 1;
  if (w.rank() == 2) call.p.unify({{&x, 1}, {&w, 0}});
  Shape wide = {groups, 1, 1};
  wide[along + 1] = x.dims[along].bound;
  const TensorId mask = emit.reshape(groups_of(call, x.dims[along], offs.id), wide);
  std::vector<Extent> dims = x.dims;
  dims.insert(dims.begin(), Extent{groups});
  const TensorId zero = emit.full({}, {0.0}, emit.dtype(x.id));
  const TensorId each =
      emit.where(mask, emit.reshape(x.id, {1, x.dims[0].bound, x.dims[1].bound}), zero);
  if (w.rank() == 3) {
    Padded result = product(call, {each, dims}, w, call.result_type());
    result.id = emit.sum(result.id, {0});
    result.dims.erase(result.dims.begin());
    return call.p.set_result(0, result);
  }
  std::vector<Extent> second = w.dims;
  second.insert(second.begin(), Extent{groups});
  const TensorId rows =
      emit.expand(emit.reshape(call.p.filled(w, {0}), {1, w.dims[0].bound, w.dims[1].bound}),
                  bounds_of(second));
  dims[2] = second[1] = {x.dims[1].bound};
  call.p.set_result(0, product(call, {each, dims}, {rows, second}, call.result_type()));
}

const Rules kProducts = {
    {"aten.mm", multiply},   {"aten.bmm", multiply}, {"aten.matmul", multiply},
    {"aten.linear", linear}, {"aten.addmm", addmm},  {"aten._grouped_mm", grouped},
};

}  // namespace

const Rules& product_rules() { return kProducts; }

}  // namespace assay::unbacked
