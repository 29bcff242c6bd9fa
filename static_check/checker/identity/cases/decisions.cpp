// Comparisons, extrema and orders that are decided.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "static_check/checker/facts/regions.h"
#include "static_check/checker/identity/algebra.h"

namespace assay::checker::identity {
namespace {

// A case of which the comparison would be false, and the program defined.
void refuse_undefined(const Number& x) {
  if (x.kind == Kind::kNan) throw Rejection{"a comparison of what is not defined"};
}

}  // namespace

// exp(x) > 1 where x > 0: the argument, or its negative, of a number that is c (exp(x) - 1).
std::optional<Number> Algebra::argument_above_one(const Number& x) {
  const Line line = line_of(x);
  if (line.alpha.is_zero() || line.beta.is_zero()) return std::nullopt;
  for (const bool turned : {false, true}) {
    const auto found = exponents_.find(turned ? minus<kP>(line.base) : line.base);
    const Rational alpha = turned ? -line.alpha : line.alpha;
    if (found == exponents_.end() || !(alpha + line.beta).is_zero()) continue;
    Number argument = found->second;
    return alpha.is_positive() ? argument : negated(argument);
  }
  return std::nullopt;
}

// The arguments of two exponentials, which are in their order.
std::optional<std::pair<Number, Number>> Algebra::arguments_of(const Number& a, const Number& b) {
  const auto first = exponents_.find(a.value.r), second = exponents_.find(b.value.r);
  if (!a.is_finite() || !b.is_finite() || first == exponents_.end() || second == exponents_.end())
    return std::nullopt;
  return std::pair(Number(first->second), Number(second->second));
}

Number Algebra::sign(const Number& x, Meaning meaning) {
  if (x.kind == Kind::kNan) return x;
  Number result;
  Dependence depends = function_of(x.depends);
  if (x.is_infinite()) {
    result = exact(Rational(infinite_sign(x)));
  } else if (x.is_constant()) {
    result = exact(Rational(sign_of(rational(x))));
  } else if (x.positive) {
    result = exact(Rational(1));
  } else if (const auto argument = argument_above_one(x)) {
    return sign(*argument, meaning);
  } else {
    const Line line = line_of(x);
    if (line.beta.is_zero())
      if (const auto known = sign_by_factor(line.base, meaning)) {
        const Rational of_base = rational(*known);
        result = exact(line.alpha.is_negative() ? -of_base : of_base);
        result.depends = both(depends, known->depends);
        return result;
      }
    const Decision decision = cases()->sign(line, x.value.r, meaning);
    result = exact(Rational(decision.sign));
    depends = both(depends, decision.depends);
  }
  result.depends = depends;
  return result;
}

Number Algebra::magnitude(const Number& x) {
  if (!x.is_finite()) return x.is_infinite() ? infinity(false) : x;
  if (x.nonnegative) return x;
  const Number s = sign(x, Meaning::kContinuous);
  Number result = rational(s).is_negative() ? negated(x) : x;
  result.depends = s.depends;
  if (!result.is_constant()) result.nonnegative = true;
  return result;
}

Number Algebra::decided_comparison(const Number& a, const Number& b, bool greater) {
  refuse_undefined(a);
  refuse_undefined(b);
  const auto flag_of = [&](int order, const Dependence& depends) {
    Number result = exact_flag(greater ? order > 0 : order == 0);
    result.depends = depends;
    return result;
  };
  if (a.is_infinite() || b.is_infinite())
    return flag_of(infinite_sign(a) - infinite_sign(b), all({{a, b}}));
  if (is_integer_type(a.type) || is_integer_type(b.type)) return compared_integers(a, b, greater);
  if (const auto arguments = arguments_of(a, b))
    return decided_comparison(arguments->first, arguments->second, greater);
  const Number s = sign(subtract(a, b), Meaning::kComparison);
  return flag_of(sign_of(rational(s)), s.depends);
}

// Of integers that are not constant each pair is less, equal or greater. An index is one row.
Number Algebra::compared_integers(const Number& a, const Number& b, bool greater) {
  const auto flag_of = [&](int order, const Dependence& on) {
    Number result = exact_flag(greater ? order > 0 : order == 0);
    result.depends = both(all({{a, b}}), on);
    return result;
  };
  if (a.is_constant() && b.is_constant()) return flag_of(sign_of(rational(a) - rational(b)), {});
  if (a.type == b.type && a.value.r == b.value.r) return flag_of(0, {});
  const auto row_of = [&](const Number& x) -> std::optional<std::pair<Rational, PlainInt>> {
    const auto known = tables_.find({x.type, x.value.r});
    if (x.is_constant() || known == tables_.end()) return std::nullopt;
    const uint64_t keys[] = {x.type, x.value.r};
    const PlainInt size = known->second.size();
    const uint64_t drawn = cases()->draw("row", keys, static_cast<uint64_t>(size));
    return std::pair(Rational(known->second.index(static_cast<PlainInt>(drawn))), size);
  };
  for (const bool swapped : {false, true}) {
    const Number &x = swapped ? b : a, &y = swapped ? a : b;
    if (!y.is_constant() || x.is_constant()) continue;
    if (const auto row = row_of(x)) {
      const int order = sign_of(row->first - rational(y));
      const float bits = std::log2(static_cast<float>(row->second));
      return flag_of(swapped ? -order : order, cases()->coins().coin(x.value.r, bits));
    }
    compared_.emplace(x.type, x.value.r);
  }
  const bool ordered = std::pair(a.type, a.value.r) < std::pair(b.type, b.value.r);
  const Number &first = ordered ? a : b, &second = ordered ? b : a;
  const uint64_t keys[] = {first.type, first.value.r, second.type, second.value.r};
  const int order = static_cast<int>(cases()->draw("integers", keys, 3)) - 1;
  const uint64_t key = random_("pair of integers", keys).r;
  return flag_of(ordered ? order : -order, cases()->coins().coin(key, std::log2(3.0F)));
}

int Algebra::ordered(const Number& a, const Number& b, Meaning meaning, Dependence& decided) {
  refuse_undefined(a);
  refuse_undefined(b);
  if (a.is_infinite() || b.is_infinite()) return infinite_sign(a) - infinite_sign(b);
  if (is_integer_type(a.type) || is_integer_type(b.type)) {
    if (!a.is_constant() || !b.is_constant()) throw Rejection{"an order of unknown integers"};
    return sign_of(rational(a) - rational(b));
  }
  if (const auto arguments = arguments_of(a, b))
    return ordered(arguments->first, arguments->second, meaning, decided);
  const Number s = sign(subtract(a, b), meaning);
  decided = both(decided, s.depends);
  return sign_of(rational(s));
}

std::vector<size_t> Algebra::order(const std::vector<Number>& row, Dependence& depends) {
  std::vector<size_t> places;
  for (size_t i = 0; i < row.size(); ++i) {
    depends = either(depends, row[i].depends);
    size_t low = 0, high = places.size();
    while (low < high) {
      const size_t middle = (low + high) / 2;
      if (ordered(row[i], row[places[middle]], Meaning::kComparison, depends) >= 0)
        low = middle + 1;
      else
        high = middle;
    }
    places.insert(places.begin() + static_cast<std::ptrdiff_t>(low), i);
  }
  return places;
}

// In rounds. `depends`: on all comparisons that were made.
size_t Algebra::place_of_extreme(const std::vector<Number>& row, bool least, Meaning meaning,
                                 Dependence& depends) {
  struct Candidate {
    size_t place;
    Dependence depends;
  };
  std::vector<Candidate> left;
  for (size_t i = 0; i < row.size(); ++i) left.push_back({i, row[i].depends});
  while (left.size() > 1) {
    std::vector<Candidate> next;
    for (size_t i = 0; i + 1 < left.size(); i += 2) {
      const Candidate &a = left[i], &b = left[i + 1];
      Dependence on = either(a.depends, b.depends);
      const int order = ordered(row[a.place], row[b.place], meaning, on);
      next.push_back({(least ? -order : order) >= 0 ? a.place : b.place, on});
    }
    if (left.size() % 2 == 1) next.push_back(left.back());
    left = std::move(next);
  }
  depends = left.at(0).depends;
  return left[0].place;
}

Number Algebra::decided_maximum(const std::vector<Number>& of) {
  std::vector<Number> finite;
  Dependence depends;
  bool integer = false, nonnegative = false, positive = false;
  for (const Number& x : of) {
    depends = either(depends, x.depends);
    integer |= is_integer_type(x.type);
    nonnegative |= x.nonnegative;
    positive |= x.positive;
    const bool first = std::none_of(finite.begin(), finite.end(),
                                    [&](const Number& y) { return y.value.r == x.value.r; });
    if (x.is_finite() && first) finite.push_back(x);
  }
  const bool kept = std::any_of(of.begin(), of.end(), [](const Number& x) {
    return x.kind == Kind::kNan || x.kind == Kind::kInfinity;
  });
  const bool set = cases()->sets() && (of.size() > 2 || cases()->all_chosen());
  if (integer || kept || finite.size() < 2 || set) {
    Number result = plain_maximum(of);
    result.depends = finite.size() < 2 ? depends : all(of);
    return result;
  }
  Dependence decided;
  Number result = finite[place_of_extreme(finite, false, Meaning::kContinuous, decided)];
  result.depends = function_of(either(depends, decided));
  if (!result.is_constant()) {
    result.nonnegative |= nonnegative;
    result.positive |= positive;
  }
  return result;
}

}  // namespace assay::checker::identity
