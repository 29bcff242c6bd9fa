// Builtins that reduce dimensions. dims: none or an empty list reduces all; keepdim leaves them
// with size 1.
#include <cmath>

#include "shared_ir/lower/broadcast.h"
#include "shared_ir/lower/builtins.h"

namespace assay::lowering {
namespace {

CoreId reduced(Call& call, Prim prim, CoreId x, bool keepdim) {
  Builder& builder = call.builder();
  Shape shape = builder.shape(x);
  std::vector<int64_t> dims = call.dims_or_all(1, static_cast<int64_t>(shape.size()));
  CoreId result = builder.reduce(prim, x, dims);
  if (!keepdim) return result;
  for (int64_t dim : dims) shape[dim] = 1;
  return builder.reshape(result, shape);
}

CoreId summed(Call& call, CoreId x) {
  if (!is_floating(call.builder().dtype(x))) x = call.builder().cast(x, DType::kInt64);
  return reduced(call, Prim::kReduceSum, x, call.flag(2));
}

Value sum(Call& call) { return tensor_value(summed(call, call.tensor(0))); }
Value amax(Call& call) {
  return tensor_value(reduced(call, Prim::kReduceMax, call.tensor(0), call.flag(2)));
}
Value amin(Call& call) {
  return tensor_value(reduced(call, Prim::kReduceMin, call.tensor(0), call.flag(2)));
}

int64_t reduced_count(Call& call) {
  const Shape& shape = call.builder().shape(call.tensor(0));
  int64_t count = 1;
  for (int64_t dim : call.dims_or_all(1, static_cast<int64_t>(shape.size()))) count *= shape[dim];
  return count;
}

Value count_over(Call& call) { return {reduced_count(call)}; }

Value mean(Call& call) {
  CoreId x = call.tensor(0);
  if (!is_floating(call.builder().dtype(x))) call.fail("the mean of integers");
  int64_t count = reduced_count(call);
  if (count == 0) call.fail("the mean of nothing");
  return tensor_value(call.builder().scale(summed(call, x), Rational(1, count)));
}

// What a gradient of a broadcast is: summed over what the broadcast repeated.
Value sum_to(Call& call) {
  Builder& builder = call.builder();
  CoreId x = call.tensor(0);
  Shape own = builder.shape(x), to = call.sizes(1);
  Shape aligned = to;
  if (to.size() > own.size()) call.fail("the result would have more dimensions");
  aligned.insert(aligned.begin(), own.size() - to.size(), 1);
  std::vector<int64_t> dims;
  for (size_t i = 0; i < own.size(); ++i) {
    if (aligned[i] == own[i]) continue;
    if (aligned[i] != 1) call.fail("the shapes do not broadcast");
    dims.push_back(static_cast<int64_t>(i));
  }
  return tensor_value(builder.reshape(builder.reduce(Prim::kReduceSum, x, dims), to));
}

constexpr Builtin kReductionBuiltins[] = {
    {"sum", 3, 3, sum, "sum(x, dims, keepdim): integers and flags become int64"},
    {"mean", 3, 3, mean, "mean(x, dims, keepdim): the sum, scaled by 1 / count"},
    {"amax", 3, 3, amax, "amax(x, dims, keepdim): the maximum"},
    {"amin", 3, 3, amin, "amin(x, dims, keepdim): the minimum"},
    {"count_over", 2, 2, count_over,
     "count_over(x, dims): how many elements one result of a reduction has"},
    {"sum_to", 2, 2, sum_to,
     "sum_to(x, sizes): summed over what a broadcast from these sizes repeats"},
};

}  // namespace

std::span<const Builtin> reduction_builtins() { return kReductionBuiltins; }

}  // namespace assay::lowering
