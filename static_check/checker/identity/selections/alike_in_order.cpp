// An increasing function of all numbers of a row leaves their order, and which of them are equal:
// exp(u) for u; 1/b, of positive b, for -b; what is added to all of them; roots; a positive factor.
#include <algorithm>

#include "static_check/checker/identity/algebra.h"

namespace assay::checker::identity {

class RowInOrder {
 public:
  RowInOrder(Algebra& algebra, std::vector<Number>& row) : a_(algebra), row_(row) {}

  // Whether one of these functions was taken away.
  bool simplify() {
    return take_logarithms() || take_reciprocals() || take_summand() || take_roots() ||
           take_factor();
  }

 private:
  bool take_logarithms();
  bool take_reciprocals();
  bool take_summand();
  bool take_roots();
  bool take_factor();

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

// x is the first of these in the order of the others.
void Algebra::learn_extreme(const Number& x, const std::vector<Number>& of,
                            const std::vector<Number>& as) {
  constexpr size_t kMostRows = size_t{1} << 12;
  if (!x.is_finite() || shared_.alike.size() >= kMostRows) return;
  std::vector<std::pair<Residues, Residues>> pairs;
  for (size_t i = 0; i < of.size(); ++i) pairs.emplace_back(of[i].value, as[i].value);
  shared_.alike.try_emplace(x.value.r, std::move(pairs));
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

// sqrt(a) > c is a > c c for c > 0. Of |x| more is known.
bool RowInOrder::take_roots() {
  std::vector<Number> squares;
  for (const Number& x : row_) {
    if (x.is_constant()) {
      if (!a_.rational(x).is_positive()) return false;
    } else {
      if (x.kind != Kind::kRoot || !x.nonnegative || a_.magnitudes_.contains(x.value.r))
        return false;
      const RootForm& form = a_.roots_[Algebra::index(x)];
      if (!std::ranges::all_of(form.powers, [](const RootPower& p) { return p.base.nonnegative; }))
        return false;
    }
    squares.push_back(a_.multiply(x, x));
    if (!squares.back().is_finite()) return false;
  }
  row_ = std::move(squares);
  return true;
}

// x z and y z for any z > 0, where x and y were asked for before.
bool RowInOrder::take_factor() {
  SharedFactors::Row row;
  for (const Number& x : row_) {
    if (x.kind == Kind::kLog) return false;
    if (x.is_constant()) {
      const Rational& value = a_.rational(x);
      row.factor = row.factor + residues_of(value.is_negative() ? -value : value);
    } else {
      row.factor = row.factor + a_.shared_.factor_of(x);
    }
  }
  if (row_.size() == 2) {
    row.spread = row_[0].value - row_[1].value;
  } else {
    // The sum of all differences' cubes in turn by that of their squares, of what is beside the
    // mean.
    Residues mean, squares, cubes;
    for (const Number& x : row_) mean = mean + x.value;
    mean = mean * residues_of(Rational(1, static_cast<PlainInt>(row_.size())));
    for (const Number& x : row_) {
      const Residues apart = x.value - mean, square = apart * apart;
      squares = squares + square;
      cubes = cubes + square * apart;
    }
    if (squares.r == 0 || squares.e == 0) return false;
    row.spread = cubes * inverse(squares);
  }
  if (row.spread.r == 0 || row.spread.e == 0) return false;
  const auto times = a_.shared_.times_earlier(row, row_.size());
  if (!times || times->r == 0 || times->e == 0) return false;
  const Residues by = inverse(*times);
  for (Number& x : row_) {
    Number divided = a_.ordinary(x.value * by);
    if (!divided.is_constant()) {
      divided.nonnegative = divided.nonnegative || (!x.is_constant() && x.nonnegative);
      divided.positive = divided.positive || (!x.is_constant() && x.positive);
    }
    x = divided;
  }
  return true;
}

}  // namespace assay::checker::identity
