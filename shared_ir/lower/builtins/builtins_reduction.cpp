// Builtins that reduce dimensions. dims: none or an empty list reduces all; keepdim leaves them
// with size 1.
#include <cmath>

#include <fmt/format.h>

#include "shared_ir/lower/builtins/broadcast.h"
#include "shared_ir/lower/builtins/builtins.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

CoreId reduced(Call& call, Prim prim, CoreId x, bool keepdim) {
  Builder& builder = call.builder();
  Shape shape = builder.shape(x);
  std::vector<Int> dims = call.dims_or_all(1, static_cast<Int>(shape.size()));
  CoreId result = builder.reduce(prim, x, dims);
  if (!keepdim) return result;
  for (Int dim : dims) shape[dim] = 1;
  return builder.reshape(result, shape);
}

CoreId summed(Call& call, CoreId x) {
  if (!is_floating(call.builder().dtype(x))) x = call.builder().cast(x, DType::kInt64);
  return reduced(call, Prim::kReduceSum, x, call.flag(2));
}

// With a type that is given the elements are cast to it before they are added, and wrap in it; the
// sum of flags as a flag is whether any is set.
Value sum(Call& call) {
  if (!call.has(3)) return tensor_value(summed(call, call.tensor(0)));
  Builder& builder = call.builder();
  const DType to = call.dtype(3);
  const CoreId x = builder.cast(call.tensor(0), to);
  if (is_bool(to)) return tensor_value(builder.cast(summed(call, x), to));
  return tensor_value(reduced(call, Prim::kReduceSum, x, call.flag(2)));
}

Int reduced_count(Call& call) {
  const Shape& shape = call.builder().shape(call.tensor(0));
  Int count = 1;
  for (Int dim : call.dims_or_all(1, static_cast<Int>(shape.size())))
    count = times(count, shape[dim]);
  return count;
}

// PyTorch has no extremum of nothing, and integers have no infinity that it could be.
Value extremum(Call& call, Prim prim) {
  if (reduced_count(call) == 0) call.fail("the extremum of nothing");
  return tensor_value(reduced(call, prim, call.tensor(0), call.flag(2)));
}
Value amax(Call& call) { return extremum(call, Prim::kReduceMax); }
Value amin(Call& call) { return extremum(call, Prim::kReduceMin); }

Value mean(Call& call) {
  CoreId x = call.tensor(0);
  if (!is_floating(call.builder().dtype(x))) call.fail("the mean of integers");
  Int count = reduced_count(call);
  if (count == 0) call.fail("the mean of nothing");
  return tensor_value(call.builder().scale(summed(call, x), Rational(1, count)));
}

// The squares of the distances from the mean, over their number less the correction.
Value variance(Call& call) {
  const Rational correction = call.has(2) ? call.coefficient(2) : Rational(1);
  const Rational freedom = Rational(reduced_count(call)) - correction;
  Builder& builder = call.builder();
  const CoreId x = call.tensor(0);
  Call of_center(call.context(), "variance", {call[0], call[1], Value{true}});
  const CoreId center =
      broadcast_to(builder, mean(of_center).get_if<TensorRef>()->id, Shape(builder.shape(x)));
  const CoreId distance = builder.linear({x, center}, {Rational(1), Rational(-1)});
  const CoreId squares = builder.map("pow(2)", {distance}, builder.dtype(x), 0);
  Call of_squares(call.context(), "variance", {tensor_value(squares), call[1], call[3]});
  const CoreId sum = summed(of_squares, squares);
  if (freedom.is_positive()) return tensor_value(builder.scale(sum, Rational(1) / freedom));
  // A division by 0: of 0, where there is one element.
  const bool alone = !exceeds(reduced_count(call), 1);
  const CoreId beyond = builder.constant(alone ? std::nan("") : HUGE_VAL, builder.dtype(x),
                                         Shape(builder.shape(sum)));
  return tensor_value(alone ? beyond : builder.mul(sum, beyond));
}

