// Sums over dimensions.
#include <algorithm>

#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/layout.h"
#include "static_check/algebra/restriction.h"
#include "static_check/lift/arithmetic/parts.h"
#include "static_check/lift/operators.h"
#include "static_check/lift/reduction/reduced_dims.h"

namespace assay {

namespace {

// A guard that varies along a summed dimension becomes a factor: 1 where the integer lies in the
// intervals, else 0.
Term indicator(Lifting& lifting, const Restriction& guard, const Shape& size) {
  Tile tile;
  PiecewiseAffine mask;
  mask.atom = guard.atom;
  mask.layout = guard.where;
  Int at = INT64_MIN;
  for (const Interval& interval : guard.intervals) {
    if (at < interval.lo) mask.pieces.push_back({{at, interval.lo}, 0, 0});
    mask.pieces.push_back({interval, 0, 1});
    at = interval.hi;
  }
  if (at < INT64_MAX) mask.pieces.push_back({{at, INT64_MAX}, 0, 0});
  tile.integer.push_back(std::move(mask));
  return materialize(lifting, tile, size, DType::kBool);
}

struct SumRequest {
  Request request;
  Term seen;  // the summed term, of which the atom and the layout are still to be set
};

SumRequest sum_request(const Term& term, const Shape& size, std::span<const Int> dims,
                       DType dtype) {
  SumRequest sum{{}, term};
  sum.request.kind = Instance::Kind::kSum;
  sum.request.dtype = dtype;
  sum.request.operands = {{term.atom, term.layout.offset}};
  const Int repeats = add_reduction_labels(sum.request, term.layout, size, dims);
  sum.seen.coef = sum.seen.coef * Rational(repeats);
  drop_dims(sum.seen.restrictions, dims);
  return sum;
}

std::vector<Term> seen_through(Lifting& lifting, Term result, const Lifted& lifted) {
  result.atom = lifted.atom;
  result.layout = lifted.layout;
  result.restrictions.insert(result.restrictions.end(), lifted.boxes.begin(), lifted.boxes.end());
  if (!normalize(result.restrictions) || !absorb_guards(lifting, result)) return {};
  return {std::move(result)};
}

// A shard of one element along the summed dimension is still a part of a known sum.
std::optional<std::vector<Term>> part_of_known_sum(Lifting& lifting, SumRequest sum) {
  if (sum.seen.atom == lifting.one()) return std::nullopt;
  const auto lifted = lifting.find(sum.request);
  return lifted ? std::optional(seen_through(lifting, std::move(sum.seen), *lifted)) : std::nullopt;
}

// The sum of a product of which some factors rescale all that is summed: they multiply the sum of
// the others. nullopt where there are none.
std::optional<std::vector<Term>> rescaled_sum(Lifting& lifting, const Term& term, const Shape& size,
                                              std::span<const Int> dims, DType dtype) {
  if (!lifting.is_instance(term.atom, Instance::Kind::kMul)) return std::nullopt;
  std::vector<Term> factors = factors_of(lifting, view_of(term.atom, term.layout));
  const auto scales = std::stable_partition(factors.begin(), factors.end(), [&](const Term& one) {
    return varies(one.layout, dims) || !is_scale(lifting, one.atom);
  });
  const bool moves = std::any_of(factors.begin(), scales,
                                 [&](const Term& one) { return varies(one.layout, dims); });
  if (scales == factors.end() || !moves) return std::nullopt;
  const Value product = product_of(lifting, {factors.begin(), scales}, size, dtype);
  std::vector<Term> result;
  for (Term part : product.tiles.at(0).terms) {
    part.coef = part.coef * term.coef;
    part.restrictions.insert(part.restrictions.end(), term.restrictions.begin(),
                             term.restrictions.end());
    if (!normalize(part.restrictions)) continue;
    const Shape kept = drop_dims(size, dims);
    for (const Term& sum : sum_term(lifting, part, size, dims, dtype)) {
      Value scaled = single_term(kept, sum);
      for (auto factor = scales; factor != factors.end(); ++factor) {
        Term scale = *factor;
        scale.layout = drop_dims(scale.layout, dims);
        scaled = multiply(lifting, scaled, single_term(kept, scale), dtype);
      }
      const auto& terms = scaled.tiles.at(0).terms;
      result.insert(result.end(), terms.begin(), terms.end());
    }
  }
  return result;
}

// The sums over pieces that lie too far apart to be one block of a known sum, such as the first and
// the last rows; nullopt unless all are parts of one known sum.
std::optional<std::vector<Term>> sum_of_pieces(Lifting& lifting, const Term& term,
                                               const Shape& size, std::span<const Int> dims,
                                               DType dtype) try {
  constexpr Int kMostPieces = 16;
  if (lifting.is_sequential() || lifting.knows_only()) return std::nullopt;
  const auto apart = std::find_if(dims.begin(), dims.end(), [&](Int d) {
    const auto& modes = term.layout.dims[static_cast<size_t>(d)];
    return modes.size() > 1 && modes[0].stride != 0 && modes[0].size <= kMostPieces;
  });
  if (apart == dims.end() || any_is(term.restrictions, Restriction::Kind::kGuard))
    return std::nullopt;
  const auto d = static_cast<size_t>(*apart);
  const Mode pieces = term.layout.dims[d][0];
  Term piece = term;
  piece.layout.dims[d].erase(piece.layout.dims[d].begin());
  Shape piece_size = size;
  piece_size[d] /= pieces.size;
  const Lifting::KnownOnly guard(lifting);
  std::vector<Term> result;
  for (Int i = 0; i < pieces.size; ++i) {
    for (Term& sum : sum_term(lifting, piece, piece_size, dims, dtype))
      result.push_back(std::move(sum));
    if (result.empty()) return std::nullopt;
    const Term& first = result.front();
    if (!lifting.is_instance(first.atom, Instance::Kind::kSum) ||
        result.back().atom != first.atom || !(result.back().layout == first.layout))
      return std::nullopt;
    piece.layout.offset += pieces.stride;
  }
  return result;
} catch (const NotKnown&) {
  return std::nullopt;
}

// A sum, or what rescales one.
bool has_sum(const Lifting& lifting, const Term& term) {
  if (lifting.is_instance(term.atom, Instance::Kind::kSum)) return true;
  return lifting.is_instance(term.atom, Instance::Kind::kMul) &&
         std::ranges::any_of(factors_of(lifting, term), [&](const Term& factor) {
           return lifting.is_instance(factor.atom, Instance::Kind::kSum);
         });
}

// A sum of sums over other dimensions, such as the parts of a contraction, by its parts: a rank
// that has some terms of each sums these.
std::vector<Term> written_as_sums(const Lifting& lifting, const std::vector<Term>& terms) {
  constexpr size_t kMostParts = 8;
  std::vector<Term> result;
  for (const Term& term : terms) {
    const auto parts = term.restrictions.empty() ? lifting.unfold(term) : std::nullopt;
    const bool sums =
        parts && parts->size() <= kMostParts && std::ranges::all_of(*parts, [&](const Term& part) {
          return part.restrictions.empty() && has_sum(lifting, part);
        });
    if (sums)
      result.insert(result.end(), parts->begin(), parts->end());
    else
      result.push_back(term);
  }
  return result;
}

}  // namespace

std::vector<Term> sum_term(Lifting& lifting, Term term, const Shape& size,
                           std::span<const Int> dims, DType dtype) {
  for (size_t i = 0; i < term.restrictions.size(); ++i) {
    const Restriction guard = term.restrictions[i];
    if (guard.kind == Restriction::Kind::kMax) {
      Tile tile;
      tile.terms.push_back(term);
      return sum_term(lifting, materialize(lifting, tile, size, dtype), size, dims, dtype);
    }
    if (guard.kind != Restriction::Kind::kGuard || !varies(guard.where, dims)) continue;
    term.restrictions.erase(term.restrictions.begin() + static_cast<ptrdiff_t>(i));
    const Value product = multiply(lifting, single_term(size, indicator(lifting, guard, size)),
                                   single_term(size, term), dtype);
    std::vector<Term> result;
    for (const Term& part : product.tiles.at(0).terms) {
      auto sums = sum_term(lifting, part, size, dims, dtype);
      result.insert(result.end(), sums.begin(), sums.end());
    }
    return result;
  }
  if (auto beside = sum_over_classes(lifting, term, size, dims, dtype)) return std::move(*beside);
  SumRequest sum = sum_request(term, size, dims, dtype);
  // A rank that has one head of several finds its part of the sum over all, which no factor
  // rescales.
  std::optional<Lifted> lifted;
  const bool sums = reduces(sum.request);
  if (sums && !lifting.is_sequential()) lifted = lifting.find(sum.request);
  if (!lifted)
    if (auto rescaled = rescaled_sum(lifting, term, size, dims, dtype)) return std::move(*rescaled);
  if (sums) {
    if (!lifted && lifting.is_sequential()) lifted = lifting.find(sum.request);
    if (!lifted) {
      if (auto known = exchanged_sum(lifting, term, size, dims, dtype)) return {std::move(*known)};
      if (auto pieces = sum_of_pieces(lifting, term, size, dims, dtype)) return std::move(*pieces);
      lifted = lifting.lift(sum.request);
    }
    return seen_through(lifting, std::move(sum.seen), *lifted);
  }
  if (auto part = part_of_known_sum(lifting, sum)) return std::move(*part);
  if (auto parts = sum_of_one_class(lifting, term, size, dims, dtype)) return std::move(*parts);
  sum.seen.layout = drop_dims(term.layout, dims);
  return {std::move(sum.seen)};
}

std::optional<std::vector<Term>> part_of_known_sum(Lifting& lifting, const Term& term,
                                                   const Shape& size, std::span<const Int> dims,
                                                   DType dtype) {
  return part_of_known_sum(lifting, sum_request(term, size, dims, dtype));
}

Value reduce_sum(Lifting& lifting, Value value, std::span<const Int> dims, DType dtype) {
  as_terms(lifting, value, dtype);
  // Tiles of one element along the summed dimensions come last: they are parts of the sums that the
  // others make.
  const auto is_single = [&](const Shape& size) {
    return std::all_of(dims.begin(), dims.end(),
                       [&](Int d) { return size[static_cast<size_t>(d)] == 1; });
  };
  bool singles = false;
  const auto sums_of = [&](bool single) {
    return for_each_reduced_tile(value, dims, [&](Tile& out, const Tile& tile, const Shape& size) {
      singles |= is_single(size);
      if (is_single(size) != single) return;
      for (const Term& term : written_as_sums(lifting, tile.terms)) {
        auto sums = sum_term(lifting, term, size, dims, dtype);
        out.terms.insert(out.terms.end(), sums.begin(), sums.end());
      }
    });
  };
  Value result = sums_of(false);
  if (singles) {
    const Value rest = sums_of(true);
    for (size_t t = 0; t < rest.tiles.size(); ++t) {
      const auto& terms = rest.tiles[t].terms;
      result.tiles[t].terms.insert(result.tiles[t].terms.end(), terms.begin(), terms.end());
    }
  }
  for (Tile& tile : result.tiles) {
    combine(tile.terms);
    unite_parts(lifting, tile.terms);
    drop_guards_of_indices(lifting, tile.terms);
  }
  name_sums(lifting, result, dtype);
  return result;
}

}  // namespace assay
