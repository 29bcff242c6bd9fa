// Elements that others choose: tables, gathers, scatters, one-hot rows.
#include <algorithm>
#include <array>

#include "tests/fuzz/drawing/operator_drawing.h"

namespace assay::test {
void OperatorDrawing::add_take() {
  const Placed* found = find([](const Placed& placed) {
    return placed.shape.size() == 2 && !is_bool(placed.dtype) && placed.shape[0] > 0;
  });
  const Placed table =
      replicated(found != nullptr ? *found : new_input({size() + 1, size()}, DType::kFloat32));
  const bool selects = one_in(3);
  Placed ids = summed(indices(selects ? Shape{size()} : shape(), table.shape[0]));
  Shape shape = ids.shape;
  shape.push_back(table.shape[1]);
  if (element_count(shape) > kMostElements) return;
  keep(program_.call(
      selects ? "aten.index_select.default" : "aten.embedding.default",
      [&](Side s) {
        return selects ? std::vector<Argument>{table[s], 0, ids[s]}
                       : std::vector<Argument>{table[s], ids[s]};
      },
      shape, table.dtype, ids.placement));
}

void OperatorDrawing::add_gather() {
  const Placed* found = find([](const Placed& placed) {
    return !placed.shape.empty() && element_count(placed.shape) > 0;
  });
  if (found == nullptr) return;
  const size_t dim = dim_of(found->shape);
  Placed x = whole_along(*found, dim);
  Shape shape = x.shape;
  shape[dim] = 1 + below(3);
  Placed ids = replicated(indices(shape, x.shape[dim]));
  if (x.placement.is_sharded()) ids = program_.shard(ids, x.placement.dim, x.placement.sizes);
  keep(program_.call(
      "aten.gather.default",
      [&](Side s) { return std::vector<Argument>{x[s], static_cast<int64_t>(dim), ids[s]}; }, shape,
      x.dtype, x.placement));
}

void OperatorDrawing::add_scatter() {
  const Placed* found = find([](const Placed& placed) {
    return !placed.shape.empty() && !is_bool(placed.dtype) && element_count(placed.shape) > 0;
  });
  if (found == nullptr) return;
  const size_t dim = dim_of(found->shape);
  Placed x = whole_along(*found, dim);
  Shape shape = x.shape;
  shape[dim] = 1 + below(3);
  Placed ids = replicated(indices(shape, x.shape[dim]));
  Placed source = replicated(of_shape(shape, x.dtype));
  if (x.placement.is_sharded()) {
    ids = program_.shard(ids, x.placement.dim, x.placement.sizes);
    source = program_.shard(source, x.placement.dim, x.placement.sizes);
  }
  keep(program_.call(
      one_in(3) ? "aten.scatter.src" : "aten.scatter_add.default",
      [&](Side s) {
        return std::vector<Argument>{x[s], static_cast<int64_t>(dim), ids[s], source[s]};
      },
      x.shape, x.dtype, x.placement));
}

void OperatorDrawing::add_one_hot() {
  const Placed* found = find([](const Placed& placed) {
    return placed.dtype == DType::kInt64 && element_count(placed.shape) <= 40;
  });
  if (found == nullptr) return;
  const Placed ids = summed(*found);
  const int64_t classes = ids.below > 0 ? ids.below : 2 + below(4);
  if (ids.below == 0 && !one_in(4)) return;
  Shape shape = ids.shape;
  shape.push_back(classes);
  keep(program_.call(
      "aten.one_hot.default", [&](Side s) { return std::vector<Argument>{ids[s], classes}; }, shape,
      DType::kInt64, ids.placement));
}

}  // namespace assay::test
