// Integers as sums of what they are made of, and between which numbers such sums lie.
#include <algorithm>
#include <utility>

#include "shared_ir/cast.h"
#include "shared_ir/lower/build/builder.h"

namespace assay::lowering {
namespace {

PlainInt bits_of(DType dtype) { return 8 * static_cast<PlainInt>(byte_size(dtype)); }

bool holds(DType dtype, const std::pair<Int, Int>& range) {
  const auto [low, high] = integer_range(dtype);
  return low <= range.first && range.second <= high;
}

}  // namespace

// Adds `times` x. False where nothing smaller is known of x than itself.
bool Builder::add_parts(CoreId x, const Int& times, PlainInt bits, IntegerSum& sum) {
  if (!sum.is_small()) return false;
  if (rows_stay_whole_ && rows_.contains(x)) {
    sum.add(common_.first(program_, x), times);
    return sum.is_small();
  }
  const CoreOp& made = op(x);
  if (is_finite_constant(x)) {
    const auto value = constant_integer(x);
    constexpr PlainInt kLargest = PlainInt{1} << 31;
    if (!value || *value > kLargest || *value < -kLargest) return false;
    sum.constant += *value * times;
    return sum.is_small();
  }
  if (made.prim == Prim::kCast && is_integer(dtype(made.operands[0]))) {
    const CoreId from = made.operands[0];
    if (cast_keeps_values(dtype(from), made.dtype) || holds(made.dtype, integer_range_of(from)) ||
        bits_of(made.dtype) >= bits)
      return add_parts(from, times, bits, sum);
  }
  // What wraps is the sum modulo 2^bits alone. Of int64 it is taken not to.
  const bool whole =
      bits_of(made.dtype) >= bits || made.dtype == DType::kInt64 || bounds_.fits(program_, x);
  if (made.prim != Prim::kLinear || !whole) {
    sum.add(common_.first(program_, x), times);
    return sum.is_small();
  }
  const std::vector<CoreId> operands = made.operands;
  const std::vector<Rational> coefs = made.coefs;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!coefs[i].is_integer() || !coefs[i].fits(PlainInt{1} << 31)) return false;
    const Int coefficient = coefs[i].numerator();
    if (!is_number(coefficient)) return false;
    IntegerSum part;
    if (!add_parts(operands[i], 1, bits, part)) return false;
    sum.add(part, coefficient * times);
    if (!sum.is_small()) return false;
  }
  return true;
}

// Remainders stay whole, unless the sum has what they are taken of, too.
IntegerSum Builder::sum_modulo(CoreId x, PlainInt bits) {
  IntegerSum sum, parts;
  if (!add_parts(x, 1, bits, sum)) {
    sum = {};
    sum.add(common_.first(program_, x), 1);
  }
  const auto is_row = [&](const auto& term) { return rows_.contains(term.first); };
  if (sum.terms.size() < 2 || std::ranges::none_of(sum.terms, is_row)) return sum;
  rows_stay_whole_ = false;
  const bool known = add_parts(x, 1, bits, parts);
  rows_stay_whole_ = true;
  return known && parts.terms.size() < sum.terms.size() ? parts : sum;
}

IntegerSum Builder::sum_of(CoreId x) {
  constexpr PlainInt kAll = 128;
  return sum_modulo(x, kAll);
}

