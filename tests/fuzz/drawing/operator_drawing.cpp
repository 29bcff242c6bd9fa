#include "tests/fuzz/drawing/operator_drawing.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace assay::test {
namespace {

constexpr std::array<int64_t, 10> kSizes = {1, 2, 2, 3, 4, 4, 5, 6, 8, 8};

}  // namespace

int64_t OperatorDrawing::size() { return one_in(60) ? 0 : one_of(kSizes); }

Shape OperatorDrawing::shape() {
  Shape made;
  for (int64_t rank = one_in(12) ? 0 : 1 + below(3); rank > 0; --rank) made.push_back(size());
  while (element_count(made) > kMostElements) made.pop_back();
  return made;
}

std::vector<int64_t> OperatorDrawing::parts_of(int64_t size) {
  const auto members = static_cast<int64_t>(program_.members());
  std::vector<int64_t> parts(program_.members(), size / members);
  if (size % members == 0 && !one_in(8)) return parts;
  // As torch.chunk has it, or anyhow.
  const int64_t chunk = (size + members - 1) / members;
  int64_t left = size;
  for (int64_t& part : parts) {
    part = std::min(left, one_in(4) ? below(left + 1) : chunk);
    left -= part;
  }
  parts.back() += left;
  return parts;
}

DType OperatorDrawing::dtype() {
  constexpr std::array kDTypes = {DType::kFloat32, DType::kFloat32,  DType::kFloat32,
                                  DType::kFloat32, DType::kBFloat16, DType::kInt64,
                                  DType::kInt64,   DType::kInt32,    DType::kBool};
  return one_of(kDTypes);
}

Placed OperatorDrawing::new_input(const Shape& shape, DType dtype, int64_t below_bound) {
  Placement placement;
  const int64_t kind = below(4);
  if (kind <= 1 && !shape.empty()) {
    const size_t dim = one_in(3) ? dim_of(shape) : 0;
    placement = sharded(dim, parts_of(shape[dim]));
  } else if (kind == 2 && is_floating(dtype) && one_in(3) && program_.members() > 1) {
    placement = partial();
  }
  keep(program_.input(shape, dtype, placement, below_bound));
  return pool_.back();
}

Placed OperatorDrawing::constant(const Shape& shape, DType dtype) {
  const int64_t value = is_bool(dtype) ? below(2) : below(4) - 1;
  keep(program_.call("aten.full.default",
                     [&](Side) { return std::vector<Argument>{integers(shape), value, dtype}; },
                     shape, dtype, {}));
  return pool_.back();
}

template <typename Fits>
const Placed* OperatorDrawing::find(const Fits& fits) {
  std::vector<const Placed*> found;
  for (const Placed& placed : pool_)
    if (fits(placed)) found.push_back(&placed);
  if (found.empty()) return nullptr;
  // Later ones more often: programs grow deep.
  const auto count = std::ssize(found);
  return found[static_cast<size_t>(std::max(below(count), below(count)))];
}

Placed OperatorDrawing::any_float() {
  const Placed* found =
      one_in(8) ? nullptr : find([](const Placed& placed) { return is_floating(placed.dtype); });
  return found != nullptr ? *found : new_input(shape(), DType::kFloat32);
}

Placed OperatorDrawing::of_shape(const Shape& shape, DType dtype) {
  const Placed* found = one_in(8) ? nullptr : find([&](const Placed& placed) {
    return placed.shape == shape && placed.dtype == dtype;
  });
  if (found != nullptr) return *found;
  return one_in(5) ? constant(shape, dtype) : new_input(shape, dtype);
}

Placed OperatorDrawing::fitting(const Shape& shape, DType dtype) {
  if (!one_in(3)) return of_shape(shape, dtype);
  Shape smaller(shape.begin() + below(std::ssize(shape) + 1), shape.end());
  for (int64_t& one : smaller)
    if (one_in(4)) one = 1;
  return of_shape(smaller, dtype);
}

Placed OperatorDrawing::indices(const Shape& shape, int64_t bound) {
  const Placed* found = one_in(4) ? nullptr : find([&](const Placed& placed) {
    return placed.shape == shape && placed.dtype == DType::kInt64 && placed.below > 0 &&
           placed.below <= bound;
  });
  return found != nullptr ? *found : new_input(shape, DType::kInt64, bound);
}

