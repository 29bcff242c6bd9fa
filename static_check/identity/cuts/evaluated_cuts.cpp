#include "static_check/identity/cuts/evaluated_cuts.h"

namespace assay::identity {
namespace {

// That part of a tensor, which has this shape.
Tensor part_of(const Tensor& whole, const Cuts::Part& part, const Shape& shape) {
  if (whole.shape == shape) return whole;
  Tensor result{shape, {}};
  size_t inner = 1;
  for (size_t d = part.dim + 1; d < shape.size(); ++d) inner *= static_cast<size_t>(shape[d]);
  const size_t run = static_cast<size_t>(shape[part.dim]) * inner,
               stride = static_cast<size_t>(whole.shape[part.dim]) * inner,
               start = static_cast<size_t>(part.start) * inner;
  for (size_t at = start; at < whole.values.size(); at += stride)
    result.values.insert(result.values.end(), whole.values.begin() + static_cast<ptrdiff_t>(at),
                         whole.values.begin() + static_cast<ptrdiff_t>(at + run));
  return result;
}

// Of that sign.
Tensor any_numbers(Algebra& algebra, CoreId id, const Shape& shape, Sign sign) {
  Tensor result{shape, {}};
  const auto count = static_cast<uint64_t>(element_count(shape));
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t keys[] = {static_cast<uint64_t>(id), i};
    result.values.push_back(algebra.signed_as(algebra.random("any number", keys), sign));
  }
  return result;
}

// A collective that is run is not what it may be cut to.
bool is_run(const Scope& scope, Rank rank, CoreId id) {
  return scope.cone != nullptr && scope.cone->calls(rank, id);
}

}  // namespace

std::optional<Tensor> free_value(Algebra& algebra, const Scope& scope, CoreId id,
                                 const Shape& shape) {
  if (scope.cuts == nullptr || is_run(scope, kNone, id)) return std::nullopt;
  const std::optional<Sign> sign = scope.cuts->free_sign(id);
  return sign ? std::optional(any_numbers(algebra, id, shape, *sign)) : std::nullopt;
}

std::optional<Tensor> cut_value(const Scope& scope, Rank rank, CoreId id, const Shape& shape,
                                const std::vector<std::vector<Tensor>>& sequential) {
  if (scope.cuts == nullptr || is_run(scope, rank, id)) return std::nullopt;
  const Cuts::Part* part = scope.cuts->find(rank, id);
  if (part == nullptr) return std::nullopt;
  return part_of(sequential[0][static_cast<size_t>(part->of)], *part, shape);
}

}  // namespace assay::identity
