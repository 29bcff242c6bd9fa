// Masks, positions and numbers of elements; moving what is there to the front.
#include <algorithm>

#include "shared_ir/import/unbacked/padder.h"

namespace assay::unbacked {
namespace {

Shape along(size_t rank, size_t dim, int64_t size) {
  Shape shape(rank, 1);
  shape[dim] = size;
  return shape;
}

}  // namespace

TensorId Padder::mask(const Extent& extent) {
  return extent.is_known() ? emit_.full({extent.bound}, {true}, DType::kBool) : extent.mask;
}

TensorId Padder::position(const Extent& extent) {
  if (extent.packed) return emit_.arange(extent.bound);
  const TensorId running =
      emit_.call("aten.cumsum.default", {tensor_arg(emit_.cast(extent.mask, DType::kInt64)), {0}},
                 DType::kInt64, {extent.bound});
  return emit_.arithmetic("sub", running, emit_.number(1));
}

TensorId Padder::count(const Extent& extent) {
  return extent.is_known() ? emit_.number(extent.bound) : emit_.sum(extent.mask, {0});
}

Extent Padder::masked(const Extent& extent, TensorId mask) {
  return {extent.bound, emit_.both(extent.mask, mask), false};
}

TensorId Padder::mask_along(const Padded& x, size_t dim) {
  return emit_.reshape(mask(x.dims[dim]), along(x.rank(), dim, x.dims[dim].bound));
}

TensorId Padder::mask_of(const Padded& x, const std::vector<size_t>& dims) {
  TensorId all = kNone;
  for (const size_t dim : dims)
    if (!x.dims[dim].is_known()) all = emit_.both(all, mask_along(x, dim));
  return all;
}

TensorId Padder::filled(const Padded& x, const std::vector<size_t>& dims,
                        std::optional<double> with) {
  const TensorId mask = mask_of(x, dims);
  if (mask == kNone) return x.id;
  const DType dtype = emit_.dtype(x.id);
  const Arg fill = is_bool(dtype)       ? Arg{with.value_or(0) != 0}
                   : is_floating(dtype) ? Arg{with.value_or(0)}
                                        : Arg{static_cast<int64_t>(with.value_or(0))};
  return emit_.where(mask, x.id, emit_.full({}, fill, dtype));
}

TensorId Padder::filled(const Padded& x) {
  std::vector<size_t> all;
  for (size_t dim = 0; dim < x.rank(); ++dim) all.push_back(dim);
  return filled(x, all);
}

// Rows go to their positions; what is not there goes to a row beyond, which is cut off.
Padded Padder::packed(const Padded& x, size_t dim) {
  const Extent extent = x.dims[dim];
  if (extent.packed) return x;
  const DType dtype = emit_.dtype(x.id);
  const TensorId from = is_bool(dtype) ? emit_.cast(x.id, DType::kInt64) : x.id;
  const TensorId place = emit_.where(extent.mask, position(extent), emit_.number(extent.bound));
  Shape more = emit_.shape(from);
  ++more[dim];
  const auto axis = static_cast<int64_t>(dim);
  const DType moved_type = emit_.dtype(from);
  const Arg zero = is_floating(moved_type) ? Arg{0.0} : Arg{int64_t{0}};
  const TensorId moved = emit_.call(
      "aten.index_add.default",
      {tensor_arg(emit_.full(more, zero, moved_type)), {axis}, tensor_arg(place), tensor_arg(from)},
      moved_type, more);
  Padded result = x;
  result.id = emit_.slice(moved, axis, 0, extent.bound);
  if (is_bool(dtype)) result.id = emit_.compare("ne", result.id, emit_.number(0));
  result.dims[dim] = {extent.bound, emit_.compare("lt", emit_.arange(extent.bound), count(extent)),
                      true};
  return result;
}

Padded Padder::resized(const Padded& x, size_t dim, const Extent& to) {
  Padded result = packed(x, dim);
  const int64_t bound = result.dims[dim].bound;
  const auto axis = static_cast<int64_t>(dim);
  if (bound > to.bound) {
    result.id = emit_.slice(result.id, axis, 0, to.bound);
  } else if (bound < to.bound) {
    Shape rest = emit_.shape(result.id);
    rest[dim] = to.bound - bound;
    const DType dtype = emit_.dtype(result.id);
    const Arg zero = is_bool(dtype) ? Arg{false} : is_floating(dtype) ? Arg{0.0} : Arg{int64_t{0}};
    result.id = emit_.cat({result.id, emit_.full(rest, zero, dtype)}, axis);
  }
  const TensorId here = count(x.dims[dim]), wanted = count(to);
  if (here != wanted) demand(emit_.compare("eq", here, wanted));
  result.dims[dim] = to;
  return result;
}

Extent Padder::unify(const std::vector<std::pair<Padded*, size_t>>& dims) {
  const auto extent = [&](size_t i) { return dims[i].first->dims[dims[i].second]; };
  Extent least = extent(0);
  bool same = true;
  for (size_t i = 1; i < dims.size(); ++i) {
    same = same && extent(i) == extent(0);
    if (extent(i).bound < least.bound || (extent(i).is_known() && !least.is_known()))
      least = extent(i);
  }
  if (same) return least;
  if (!least.packed) {
    Padded front{least.mask, {least}};
    least = packed(front, 0).dims[0];
  }
  for (const auto& [operand, dim] : dims)
    if (operand->dims[dim] != least) *operand = resized(*operand, dim, least);
  return least;
}

}  // namespace assay::unbacked
