// An increasing function of all numbers of a row leaves their order, and which of them are equal:
// exp(u) for u; 1/b, of positive b, for -b; what is added to all of them.
#include <algorithm>

#include "static_check/checker/identity/algebra.h"

namespace assay::checker::identity {

std::optional<std::vector<Number>> Algebra::alike_in_order(std::vector<Number> row) {
  constexpr int kMostFunctions = 6;
  if (cases() != nullptr || row.size() < 2 || row.size() > kMostSorted) return std::nullopt;
  bool any_variable = false, differ = false;  // equal numbers are so beside any other
  for (const Number& x : row) {
    if (!x.is_finite() || is_hidden(x) || is_integer_type(x.type) || x.type == kFlag)
      return std::nullopt;
    any_variable = any_variable || !x.is_constant();
    differ = differ || x.value.r != row[0].value.r;
  }
  if (!any_variable || !differ) return std::nullopt;
  bool simpler = false;
  for (int function = 0; function < kMostFunctions; ++function) {
    if (!take_logarithms(row) && !take_reciprocals(row) && !take_summand(row)) break;
    simpler = true;
  }
  return simpler ? std::optional(std::move(row)) : std::nullopt;
}

// Of positive numbers that have all letters in common.
bool Algebra::take_logarithms(std::vector<Number>& row) {
  std::vector<Word> words;
  bool exponents = false, constants = false;
  for (const Number& x : row) {
    if (x.is_constant()) {
      if (!rational(x).is_positive()) return false;
      words.push_back({rational(x), {}, {}});
    } else {
      if (!x.positive) return false;
      words.push_back(spell(x.value, 0));
    }
    const Word &first = words.front(), &word = words.back();
    const bool same = std::ranges::equal(
        first.letters, word.letters,
        [](const Letter& a, const Letter& b) { return a.of.r == b.of.r && a.power == b.power; });
    if (!same) return false;
    exponents = exponents || word.exponent.r != 0;
    constants = constants || !(word.constant == first.constant);
  }
  if (!exponents) return false;
  for (size_t i = 0; i < row.size(); ++i) {
    row[i] = ordinary(words[i].exponent);
    if (constants) row[i] = add(row[i], log(exact(words[i].constant)));
  }
  return true;
}

// 1/a > 1/b where a < b, both positive; and -1/a > -1/b where a > b.
bool Algebra::take_reciprocals(std::vector<Number>& row) {
  const auto base_of = [&](const Number& x, bool mirrored) -> std::optional<Number> {
    if (x.is_constant()) {
      const Rational value = mirrored ? -rational(x) : rational(x);
      if (!value.is_positive()) return std::nullopt;
      return exact(Rational(1) / value);
    }
    const auto known = reciprocals_.find(mirrored ? minus<kP>(x.value.r) : x.value.r);
    return known == reciprocals_.end() ? std::nullopt : std::optional(known->second);
  };
  for (const bool mirrored : {false, true}) {
    std::vector<Number> bases;
    for (const Number& x : row)
      if (auto base = base_of(x, mirrored))
        bases.push_back(mirrored ? std::move(*base) : ordinary(-base->value));
    if (bases.size() < row.size()) continue;
    row = std::move(bases);
    return true;
  }
  return false;
}

// t + exp(u) and t - exp(u) for any t: the differences are those of exponentials, or the negatives.
bool Algebra::take_summand(std::vector<Number>& row) {
  constexpr size_t kMostExponentials = size_t{1} << 12, kMostComparisons = size_t{1} << 22;
  if (exponents_.size() > kMostExponentials) return false;
  for (const auto& [exponential, exponent] : exponents_) {
    if (compared_exponentials_ > kMostComparisons) return false;
    for (const bool mirrored : {false, true}) {
      std::vector<Residues> exponents{exponent.value};
      ++compared_exponentials_;
      for (size_t i = 1; i < row.size(); ++i, ++compared_exponentials_) {
        const Residues step = mirrored ? row[0].value - row[i].value : row[i].value - row[0].value;
        const auto other = exponents_.find(plus<kP>(exponential, step.r));
        if (other == exponents_.end()) break;
        exponents.push_back(other->second.value);
      }
      if (exponents.size() < row.size()) continue;
      for (size_t i = 0; i < row.size(); ++i)
        row[i] = ordinary(mirrored ? -exponents[i] : exponents[i]);
      return true;
    }
  }
  return false;
}

}  // namespace assay::checker::identity
