// Rows that a positive number was multiplied by, or divided by, are in the order of what they were
// before: that of x / z is that of x where z > 0, and x / z > y / z is x > y.
#include <algorithm>

#include "static_check/identity/algebra.h"

namespace assay::identity {

// What is c times as large for c x, and knows nothing of what is added to all elements; of more
// than two nothing of how they are arranged.
std::optional<Residue> Algebra::extent_of(std::span<const Number> row) const {
  Residue result;
  if (row.size() == 2) {
    result = row[0].residue - row[1].residue;
  } else {
    Residue sum, squares, cubes;
    for (const Number& x : row) sum = sum + x.residue;
    const Residue mean = sum * one_by(row.size());
    for (const Number& x : row) {
      const Residue apart = x.residue - mean;
      squares = squares + apart * apart;
      cubes = cubes + apart * apart * apart;
    }
    if (squares.value == 0 || squares.exponent == 0) return std::nullopt;
    result = cubes * raised(squares, -1);
  }
  if (result.value == 0 || result.exponent == 0) return std::nullopt;
  return result;
}

// Of all elements that are not 0 together.
Residue Algebra::factor_of_row(std::span<const Number> row) const {
  Residue sum;
  for (const Number& x : row) {
    if (const Rational* known = constant_of(x))
      sum = sum + residue_of(known->is_negative() ? -*known : *known);
    else
      sum = sum + positive_factors_.of(x);
  }
  return sum;
}

// Times which the first such row is this one, where it is positive for all that is known.
std::optional<Residue> Algebra::times_asked(const AskedRows& asked, const AskedRow& own,
                                            bool of_two) {
  constexpr size_t kMostTried = 256, kMostTries = size_t{1} << 20;
  const auto times = [&](const AskedRow& row, bool turned) {
    const Residue by = own.extent * row.inverse;
    return turned ? Residue{} - by : by;
  };
  for (const bool turned : {false, true}) {
    if (turned && !of_two) break;
    if (own.factor.value != 0) {
      const uint64_t shape = kValues.multiply(own.extent.value, kValues.inverse(own.factor.value));
      const auto alike = asked.by_shape.find(turned ? kValues.negative(shape) : shape);
      if (alike != asked.by_shape.end()) return times(asked.rows[alike->second], turned);
    }
    for (size_t i = 0; i < asked.rows.size() && i < kMostTried; ++i) {
      if (tried_factors_ > kMostTries) return std::nullopt;
      tried_factors_ += 2;
      const AskedRow& row = asked.rows[i];
      const Residue by = times(row, turned);
      uint64_t under = kValues.multiply(own.inverse.value, row.extent.value);
      if (turned) under = kValues.negative(under);
      if (positive_factors_.is_one(by.value) || positive_factors_.is_one(under)) return by;
    }
  }
  return std::nullopt;
}

std::optional<std::vector<Number>> Algebra::without_common_factor(std::span<const Number> row) {
  constexpr size_t kMostAsked = size_t{1} << 14;
  std::vector<Number> numbers;
  for (const Number& x : row) numbers.push_back(settled(x));
  const auto extent = extent_of(numbers);
  if (!extent) return std::nullopt;
  AskedRows& asked = asked_rows_[row.size()];
  if (asked.extents.contains(extent->value) ||
      (row.size() == 2 && asked.extents.contains(kValues.negative(extent->value))))
    return std::nullopt;
  const AskedRow own{*extent, raised(*extent, -1), factor_of_row(numbers)};
  if (const auto times = times_asked(asked, own, row.size() == 2); times && times->exponent != 0) {
    const Residue inverse = raised(*times, -1);
    std::vector<Number> result;
    for (const Number& x : numbers) {
      Number number{x.residue * inverse};
      number.sign = x.sign;
      result.push_back(constants_.contains(number.residue.value)
                           ? constant(constants_.at(number.residue.value)->constant)
                           : std::move(number));
    }
    return result;
  }
  if (asked.rows.size() >= kMostAsked) return std::nullopt;
  asked.extents.insert(own.extent.value);
  if (own.factor.value != 0)
    asked.by_shape.try_emplace(
        kValues.multiply(own.extent.value, kValues.inverse(own.factor.value)), asked.rows.size());
  asked.rows.push_back(own);
  return std::nullopt;
}

}  // namespace assay::identity
