// Rows in the order of simpler ones, which programs choose by in their place: for a common c > 0,
// c exp(u) is in the order of u, and 1 / b in that of -b where b > 0; t + exp(u) is in the order of
// u, whatever t is. So the order of sigmoid(l) is that of l. Roots and constants that are not
// negative are in the order of their squares.
#include <algorithm>

#include "static_check/identity/algebra.h"

namespace assay::identity {

std::optional<std::vector<Number>> Algebra::alike_in_order(std::span<const Number> row) {
  constexpr int kMostSteps = 6;
  if (cases_ != nullptr || !factored_ || row.size() < 2 || row.size() > kMostSorted ||
      !std::ranges::all_of(row, [](const Number& x) { return x.is_finite(); }) ||
      std::ranges::all_of(row, [&](const Number& x) { return constant_of(x) != nullptr; }))
    return std::nullopt;
  // Equal numbers are so beside any other.
  const uint64_t first = settled(row[0]).residue.value;
  if (std::ranges::all_of(row, [&](const Number& x) { return settled(x).residue.value == first; }))
    return std::nullopt;
  std::optional<std::vector<Number>> found;
  for (int step = 0; step < kMostSteps; ++step) {
    const std::span<const Number> of = found ? std::span<const Number>(*found) : row;
    auto next = logarithms_of_row(of);
    if (!next) next = bases_of_reciprocals(of);
    if (!next) next = exponents_beside_another(of);
    if (!next) next = squares_of_row(of);
    if (!next) next = without_common_factor(of);
    if (!next) break;
    found = std::move(next);
  }
  return found;
}

void Algebra::note_extreme(const Number& extreme, std::span<const Number> numbers,
                           std::span<const Number> alike) {
  constexpr size_t kMost = size_t{1} << 12;
  if (!extreme.is_finite() || alike_rows_.size() >= kMost) return;
  auto& pairs = alike_rows_[settled(extreme).residue.value];
  if (!pairs.empty()) return;
  for (size_t i = 0; i < numbers.size(); ++i)
    pairs.emplace_back(settled(numbers[i]).residue, settled(alike[i]).residue);
}

// Of |x| more is known: it is the greatest of x and -x. Nor is a root asked for its sign so.
std::optional<std::vector<Number>> Algebra::squares_of_row(std::span<const Number> row) {
  std::vector<Number> squares;
  for (const Number& number : row) {
    const Rational* known = constant_of(number);
    const bool fits = known != nullptr
                          ? known->is_positive()
                          : has(number, Form::Kind::kRoot) && number.sign != Sign::kAny &&
                                !magnitudes_.contains(number.residue.value);
    if (!fits) return std::nullopt;
    squares.push_back(known != nullptr ? multiply(number, number) : power(number, 2));
  }
  return squares;
}

// Their constants apart, positive numbers of the same factors.
std::optional<std::vector<Number>> Algebra::logarithms_of_row(std::span<const Number> row) {
  std::vector<Product> products;
  bool any_exponent = false, one_constant = true;
  for (const Number& number : row) {
    if (const Rational* known = constant_of(number)) {
      if (!known->is_positive()) return std::nullopt;
      products.push_back({*known, {}, {}});
    } else {
      if (number.sign != Sign::kPositive) return std::nullopt;
      products.push_back(factors_.of(number.residue, true));
    }
    const Product &first = products.front(), &last = products.back();
    if (last.powers != first.powers) return std::nullopt;
    any_exponent |= last.exponent.value != 0;
    one_constant &= last.constant == first.constant;
  }
  if (!any_exponent) return std::nullopt;
  std::vector<Number> logarithms;
  for (const Product& product : products) {
    const Number exponent{product.exponent};
    logarithms.push_back(
        one_constant ? exponent : settled(add(exponent, logarithm(constant(product.constant)))));
  }
  return logarithms;
}

// Of negative ones, of which none is 0, too.
std::optional<std::vector<Number>> Algebra::bases_of_reciprocals(std::span<const Number> row) {
  for (const bool negated : {false, true}) {
    std::vector<Number> bases;
    for (const Number& number : row) {
      const Number own = negated ? negative(number) : number;
      if (const Rational* known = constant_of(own)) {
        if (!known->is_positive()) break;
        bases.push_back(constant(Rational(1) / *known));
        continue;
      }
      const auto base = reciprocals_.find(settled(own).residue.value);
      if (base == reciprocals_.end()) break;
      bases.push_back(base->second);
    }
    if (bases.size() < row.size()) continue;
    if (!negated)
      for (Number& base : bases) base = negative(base);
    return bases;
  }
  return std::nullopt;
}

std::optional<std::vector<Number>> Algebra::exponents_beside_another(std::span<const Number> row) {
  constexpr size_t kMostLookups = size_t{1} << 22, kMostExponentials = size_t{1} << 12;
  if (exponents_.size() > kMostExponentials) return std::nullopt;
  std::vector<Residue> numbers;
  for (const Number& number : row) numbers.push_back(settled(number).residue);
  for (const auto& [value, argument] : exponents_) {
    if (lookups_ > kMostLookups) return std::nullopt;
    for (const bool negated : {false, true}) {
      std::vector<Number> exponents{Number{argument}};
      for (size_t i = 1; i < numbers.size(); ++i, ++lookups_) {
        const Residue apart = negated ? numbers[0] - numbers[i] : numbers[i] - numbers[0];
        const auto other = exponents_.find(kValues.add(value, apart.value));
        if (other == exponents_.end()) break;
        exponents.push_back({other->second});
      }
      ++lookups_;
      if (exponents.size() < numbers.size()) continue;
      if (negated)
        for (Number& exponent : exponents) exponent = negative(exponent);
      return exponents;
    }
  }
  return std::nullopt;
}

}  // namespace assay::identity
