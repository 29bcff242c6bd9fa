// Elements elsewhere: views, concatenations, padding, and tensors made of nothing.
#include <algorithm>
#include <array>
#include <numeric>

#include "tests/fuzz/drawing/operator_drawing.h"

namespace assay::test {
namespace {

bool is_any(const Placed&) { return true; }

}  // namespace

void OperatorDrawing::add_permute() {
  const Placed* found = find(has_dims);
  if (found == nullptr) return;
  const Placed x = *found;
  std::vector<int64_t> dims(x.shape.size());
  std::iota(dims.begin(), dims.end(), 0);
  for (size_t left = dims.size(); left > 1; --left)
    std::swap(dims[left - 1], dims[static_cast<size_t>(below(static_cast<int64_t>(left)))]);
  Shape shape;
  for (const int64_t d : dims) shape.push_back(x.shape[static_cast<size_t>(d)]);
  Placement placement = x.placement;
  if (placement.is_sharded())
    placement.dim = static_cast<size_t>(
        std::ranges::find(dims, static_cast<int64_t>(placement.dim)) - dims.begin());
  Placed made = program_.call(
      "aten.permute.default", [&](Side s) { return std::vector<Argument>{x[s], integers(dims)}; },
      shape, x.dtype, placement);
  made.below = x.below;
  made.copied = x.copied;
  keep(std::move(made));
}

// Dimensions before and after the sharded one are joined or split; of whole tensors all.
void OperatorDrawing::add_view() {
  const Placed* found = find(is_any);
  if (found == nullptr) return;
  const Placed x = one_in(3) ? replicated(*found) : *found;
  const auto split = [&](int64_t count, Shape& into) {
    if (count == 0) return into.push_back(0);
    for (int64_t left = count; left > 1;) {
      int64_t one = 1 + below(left);
      while (left % one != 0) --one;
      if (std::ssize(into) >= 3) one = left;
      into.push_back(one);
      left /= one;
    }
  };
  Shape shape;
  Placement placement = x.placement;
  if (placement.is_sharded()) {
    const auto at = x.shape.begin() + static_cast<ptrdiff_t>(placement.dim);
    split(element_count({x.shape.begin(), at}), shape);
    placement.dim = shape.size();
    shape.push_back(*at);
    split(element_count({at + 1, x.shape.end()}), shape);
  } else {
    split(element_count(x.shape), shape);
  }
  if (element_count(shape) != element_count(x.shape)) return;
  Placed made = program_.call(
      one_in(2) ? "aten.reshape.default" : "aten.view_copy.default",
      [&](Side s) {
        return std::vector<Argument>{x[s], integers(program_.local(shape, placement, s))};
      },
      shape, x.dtype, placement);
  made.copied = true;  // perhaps
  keep(std::move(made));
}

void OperatorDrawing::add_expand() {
  const Placed* found = find(is_any);
  if (found == nullptr) return;
  const Placed x = *found;
  Shape shape = x.shape;
  Placement placement = x.placement;
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] == 1 && !(placement.is_sharded() && placement.dim == d)) shape[d] = size();
  if (one_in(2) && shape.size() < 4) {
    shape.insert(shape.begin(), 1 + below(3));
    if (placement.is_sharded()) ++placement.dim;
  }
  if (element_count(shape) > kMostElements) return;
  Placed made = program_.call(
      "aten.expand.default",
      [&](Side s) {
        return std::vector<Argument>{x[s], integers(program_.local(shape, placement, s))};
      },
      shape, x.dtype, placement);
  made.copied = true;  // nobody may write into it
  keep(std::move(made));
}

void OperatorDrawing::add_slice() {
  const Placed* found = find(has_dims);
  if (found == nullptr) return;
  const size_t dim = dim_of(found->shape);
  const Placed x = whole_along(*found, dim);
  const int64_t count = x.shape[dim];
  if (count == 0) return;
  Shape shape = x.shape;
  const bool selects = one_in(3);
  const int64_t start = below(count), end = start + 1 + below(count - start);
  const int64_t step = one_in(4) ? 2 : 1;
  Placement placement = x.placement;
  if (selects) {
    shape.erase(shape.begin() + static_cast<ptrdiff_t>(dim));
    if (placement.is_sharded() && placement.dim > dim) --placement.dim;
  } else {
    shape[dim] = (end - start + step - 1) / step;
  }
  Placed made = program_.call(
      selects ? "aten.select.int" : "aten.slice.Tensor",
      [&](Side s) {
        std::vector<Argument> args{x[s], static_cast<int64_t>(dim), start};
        if (!selects) args.insert(args.end(), {end, step});
        return args;
      },
      shape, x.dtype, placement);
  made.below = x.below;
  made.copied = x.copied;
  keep(std::move(made));
}

