// An increasing function of all numbers of a row leaves their order, and which of them are equal:
// exp(u) for u; 1/b, of positive b, for -b; what is added to all of them.
#include <algorithm>

#include "static_check/checker/identity/algebra.h"

namespace assay::checker::identity {

class RowInOrder {
 public:
  RowInOrder(Algebra& algebra, std::vector<Number>& row) : a_(algebra), row_(row) {}

  // Whether one of these functions was taken away.
  bool simplify() { return take_logarithms() || take_reciprocals() || take_summand(); }

 private:
  bool take_logarithms();
  bool take_reciprocals();
  bool take_summand();

  Algebra& a_;
  std::vector<Number>& row_;
};

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
    if (!RowInOrder(*this, row).simplify()) break;
    simpler = true;
  }
  return simpler ? std::optional(std::move(row)) : std::nullopt;
}

// Of positive numbers that have all letters in common.
bool RowInOrder::take_logarithms() {
  std::vector<Word> words;
  bool exponents = false, constants = false;
  for (const Number& x : row_) {
    if (x.is_constant()) {
      if (!a_.rational(x).is_positive()) return false;
      words.push_back({a_.rational(x), {}, {}});
    } else {
      if (!x.positive) return false;
      words.push_back(a_.spell(x.value, 0));
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
  for (size_t i = 0; i < row_.size(); ++i) {
    row_[i] = a_.ordinary(words[i].exponent);
    if (constants) row_[i] = a_.add(row_[i], a_.log(a_.exact(words[i].constant)));
  }
  return true;
}

// 1/a > 1/b where a < b, both positive; and -1/a > -1/b where a > b.
bool RowInOrder::take_reciprocals() {
  const auto base_of = [&](const Number& x, bool mirrored) -> std::optional<Number> {
    if (x.is_constant()) {
      const Rational value = mirrored ? -a_.rational(x) : a_.rational(x);
      if (!value.is_positive()) return std::nullopt;
      return a_.exact(Rational(1) / value);
    }
    const auto known = a_.reciprocals_.find(mirrored ? minus<kP>(x.value.r) : x.value.r);
    return known == a_.reciprocals_.end() ? std::nullopt : std::optional(known->second);
  };
  for (const bool mirrored : {false, true}) {
    std::vector<Number> bases;
    for (const Number& x : row_)
      if (auto base = base_of(x, mirrored))
        bases.push_back(mirrored ? std::move(*base) : a_.ordinary(-base->value));
    if (bases.size() < row_.size()) continue;
    row_ = std::move(bases);
    return true;
  }
  return false;
}

// t + exp(u) and t - exp(u) for any t: the differences are those of exponentials, or the negatives.
bool RowInOrder::take_summand() {
  constexpr size_t kMostExponentials = size_t{1} << 12, kMostComparisons = size_t{1} << 22;
  if (a_.exponents_.size() > kMostExponentials) return false;
  for (const auto& [exponential, exponent] : a_.exponents_) {
    if (a_.compared_exponentials_ > kMostComparisons) return false;
    for (const bool mirrored : {false, true}) {
      std::vector<Residues> exponents{exponent.value};
      ++a_.compared_exponentials_;
      for (size_t i = 1; i < row_.size(); ++i, ++a_.compared_exponentials_) {
        const Residues step =
            mirrored ? row_[0].value - row_[i].value : row_[i].value - row_[0].value;
        const auto other = a_.exponents_.find(plus<kP>(exponential, step.r));
        if (other == a_.exponents_.end()) break;
        exponents.push_back(other->second.value);
      }
      if (exponents.size() < row_.size()) continue;
      for (size_t i = 0; i < row_.size(); ++i)
        row_[i] = a_.ordinary(mirrored ? -exponents[i] : exponents[i]);
      return true;
    }
  }
  return false;
}

}  // namespace assay::checker::identity