// The root of the sum of powers `ord` of the sizes; infinite: the largest or smallest; 0: how many
// are not 0. None is 2.
Value vector_norm(Call& call) {
  Builder& builder = call.builder();
  const CoreId x = call.tensor(0);
  const DType dtype = builder.dtype(x);
  const double ord = call.has(1) ? call.number(1) : 2;
  if (!is_floating(dtype)) call.fail("the norm of integers");
  const auto with = [&](CoreId of) {
    return Call(call.context(), "vector_norm", {tensor_value(of), call[2], call[3]});
  };
  const auto total = [&](CoreId of) {
    Call whole = with(of);
    return summed(whole, of);
  };
  const auto mapped = [&](const std::string& fn, CoreId of) {
    return builder.map(fn, {of}, dtype, 0);
  };
  if (ord == 2) return tensor_value(mapped("sqrt", total(mapped("pow(2)", x))));
  const CoreId size = mapped("abs", x);
  if (std::isinf(ord)) {
    Call whole = with(size);
    return ord > 0 ? amax(whole) : amin(whole);
  }
  if (ord == 1) return tensor_value(total(size));
  if (ord == 0) {
    const CoreId zero = builder.constant(Rational(0), dtype, Shape(builder.shape(x)));
    const CoreId flags = builder.map("ne", {x, zero}, DType::kBool, 0);
    return tensor_value(total(builder.cast(flags, dtype)));
  }
  const std::string power = fmt::format("pow({})", ord), root = fmt::format("pow({})", 1 / ord);
  return tensor_value(mapped(root, total(mapped(power, size))));
}

// PyTorch numbers what a loss does with its elements: 0 nothing, 1 the mean, 2 the sum.
Value reduced_loss(Call& call) {
  const Int reduction = call.integer(1);
  if (reduction < 0 || reduction > 2) call.fail("a reduction is 0, 1 or 2");
  if (reduction == 0) return call[0];
  Call whole(call.context(), "reduced_loss", {call[0], Value{NoArg{}}, Value{false}});
  return reduction == 1 ? mean(whole) : sum(whole);
}

// What a gradient of a broadcast is: summed over what the broadcast repeated.
Value sum_to(Call& call) {
  Builder& builder = call.builder();
  CoreId x = call.tensor(0);
  Shape own = builder.shape(x), to = call.sizes(1);
  Shape aligned = to;
  if (to.size() > own.size()) call.fail("the result would have more dimensions");
  aligned.insert(aligned.begin(), own.size() - to.size(), 1);
  std::vector<Int> dims;
  for (size_t i = 0; i < own.size(); ++i) {
    if (aligned[i] == own[i]) continue;
    if (aligned[i] != 1) call.fail("the shapes do not broadcast");
    dims.push_back(static_cast<Int>(i));
  }
  return tensor_value(builder.reshape(builder.reduce(Prim::kReduceSum, x, dims), to));
}

constexpr Builtin kReductionBuiltins[] = {
    {"sum", 3, 4, sum, Effect::kSums,
     "sum(x, dims, keepdim, dtype=none): in that type; else integers and flags become int64"},
    {"mean", 3, 3, mean, Effect::kSums, "mean(x, dims, keepdim): the sum, scaled by 1 / count"},
    {"amax", 3, 3, amax, Effect::kSelects, "amax(x, dims, keepdim): the maximum"},
    {"amin", 3, 3, amin, Effect::kSelects, "amin(x, dims, keepdim): the minimum"},
    {"variance", 4, 4, variance, Effect::kRounds,
     "variance(x, dims, correction, keepdim): by the number of elements less the correction"},
    {"vector_norm", 4, 4, vector_norm, Effect::kRounds,
     "vector_norm(x, ord, dims, keepdim): the root of a sum of powers; inf: the largest"},
    {"reduced_loss", 2, 2, reduced_loss, Effect::kSums,
     "reduced_loss(x, reduction): 0: x, 1: its mean, 2: its sum"},
    {"sum_to", 2, 2, sum_to, Effect::kSums,
     "sum_to(x, sizes): summed over what a broadcast from these sizes repeats"},
};

}  // namespace

std::span<const Builtin> reduction_builtins() { return kReductionBuiltins; }

}  // namespace assay::lowering
