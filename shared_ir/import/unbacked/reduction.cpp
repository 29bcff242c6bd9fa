// Sums, means and extrema: what is not there is the neutral element.
#include <algorithm>
#include <limits>
#include <map>

#include "shared_ir/import/unbacked/rules.h"

namespace assay::unbacked {
namespace {

std::vector<size_t> reduced_dims(const Call& call, size_t rank) {
  std::vector<size_t> dims;
  const int64_t ranks = static_cast<int64_t>(rank);
  for (const Arg& arg : call.list(1, "dim")) {
    if (std::holds_alternative<DType>(arg.value)) continue;  // of the form without dimensions
    const int64_t dim = call.known(call.p.size(arg), "dim");
    if (dim < -ranks || dim >= ranks) call.p.fail("reduces a dimension that is not there");
    dims.push_back(static_cast<size_t>(dim < 0 ? dim + ranks : dim));
  }
  if (dims.empty())
    for (size_t dim = 0; dim < rank; ++dim) dims.push_back(dim);
  std::ranges::sort(dims);
  return dims;
}

// Of the operator `name` with the neutral element; the result, dimensions dropped or kept as 1.
Padded reduce(Call& call, const std::string& name, double neutral) {
  const Padded x = call.tensor(0, "self");
  const std::vector<size_t> dims = reduced_dims(call, x.rank());
  std::vector<int64_t> axes(dims.begin(), dims.end());
  const bool keep = call.flag(2, "keepdim");
  std::vector<Extent> left;
  for (size_t dim = 0; dim < x.rank(); ++dim) {
    if (!std::ranges::binary_search(dims, dim)) {
      left.push_back(x.dims[dim]);
    } else if (keep) {
      left.push_back({1});
    }
  }
  std::vector<Arg> args = {tensor_arg(call.p.filled(x, dims, neutral)), sizes_arg(axes), {keep}};
  if (name == "aten.sum.dim_IntList") args.push_back({call.result_type()});
  return {call.p.emit().call(name, std::move(args), call.result_type(), bounds_of(left)), left};
}

void sum(Call& call) { call.p.set_result(0, reduce(call, "aten.sum.dim_IntList", 0)); }

// The quotient of the sum and the number of elements.
void mean(Call& call) {
  const Padded x = call.tensor(0, "self");
  const Padded total = reduce(call, "aten.sum.dim_IntList", 0);
  int64_t known = 1;
  TensorId count = kNone;
  for (const size_t dim : reduced_dims(call, x.rank())) {
    if (x.dims[dim].is_known()) {
      known *= x.dims[dim].bound;
    } else {
      const TensorId own = call.p.count(x.dims[dim]);
      count = count == kNone ? own : call.p.emit().arithmetic("mul", count, own);
    }
  }
  Emitter& emit = call.p.emit();
  if (count == kNone) count = emit.number(1);
  if (known != 1) count = emit.arithmetic("mul", count, emit.number(known));
  call.p.set_result(0, {emit.arithmetic("div", total.id, count), total.dims});
}

// There is no extremum of nothing.
void extremum(Call& call, const std::string& name, double sign) {
  const Padded x = call.tensor(0, "self");
  Emitter& emit = call.p.emit();
  if (!is_floating(emit.dtype(x.id))) call.p.fail("extrema of integers have no rule");
  for (const size_t dim : reduced_dims(call, x.rank()))
    if (!x.dims[dim].is_known())
      call.p.demand(emit.compare("gt", call.p.count(x.dims[dim]), emit.number(0)));
  call.p.set_result(0, reduce(call, name, sign * std::numeric_limits<double>::infinity()));
}

void amax(Call& call) { extremum(call, "aten.amax.default", -1); }
void amin(Call& call) { extremum(call, "aten.amin.default", 1); }

// Along one dimension; along another one it works row by row. What comes after all that is there
// adds nothing to it.
void cumsum(Call& call) {
  const Padded x = call.tensor(0, "self");
  const size_t dim = call.dim(1, "dim", x.rank(), 0);
  call.emit_same({call.p.filled(x, {dim})}, x.dims);
}

// The same whatever other rows hold.
void by_rows(Call& call) {
  std::vector<TensorId> tensors;
  std::vector<Extent> dims;
  for (const TensorId id : tensor_arguments(call.node)) {
    const Padded& x = call.tensor(Arg{TensorArg{id}});
    if (dims.empty()) dims = x.dims;
    if (dims != x.dims) call.p.fail("its operands are of different sizes");
    tensors.push_back(x.id);
  }
  const bool backward = base_name(call.node.op).ends_with("_backward_data");
  const size_t dim = call.dim(backward ? 2 : 1, "dim", dims.size(), -1);
  if (!dims[dim].is_known())
    call.p.fail("has no rule along a dimension whose size depends on values");
  call.emit_same(tensors, dims);
}

const Rules kReductions = {
    {"aten.sum", sum},
    {"aten.mean", mean},
    {"aten.amax", amax},
    {"aten.amin", amin},
    {"aten.cumsum", cumsum},
    {"aten._softmax", by_rows},
    {"aten.softmax", by_rows},
    {"aten._log_softmax", by_rows},
    {"aten._softmax_backward_data", by_rows},
    {"aten._log_softmax_backward_data", by_rows},
};

}  // namespace

const Rules& reduction_rules() { return kReductions; }

}  // namespace assay::unbacked