CoreId Builder::built(const IntegerSum& sum, DType dtype, const Shape& shape) {
  if (sum.is_constant()) return constant(Rational(sum.constant), dtype, shape);
  if (sum.terms.size() == 1 && sum.is(sum.terms.begin()->first))
    return cast(sum.terms.begin()->first, dtype);
  // Differences of unsigned integers wrap around zero.
  DType in = is_unsigned(dtype) ? DType::kInt64 : dtype;
  for (const auto& [id, coefficient] : sum.terms)
    if (!cast_keeps_values(this->dtype(id), in)) in = DType::kInt64;
  std::vector<CoreId> operands;
  std::vector<Rational> coefs;
  for (const auto& [id, coefficient] : sum.terms) {
    operands.push_back(cast(id, in));
    coefs.emplace_back(coefficient);
  }
  if (sum.constant != 0) {
    operands.push_back(constant(Rational(sum.constant), in, shape));
    coefs.emplace_back(1);
  }
  const auto range = range_of(sum);
  const CoreId whole = plain_linear(operands, coefs);
  if (range && holds(in, *range)) lies_in(whole, range->first, range->second);
  const CoreId result = cast(whole, dtype);
  if (range && holds(dtype, *range)) lies_in(result, range->first, range->second);
  return result;
}

// Terms of a sum of sums, those that are the same counted anew.
size_t Builder::count_terms(CoreId x) const {
  constexpr size_t kMany = 64;
  if (is_finite_constant(x)) return 0;
  if (op(x).prim == Prim::kCast && is_integer(dtype(op(x).operands[0])))
    return count_terms(op(x).operands[0]);
  if (op(x).prim != Prim::kLinear || rows_.contains(x)) return 1;
  size_t count = 0;
  for (const CoreId operand : op(x).operands)
    if (count < kMany) count += count_terms(operand);
  return count;
}

// A sum of sums that have terms in common as one sum, modulo the type's range as it is.
CoreId Builder::joined_sum(CoreId x) {
  // Those of unsigned integers are computed in int64.
  const auto is_sum_itself = [&](CoreId operand) {
    const CoreOp& made = op(operand);
    return made.prim == Prim::kLinear ||
           (made.prim == Prim::kCast && op(made.operands[0]).prim == Prim::kLinear);
  };
  if (std::ranges::none_of(op(x).operands, is_sum_itself)) return x;
  const DType type = dtype(x);
  const IntegerSum sum = sum_modulo(x, bits_of(type));
  if (sum.is(x) || sum.terms.size() >= count_terms(x)) return x;
  const CoreId joined = built(sum, type, Shape(shape(x)));
  return bounds_.fits(program_, x) && !is_sum(joined, sum) ? x : joined;
}

std::pair<Int, Int> Builder::integer_range_of(CoreId id) const {
  if (const auto known = integer_ranges_.find(id); known != integer_ranges_.end())
    return known->second;
  const CoreOp& made = op(id);
  switch (made.prim) {
    case Prim::kCast: {
      const DType from = dtype(made.operands[0]);
      if (is_bool(from)) return {0, 1};
      if (is_integer(from) && cast_keeps_values(from, made.dtype))
        return integer_range_of(made.operands[0]);
      break;
    }
    case Prim::kPermute:
    case Prim::kReshape:
    case Prim::kExpand:
    case Prim::kSlice:
      return integer_range_of(made.operands[0]);
    case Prim::kKeep: {
      const auto [low, high] = integer_range_of(made.operands[1]);
      return {std::min(low, Int{0}), std::max(high, Int{0})};
    }
    default:
      break;
  }
  return integer_range(made.dtype);
}

CoreId Builder::lies_in(CoreId id, const Int& low, const Int& high) {
  integer_ranges_.insert_or_assign(id, std::pair(low, high));
  bounds_.state(program_, id, Rational(low).to_double(), Rational(high).to_double());
  return id;
}

// Of floor(y / by): y and by, where the operator is that.
std::optional<std::pair<CoreId, Int>> Builder::quotient_made(CoreId id) const {
  const CoreOp& made = op(id);
  if (made.prim != Prim::kMap || made.fn != "div_floor") return std::nullopt;
  const auto by = constant_integer(made.operands[1]);
  constexpr PlainInt kLargest = PlainInt{1} << 31;
  if (!by || *by < 2 || *by > kLargest) return std::nullopt;
  return std::pair(made.operands[0], *by);
}

}  // namespace assay::lowering