void OperatorDrawing::add_cat() {
  const Placed* found = find(has_dims);
  if (found == nullptr) return;
  std::vector<Placed> parts = {*found};
  const size_t dim = dim_of(found->shape);
  for (int64_t more = 1 + below(2); more > 0; --more)
    parts.push_back(one_in(3) ? parts[0] : of_shape(parts[0].shape, parts[0].dtype));
  const bool stacks = one_in(3) && parts[0].shape.size() < 4;
  for (Placed& part : parts)
    if (!stacks) part = whole_along(part, dim);
  // All as the first.
  Placement placement = align(parts, parts[0].shape, true);
  if (!stacks && placement.is_sharded() && placement.dim == dim) {
    for (Placed& part : parts) part = replicated(part);
    placement = {};
  }
  Shape shape = parts[0].shape;
  const auto count = std::ssize(parts);
  if (stacks) {
    shape.insert(shape.begin() + static_cast<ptrdiff_t>(dim), count);
    if (placement.is_sharded() && placement.dim >= dim) ++placement.dim;
  } else {
    shape[dim] *= count;
  }
  if (element_count(shape) > kMostElements) return;
  keep(program_.call(
      stacks ? "aten.stack.default" : "aten.cat.default",
      [&](Side s) {
        std::vector<Argument> list;
        for (const Placed& part : parts) list.push_back(part[s]);
        return std::vector<Argument>{list, static_cast<int64_t>(dim)};
      },
      shape, parts[0].dtype, placement));
}

void OperatorDrawing::add_pad() {
  const Placed* found =
      find([](const Placed& placed) { return !placed.shape.empty() && !is_bool(placed.dtype); });
  if (found == nullptr) return;
  const size_t dim = found->shape.size() - 1;
  const Placed x = whole_along(*found, dim);
  const int64_t before = below(3), after = below(3);
  if (one_in(3)) {
    const auto d = static_cast<int64_t>(dim_of(x.shape));
    const Placed whole = whole_along(x, static_cast<size_t>(d));
    const bool rolls = one_in(2);
    keep(program_.call(
        rolls ? "aten.roll.default" : "aten.flip.default",
        [&](Side s) {
          std::vector<Argument> args{whole[s]};
          if (rolls) args.push_back(std::vector<Argument>{before});
          args.push_back(std::vector<Argument>{d});
          return args;
        },
        x.shape, x.dtype, whole.placement));
    return;
  }
  const int64_t value = one_in(3) ? below(3) - 1 : 0;
  Shape shape = x.shape;
  shape[dim] += before + after;
  keep(program_.call(
      "aten.constant_pad_nd.default",
      [&](Side s) { return std::vector<Argument>{x[s], integers({before, after}), value}; }, shape,
      x.dtype, x.placement));
}

void OperatorDrawing::add_split() {
  const Placed* found = find(has_dims);
  if (found == nullptr) return;
  const size_t dim = dim_of(found->shape);
  const Placed x = whole_along(*found, dim);
  if (x.shape[dim] < 2) return;
  const int64_t each = 1 + below(x.shape[dim] - 1);
  std::vector<TensorType> results;
  for (int64_t left = x.shape[dim]; left > 0; left -= each) {
    results.push_back({x.shape, x.dtype});
    results.back().shape[dim] = std::min(left, each);
  }
  for (Placed& made : program_.call_many(
           "aten.split.Tensor",
           [&](Side s) { return std::vector<Argument>{x[s], each, static_cast<int64_t>(dim)}; },
           results, x.placement)) {
    made.copied = x.copied;
    made.below = x.below;
    keep(std::move(made));
  }
}

void OperatorDrawing::add_triangle() {
  const Placed* found =
      find([](const Placed& placed) { return placed.shape.size() >= 2 && !is_bool(placed.dtype); });
  if (found == nullptr) return;
  const size_t rank = found->shape.size();
  const Placed x = whole_along(whole_along(*found, rank - 1), rank - 2);
  const int64_t diagonal = below(5) - 2;
  keep(program_.call(
      one_in(2) ? "aten.tril.default" : "aten.triu.default",
      [&](Side s) { return std::vector<Argument>{x[s], diagonal}; }, x.shape, x.dtype,
      x.placement));
}

void OperatorDrawing::add_source() {
  const int64_t count = 1 + below(8);
  if (one_in(2)) {
    keep(constant(shape(), dtype()));
    return;
  }
  Placed made =
      program_.call("aten.arange.default", [&](Side) { return std::vector<Argument>{count}; },
                    {count}, DType::kInt64, {});
  made.below = count;
  keep(std::move(made));
}

void OperatorDrawing::add_reshard() {
  const Placed* found = find(is_any);
  if (found == nullptr) return;
  Placed x = *found;
  if (x.placement.kind != Placement::Kind::kReplicated) {
    x = one_in(2) ? summed(x) : replicated(x);
  } else if (!x.shape.empty()) {
    const size_t dim = dim_of(x.shape);
    x = program_.shard(x, dim, parts_of(x.shape[dim]));
  }
  keep(std::move(x));
}

}  // namespace assay::test