Placed OperatorDrawing::summed(const Placed& x) {
  if (!x.placement.is_partial()) return x;
  const auto members = static_cast<int64_t>(program_.members());
  if (!x.shape.empty() && x.shape[0] % members == 0 && one_in(2)) return program_.reduce_scatter(x);
  return replicated(x);
}

Placed OperatorDrawing::whole_along(const Placed& x, size_t dim) {
  const Placed made = summed(x);
  return made.placement.is_sharded() && made.placement.dim == dim ? replicated(made) : made;
}

Placement OperatorDrawing::align(std::vector<Placed>& operands, const Shape& result, bool linear) {
  const auto is_partial = [](const Placed& x) { return x.placement.is_partial(); };
  if (linear && std::ranges::all_of(operands, is_partial)) return partial();
  Placement placement;
  for (Placed& x : operands) {
    x = summed(x);
    if (!x.placement.is_sharded()) continue;
    const size_t dim = result.size() - x.shape.size() + x.placement.dim;
    if (!placement.is_sharded() && result[dim] == x.shape[x.placement.dim])
      placement = sharded(dim, x.placement.sizes);
  }
  for (Placed& x : operands) {
    const size_t ahead = result.size() - x.shape.size();
    const bool split = placement.is_sharded() && placement.dim >= ahead &&
                       x.shape[placement.dim - ahead] == result[placement.dim];
    const Placement wanted = split ? sharded(placement.dim - ahead, placement.sizes) : Placement();
    if (x.placement == wanted) continue;
    x = replicated(x);
    if (split) x = program_.shard(x, wanted.dim, wanted.sizes);
  }
  return placement;
}

void OperatorDrawing::pointwise(const std::string& op, std::vector<Placed> operands,
                                std::vector<Argument> more, DType dtype, bool linear) {
  Shape result;
  for (const Placed& x : operands) {
    if (x.shape.size() > result.size())
      result.insert(result.begin(), x.shape.size() - result.size(), 1);
    for (size_t d = result.size() - x.shape.size(), i = 0; i < x.shape.size(); ++d, ++i)
      if (x.shape[i] != 1) result[d] = x.shape[i];
  }
  if (element_count(result) > kMostElements) return;
  const Placement placement = align(operands, result, linear);
  keep(program_.call(
      op,
      [&](Side s) {
        std::vector<Argument> args;
        for (const Placed& x : operands) args.push_back(x[s]);
        args.insert(args.end(), more.begin(), more.end());
        return args;
      },
      result, dtype, placement));
}

void OperatorDrawing::add_any() {
  struct Kind {
    void (OperatorDrawing::*add)();
    int weight;
  };
  using D = OperatorDrawing;
  static constexpr std::array<Kind, 28> kKinds = {{
      {&D::add_unary, 5},        {&D::add_binary, 9},
      {&D::add_scalar, 5},       {&D::add_comparison, 4},
      {&D::add_logic, 2},        {&D::add_choice, 4},
      {&D::add_cast, 3},         {&D::add_permute, 4},
      {&D::add_view, 4},         {&D::add_expand, 2},
      {&D::add_slice, 4},        {&D::add_cat, 4},
      {&D::add_pad, 2},          {&D::add_split, 2},
      {&D::add_reduction, 6},    {&D::add_whole_reduction, 1},
      {&D::add_row_function, 4}, {&D::add_norm, 2},
      {&D::add_product, 7},      {&D::add_batched_product, 2},
      {&D::add_take, 3},         {&D::add_gather, 2},
      {&D::add_scatter, 2},      {&D::add_one_hot, 2},
      {&D::add_triangle, 1},     {&D::add_source, 1},
      {&D::add_write, 4},        {&D::add_reshard, 3},
  }};
  static constexpr int kTotal = [] {
    int total = 0;
    for (const Kind& kind : kKinds) total += kind.weight;
    return total;
  }();
  int64_t drawn = below(kTotal);
  for (const Kind& kind : kKinds) {
    drawn -= kind.weight;
    if (drawn < 0) return (this->*kind.add)();
  }
}

}  // namespace assay::test
