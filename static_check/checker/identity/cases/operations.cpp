// Sums, products and functions, and what cases keep of their results: bits, lines and sides.
#include <algorithm>
#include <cmath>

#include "shared_ir/cast.h"
#include "static_check/checker/facts/regions.h"
#include "static_check/checker/identity/algebra.h"

namespace assay::checker::identity {
namespace {

Number depending(Number x, const Dependence& on) {
  x.depends = on;
  return x;
}

// The same, where either depends on a root that is free.
Dependence with_roots_of(Dependence on, const Dependence& a, const Dependence& b = {}) {
  on.free_root = std::max(a.free_root, b.free_root);
  return on;
}

bool is_real(const Number& x) { return x.is_finite() && !is_integer_type(x.type); }

}  // namespace

Dependence Algebra::either(const Dependence& a, const Dependence& b) {
  return cases() == nullptr ? Dependence{} : with_roots_of(cases()->coins().either(a, b), a, b);
}

Dependence Algebra::both(const Dependence& a, const Dependence& b) {
  return cases() == nullptr ? Dependence{} : with_roots_of(cases()->coins().both(a, b), a, b);
}

Dependence Algebra::function_of(const Dependence& a) {
  return cases() == nullptr ? Dependence{} : with_roots_of(cases()->coins().function_of(a), a);
}

Dependence Algebra::one_over(const Number& x) {
  if (cases() == nullptr) return {};
  if (!x.is_finite()) return function_of(x.depends);
  return with_roots_of(cases()->coins().inverse(x.depends, x.value.r), x.depends);
}

// Of the absolute value of a sum of integers. A flag is 0 or 1 whatever it is in this case.
float Algebra::bound_of(std::span<const Number> terms) const {
  float bound = 0;
  for (const Number& x : terms) {
    if (!x.is_finite()) return HUGE_VALF;
    bound += x.type == kFlag ? 1.0F
             : x.is_constant()
                 ? static_cast<float>(std::max(1.0, std::abs(rational(x).to_double())))
                 : x.bound;
  }
  return bound;
}

// Whether integers that are no larger stay in the range of the type.
bool Algebra::may_not_wrap(float bound, Type type) {
  const auto [low, high] = integer_range(static_cast<DType>(type));
  return low < 0 && bound < static_cast<float>(high) / 2;
}

void Algebra::bounded(Number& x, float bound) {
  if (x.is_constant() || !x.is_finite() || x.type == kFlag || !may_not_wrap(bound, x.type)) return;
  x.bound = bound;
  x.in_range = true;
}

Dependence Algebra::all(std::span<const Number> of) {
  Dependence result;
  for (const Number& x : of) result = either(result, x.depends);
  return function_of(result);
}

Number Algebra::element(const Element& at, Type type) {
  const uint64_t keys[] = {static_cast<uint64_t>(at.atom), static_cast<uint64_t>(at.place)};
  const auto free = [&] { return variable(random_("element of an atom", keys), type); };
  Cases* const cases = reading_.cases;
  if (cases == nullptr) return free();
  const auto coin = [&](float bits) {
    return cases->coins().coin(random_("element of an atom", keys).r, bits);
  };
  if (type == kFlag) {
    const auto value = cases->chosen(at, 2);
    return value ? exact_flag(*value != 0) : depending(exact_flag(cases->flag(at)), coin(1));
  }
  if (is_integer_type(type)) {
    PlainInt size = 0;
    if (const auto index = cases->index(at, size)) {
      if (const auto value = cases->chosen(at, size)) return exact(Rational(*value), type);
      return depending(exact(Rational(*index), type), coin(std::log2(static_cast<float>(size))));
    }
    const Number result = free();
    cases->remember_integer(result.value.r, at);
    return result;
  }
  if (const Tie* tie = cases->tie(at)) {
    std::vector<Number> terms{exact(tie->constant, type)};
    for (const auto& [other, times] : tie->others)
      terms.push_back(scaled(element(other, type), times));
    return sum(std::move(terms));
  }
  const Number result = free();
  cases->remember_real(result.value.r, at);
  return result;
}

Line Algebra::line_of(const Number& x) {
  if (x.is_constant()) return {0, Rational(0), rational(x)};
  if (x.line >= 0) return cases()->line(x.line);
  const uint64_t negative = minus<kP>(x.value.r);
  const int orientation = x.value.r <= negative ? 1 : -1;
  Line line{std::min(x.value.r, negative), Rational(orientation), Rational(0)};
  cases()->describe(line.base, orientation, x);
  return line;
}

// The base of a sum of several bases has 1 as the coefficient of the least of them, so that it is
// the same for multiples of the sum.
void Algebra::set_line(Number& result, const std::vector<Number>& terms) {
  if (!is_real(result) || result.is_constant()) return;
  try {
    std::vector<Line> lines;
    Rational beta(0);
    for (const Number& x : terms) {
      Line line = line_of(x);
      beta = beta + line.beta;
      if (!line.alpha.is_zero()) lines.push_back(std::move(line));
    }
    std::sort(lines.begin(), lines.end(),
              [](const Line& a, const Line& b) { return a.base < b.base; });
    std::vector<Line> merged;
    for (Line& line : lines) {
      if (!merged.empty() && merged.back().base == line.base)
        merged.back().alpha = merged.back().alpha + line.alpha;
      else
        merged.push_back(std::move(line));
      if (merged.back().alpha.is_zero()) merged.pop_back();
    }
    if (merged.empty()) {  // inputs that are at a tie
      const Dependence depends = result.depends;
      if (residues_of(beta).r == result.value.r)
        result = depending(exact(beta, result.type), depends);
      return;
    }
    Line line{merged[0].base, merged[0].alpha, beta};
    if (merged.size() > 1) {
      const Residues scale = residues_of(line.alpha);
      const uint64_t r = ((result.value - residues_of(beta)) * inverse(scale)).r;
      line.base = std::min(r, minus<kP>(r));
      const int orientation = line.base == r ? 1 : -1;
      std::vector<std::pair<uint64_t, Rational>> sum;
      for (const Line& each : merged)
        sum.emplace_back(each.base, each.alpha / line.alpha * Rational(orientation));
      note_terms(line.base, sum);
      cases()->describe_sum(line.base, sum);
      if (orientation < 0) line.alpha = -line.alpha;
      if (beta.is_zero()) cases()->describe(line.base, line.alpha.is_positive() ? 1 : -1, result);
    }
    result.line = cases()->store(line);
  } catch (const RationalOverflow&) {
    result.line = -1;
  }
}

// What has the sign of the number: without factors that are positive, whose residues may be no
// squares.
uint64_t Algebra::side_of(const Number& x) const {
  if (x.is_constant()) return rational(x).is_negative() ? minus<kP>(1) : 1;
  if (x.positive) return 1;
  return x.side != 0 ? x.side : x.value.r;
}

Number Algebra::sum(std::vector<Number> terms) {
  Number result = depending(plain_sum(terms), {});
  if (is_integer_type(result.type)) bounded(result, bound_of(terms));
  if (cases() == nullptr) {
    shared_.learn_sum(result, terms);
    return result;
  }
  // What is added to an infinity is lost, and an integer may wrap: then the sum is no sum of terms.
  const bool infinite =
      std::any_of(terms.begin(), terms.end(), [](const Number& x) { return !x.is_finite(); });
  if (infinite || (is_integer_type(result.type) && !may_not_wrap(bound_of(terms), result.type)))
    result.depends = all(terms);
  else
    for (const Number& x : terms) result.depends = either(result.depends, x.depends);
  result.side = 0;
  set_line(result, terms);
  return result;
}

Number Algebra::scaled(const Number& x, const Rational& by) {
  Number result = plain_multiple(x, by);
  if (is_integer_type(result.type))
    bounded(result, bound_of({&x, 1}) * static_cast<float>(std::abs(by.to_double())));
  if (reading_.formal_logs && x.positive && by.is_positive() && !x.is_constant())
    learn_factors(result, {x.value, Rational(1)}, {residues_of(by), Rational(1)});
  result.depends = x.depends;
  if (cases() == nullptr) shared_.learn_multiple(result, x, by);
  if (cases() == nullptr || !x.is_finite() || by.is_one()) return result;
  result.side = x.side == 0 ? 0 : by.is_negative() ? minus<kP>(x.side) : x.side;
  if (!is_real(x) || x.is_constant() || by.is_zero()) return result;
  try {
    const Line line = line_of(x);
    result.line = cases()->store({line.base, line.alpha * by, line.beta * by});
  } catch (const RationalOverflow&) {
    result.line = -1;
  }
  return result;
}

Number Algebra::multiply(const Number& a, const Number& b) {
  Number result = plain_product(a, b);
  if (cases() == nullptr) {
    shared_.learn_product(result, a, b);
    return result;
  }
  result.depends = both(a.depends, b.depends);
  if (a.is_constant() || b.is_constant() || !is_real(result)) return result;
  result.line = -1;
  result.side = times<kP>(side_of(a), side_of(b));
  note_factors(result, a, b);
  if (a.value.r == b.value.r) {
    result.side = 0;
    known_roots_.of_squares.emplace(result.value.r, a);
  }
  return result;
}

Number Algebra::infinite_product(const Number& infinite, const Number& by) {
  const Number s = sign(by, Meaning::kContinuous);
  if (s.kind == Kind::kNan) return undefined();
  return depending(scaled(infinite, rational(s)), both(infinite.depends, s.depends));
}

Number Algebra::reciprocal(const Number& x) {
  Number result = depending(plain_reciprocal(x), one_over(x));
  if (cases() != nullptr && x.is_finite()) result.side = x.side;
  return result;
}

// What is made of roots that are taken for it.
Number Algebra::rooted(const Dependence& on, FreeRoot where_free,
                       const std::function<Number()>& make) {
  if (cases() != nullptr) cases()->take_free_root();  // of what came before
  Number result = depending(make(), on);
  if (cases() != nullptr && cases()->take_free_root())
    result.depends.free_root = std::max(result.depends.free_root, where_free);
  return result;
}

Number Algebra::exp(const Number& x) {
  return rooted(function_of(x.depends), FreeRoot::kOfAny, [&] { return plain_exp(x); });
}

Number Algebra::log(const Number& x) {
  Number result = depending(plain_log(x), function_of(x.depends));
  if (x.is_constant() && (rational(x) - Rational(1)).is_positive()) result.positive = true;
  return result;
}

Number Algebra::root(const Number& x, PlainInt numerator, PlainInt denominator) {
  if (cases() != nullptr && denominator == 2 && x.is_finite() && !x.is_constant())
    if (const auto found = known_roots_.of_squares.find(x.value.r);
        found != known_roots_.of_squares.end())
      return power(magnitude(found->second), numerator);
  Number result =
      rooted(function_of(x.depends), x.nonnegative ? FreeRoot::kOfNonnegative : FreeRoot::kOfAny,
             [&] { return plain_root(x, numerator, denominator); });
  if (x.positive && !x.is_constant() && result.is_finite())
    learn_factors(result, {x.value, Rational(numerator, denominator)}, {});
  return result;
}

Number Algebra::typed(Number x, Type type) {
  const Dependence depends = x.depends;
  return depending(plain_typed(std::move(x), type), depends);
}

Number Algebra::cast(const Number& x, Type to) {
  Number result = plain_cast(x, to);
  result.depends = either(result.depends, x.depends);
  if (x.type != kFlag && to != kReal) result.depends = function_of(result.depends);
  return result;
}

Number Algebra::limited(const Number& x, const Number& limit, bool above) {
  if (cases() == nullptr || !cases()->sets())
    return above ? minimum({x, limit}) : maximum({x, limit});
  if (above) return negated(limited(negated(x), negated(limit), false));
  const std::vector<Number> pair{x, limit};
  return depending(plain_maximum(pair), all(pair));
}

bool Algebra::are_flags(const std::vector<Number>& of) const {
  return of.size() > 1 && std::all_of(of.begin(), of.end(), [&](const Number& x) {
           return is_flag(x) && x.type == of[0].type;
         });
}

// Of numbers that are 0 or 1: whether one of them is 1.
Number Algebra::any_flag(const std::vector<Number>& of) {
  Number any = of[0];
  for (size_t i = 1; i < of.size(); ++i) any = disjunction(any, of[i]);
  any.type = of[0].type;
  return any;
}

Number Algebra::maximum(const std::vector<Number>& of) {
  const auto is_below = [&](const Number& x) {
    return x.is_constant() && !is_integer_type(x.type) && !rational(x).is_positive();
  };
  // A number that is known not to be negative is never less than such a constant.
  if (std::any_of(of.begin(), of.end(), [&](const Number& x) {
        return x.is_finite() && x.nonnegative && !is_below(x);
      })) {
    std::vector<Number> others = of;
    if (std::erase_if(others, is_below) > 0) return maximum(others);
  }
  if (cases() != nullptr) return decided_maximum(of);
  return are_flags(of) ? any_flag(of) : plain_maximum(of);
}

Number Algebra::minimum(const std::vector<Number>& of) {
  if (cases() == nullptr && are_flags(of)) {
    std::vector<Number> unset;
    for (const Number& x : of) unset.push_back(negation(x));
    Number all = negation(any_flag(unset));
    all.type = of[0].type;
    return all;
  }
  if (cases() == nullptr) return plain_minimum(of);
  const bool integer =
      std::any_of(of.begin(), of.end(), [](const Number& x) { return is_integer_type(x.type); });
  Number result = plain_minimum(of);
  if (integer) result.depends = all(of);
  return result;
}

}  // namespace assay::checker::identity
