// Many elements to one: reductions, functions of rows, norms, products of matrices.
#include <algorithm>
#include <array>

#include "tests/fuzz/drawing/operator_drawing.h"

namespace assay::test {
namespace {

bool has_float_dims(const Placed& placed) {
  return !placed.shape.empty() && is_floating(placed.dtype) && element_count(placed.shape) > 0;
}

DType of_sum(DType dtype) { return is_floating(dtype) ? dtype : DType::kInt64; }

}  // namespace

void OperatorDrawing::add_reduction() {
  const Placed* found = find(has_dims);
  if (found == nullptr) return;
  Placed x = *found;
  const size_t dim = dim_of(x.shape);
  const bool keeps = one_in(3);
  enum { kSum, kMean, kMax, kMin, kAny, kAll };
  int64_t kind = std::array{kSum, kSum, kSum, kMean, kMax, kMin}[static_cast<size_t>(below(6))];
  if (is_bool(x.dtype)) kind = std::array{kSum, kAny, kAll}[static_cast<size_t>(below(3))];
  if (kind == kMean && !is_floating(x.dtype)) kind = kSum;
  const bool extremum = kind == kMax || kind == kMin;
  if (x.shape[dim] == 0 && kind != kSum) return;
  if (kind != kSum) x = summed(x);
  const bool along = x.placement.is_sharded() && x.placement.dim == dim;
  const bool empty_part =
      along && std::ranges::find(x.placement.sizes, 0) != x.placement.sizes.end();
  if (along && (!(extremum || kind == kSum) || (extremum && empty_part))) x = replicated(x);
  const bool reduces_parts = x.placement.is_sharded() && x.placement.dim == dim;
  Placement placement = reduces_parts ? Placement() : x.placement;
  if (reduces_parts && kind == kSum) placement = partial();
  Shape shape = x.shape;
  if (keeps) {
    shape[dim] = 1;
  } else {
    shape.erase(shape.begin() + static_cast<ptrdiff_t>(dim));
    if (placement.is_sharded() && placement.dim > dim) --placement.dim;
  }
  constexpr std::array kOps = {"aten.sum.dim_IntList", "aten.mean.dim", "aten.amax.default",
                               "aten.amin.default",    "aten.any.dim",  "aten.all.dim"};
  const bool lists = kind != kAny && kind != kAll;
  const DType dtype = kind == kSum ? of_sum(x.dtype) : x.dtype;
  const auto d = static_cast<int64_t>(dim);
  Placed made = program_.call(
      kOps[static_cast<size_t>(kind)],
      [&](Side s) {
        return std::vector<Argument>{x[s], lists ? Argument(std::vector<Argument>{d}) : Argument(d),
                                     keeps};
      },
      shape, dtype, placement);
  if (reduces_parts && extremum)
    made = program_.reduce_extremum(made, kind == kMax ? "max" : "min");
  keep(std::move(made));
}

void OperatorDrawing::add_whole_reduction() {
  const Placed* found = find(has_dims);
  if (found == nullptr) return;
  const Placed x = *found;
  const Placement placement = x.placement.is_sharded() ? partial() : x.placement;
  keep(program_.call(
      "aten.sum.default", [&](Side s) { return std::vector<Argument>{x[s]}; }, {}, of_sum(x.dtype),
      placement));
}

void OperatorDrawing::add_row_function() {
  const Placed* found = find(has_float_dims);
  if (found == nullptr) return;
  const size_t dim = dim_of(found->shape);
  const Placed x = whole_along(*found, dim);
  const auto d = static_cast<int64_t>(dim);
  const auto call = [&](const char* op, std::vector<Argument> more, const Shape& shape, DType dtype,
                        const Placement& placement) {
    keep(program_.call(
        op,
        [&](Side s) {
          std::vector<Argument> args{x[s], d};
          args.insert(args.end(), more.begin(), more.end());
          return args;
        },
        shape, dtype, placement));
  };
  Shape reduced = x.shape;
  reduced.erase(reduced.begin() + static_cast<ptrdiff_t>(dim));
  Placement beside = x.placement;
  if (beside.is_sharded() && beside.dim > dim) --beside.dim;
  switch (below(6)) {
    case 0:
    case 1:
      return call("aten._softmax.default", {false}, x.shape, x.dtype, x.placement);
    case 2:
      return call("aten._log_softmax.default", {false}, x.shape, x.dtype, x.placement);
    case 3:
      return call("aten.cumsum.default", {}, x.shape, x.dtype, x.placement);
    case 4:
      return call("aten.argmax.default", {false}, reduced, DType::kInt64, beside);
    default:
      return call("aten.logsumexp.default", {false}, reduced, x.dtype, beside);
  }
}

void OperatorDrawing::add_norm() {
  const Placed* found = find(has_float_dims);
  if (found == nullptr) return;
  const size_t last = found->shape.size() - 1;
  const Placed x = whole_along(*found, last);
  const Placed weight = replicated(of_shape({x.shape[last]}, x.dtype));
  Shape statistics = x.shape;
  statistics[last] = 1;
  const bool biased = one_in(2);
  const Placed bias = biased ? replicated(of_shape({x.shape[last]}, x.dtype)) : weight;
  const auto results = program_.call_many(
      "aten.native_layer_norm.default",
      [&](Side s) {
        return std::vector<Argument>{x[s], std::vector<Argument>{x.shape[last]}, weight[s],
                                     biased ? Argument(bias[s]) : Argument(NoArg{}), 1e-5};
      },
      {{x.shape, x.dtype}, {statistics, x.dtype}, {statistics, x.dtype}}, x.placement);
  keep(results[0]);
  if (one_in(4)) keep(results[1]);
  if (one_in(4)) keep(results[2]);
}

// [rows, inner] * [inner, columns], each dimension sharded or not.
void OperatorDrawing::add_product() {
  const Placed* found = find(
      [](const Placed& placed) { return placed.shape.size() == 2 && is_floating(placed.dtype); });
  Placed x = found != nullptr ? *found : new_input({size(), size()}, DType::kFloat32);
  const int64_t rows = x.shape[0], inner = x.shape[1];
  const bool linear = one_in(3);
  const int64_t columns = one_in(2) ? inner : size();
  if (rows * columns > kMostElements) return;
  Placed y = of_shape(linear ? Shape{columns, inner} : Shape{inner, columns}, x.dtype);
  const size_t inner_of_y = linear ? 1 : 0, columns_of_y = 1 - inner_of_y;
  x = summed(x);
  Placement placement;
  if (x.placement.is_sharded() && x.placement.dim == 0) {
    y = replicated(y);
    placement = sharded(0, x.placement.sizes);
  } else if (x.placement.is_sharded()) {
    if (y.placement != sharded(inner_of_y, x.placement.sizes))
      y = program_.shard(replicated(y), inner_of_y, x.placement.sizes);
    placement = partial();
  } else {
    y = y.placement.is_partial() && one_in(2) ? y : summed(y);
    if (y.placement.is_partial()) {
      placement = partial();
    } else if (y.placement.is_sharded() && y.placement.dim == columns_of_y) {
      placement = sharded(1, y.placement.sizes);
    } else if (y.placement.is_sharded()) {
      x = program_.shard(x, 1, y.placement.sizes);
      placement = partial();
    }
  }
  const bool biased = linear && one_in(3) && !placement.is_partial();
  Placed bias = y;
  if (biased) {
    bias = replicated(of_shape({columns}, x.dtype));
    if (placement.is_sharded() && placement.dim == 1)
      bias = program_.shard(bias, 0, placement.sizes);
  }
  keep(program_.call(
      linear ? "aten.linear.default" : "aten.mm.default",
      [&](Side s) {
        std::vector<Argument> args{x[s], y[s]};
        if (biased) args.push_back(bias[s]);
        return args;
      },
      {rows, columns}, x.dtype, placement));
}

void OperatorDrawing::add_batched_product() {
  const Placed* found = find(
      [](const Placed& placed) { return placed.shape.size() == 3 && is_floating(placed.dtype); });
  Placed x = found != nullptr ? *found : new_input({size(), size(), size()}, DType::kFloat32);
  const Shape shape = {x.shape[0], x.shape[1], size()};
  if (element_count(shape) > kMostElements) return;
  Placed y = of_shape({x.shape[0], x.shape[2], shape[2]}, x.dtype);
  x = whole_along(whole_along(x, 2), 1);
  y = replicated(y);
  if (x.placement.is_sharded()) y = program_.shard(y, 0, x.placement.sizes);
  keep(program_.call(
      "aten.bmm.default", [&](Side s) { return std::vector<Argument>{x[s], y[s]}; }, shape, x.dtype,
      x.placement));
}

}  // namespace assay::test
