// Functions of floating numbers by what they are made of: shared_ir/reference/map_functions.cpp
// over the algebra.
#include <functional>
#include <unordered_map>

#include <fmt/format.h>

#include "shared_ir/reference/element_functions.h"
#include "static_check/identity/functions.h"

namespace assay::identity {

Number Functions::sigmoid(const Number& x) {
  return algebra_.reciprocal(
      algebra_.add(algebra_.constant(1), algebra_.exponential(algebra_.negative(x))));
}

// 1 - 2 / (exp(2 x) + 1).
Number Functions::tanh(const Number& x) {
  const Number one = algebra_.constant(1);
  const Number power = algebra_.exponential(algebra_.scaled(x, 2));
  return algebra_.subtract(one, algebra_.scaled(algebra_.reciprocal(algebra_.add(power, one)), 2));
}

// Whether x is one, where that is known; another number may be beyond the range of its type.
static std::optional<Number> asked(Algebra& algebra, const Number& x, int64_t of_infinity) {
  if (!x.is_finite()) return algebra.constant(of_infinity);
  if (algebra.constant_of(x) != nullptr) return algebra.constant(0);
  return std::nullopt;
}

Number Functions::magnitude(const Number& x) {
  return algebra_.cases() != nullptr ? algebra_.maximum(x, algebra_.negative(x))
                                     : algebra_.magnitude(x);
}

// Of softplus(beta, threshold), beta x. Beyond a threshold of 20 its value is what the formula
// gives but for exp(-20).
std::optional<Number> Functions::below_threshold(const reference::FunctionName& name,
                                                 const Number& x) {
  constexpr double kFar = 20;
  if (!(name.number(1) >= kFar) || !(name.number(0) > 0)) return std::nullopt;
  readings_.insert(fmt::format(
      "the threshold {} of softplus is read as none, which differs by exp(-{}) beyond it",
      name.number(1), name.number(1)));
  return algebra_.multiply(x, number(name.number(0)));
}

Number Functions::odd(std::string_view name, const Number& x) {
  if (algebra_.is_zero(x)) return x;
  const uint64_t key = algebra_.key(x), other = kValues.negative(key);
  const uint64_t keys[] = {std::min(key, other)};
  const Number result = algebra_.random(name, keys);
  return key <= other ? result : algebra_.negative(result);
}

std::optional<Number> Functions::formula(const std::string& fn, std::span<const Number> arguments) {
  using reference::FunctionName;
  using Call = std::span<const Number>;
  using ElementFormula =
      std::function<std::optional<Number>(Functions&, Algebra&, const FunctionName&, Call)>;
#define ASSAY_FORMULA(expression)                                                            \
  [](Functions& f, Algebra& a, const FunctionName& name, Call at) -> std::optional<Number> { \
    (void)f, (void)a, (void)name;                                                            \
    const Number& x = at[0];                                                                 \
    return expression;                                                                       \
  }
  static const std::unordered_map<std::string_view, ElementFormula> kFormulas = {
      {"reciprocal", ASSAY_FORMULA(a.reciprocal(x))},
      {"exp", ASSAY_FORMULA(a.exponential(x))},
      {"exp2", ASSAY_FORMULA(a.exponential(a.multiply(x, a.settled(a.logarithm(a.constant(2))))))},
      {"expm1", ASSAY_FORMULA(a.subtract(a.exponential(x), a.constant(1)))},
      {"log", ASSAY_FORMULA(a.logarithm(x))},
      {"log2", ASSAY_FORMULA(a.multiply(a.logarithm(x),
                                        a.reciprocal(a.settled(a.logarithm(a.constant(2))))))},
      {"log10", ASSAY_FORMULA(a.multiply(a.logarithm(x),
                                         a.reciprocal(a.settled(a.logarithm(a.constant(10))))))},
      {"sqrt", ASSAY_FORMULA(a.power(x, Rational(1, 2)))},
      {"rsqrt", ASSAY_FORMULA(a.reciprocal(a.power(x, Rational(1, 2))))},
      {"sin", ASSAY_FORMULA(a.sine(x))},
      {"cos", ASSAY_FORMULA(a.cosine(x))},
      {"tan", ASSAY_FORMULA(a.multiply(a.sine(x), a.reciprocal(a.cosine(x))))},
      {"asin", ASSAY_FORMULA(f.odd("asin", x))},
      {"atan", ASSAY_FORMULA(f.odd("atan", x))},
      {"asinh", ASSAY_FORMULA(a.logarithm(
                    a.add(x, a.power(a.add(a.multiply(x, x), a.constant(1)), Rational(1, 2)))))},
      {"atanh", ASSAY_FORMULA(a.scaled(a.subtract(a.logarithm(a.add(a.constant(1), x)),
                                                  a.logarithm(a.subtract(a.constant(1), x))),
                                       Rational(1, 2)))},
      {"log1p", ASSAY_FORMULA(a.logarithm(a.add(a.constant(1), x)))},
      {"erf", ASSAY_FORMULA(f.odd("erf", x))},
      {"erfc", ASSAY_FORMULA(a.subtract(a.constant(1), f.odd("erf", x)))},
      {"sinh", ASSAY_FORMULA(a.scaled(a.subtract(a.exponential(x), a.exponential(a.negative(x))),
                                      Rational(1, 2)))},
      {"cosh", ASSAY_FORMULA(a.scaled(a.add(a.exponential(x), a.exponential(a.negative(x))),
                                      Rational(1, 2)))},
      {"tanh", ASSAY_FORMULA(f.tanh(x))},
      {"tanh_slope", ASSAY_FORMULA(a.subtract(a.constant(1), a.multiply(x, x)))},
      {"sigmoid", ASSAY_FORMULA(f.sigmoid(x))},
      {"sigmoid_slope", ASSAY_FORMULA(a.multiply(x, a.subtract(a.constant(1), x)))},
      {"silu", ASSAY_FORMULA(a.multiply(x, f.sigmoid(x)))},
      {"silu_slope",
       [](Functions& f, Algebra& a, const FunctionName&, Call at) -> std::optional<Number> {
         const Number one = a.constant(1), s = f.sigmoid(at[0]);
         return a.multiply(s, a.add(one, a.multiply(at[0], a.subtract(one, s))));
       }},
      {"log_sigmoid",
       ASSAY_FORMULA(a.negative(a.logarithm(a.add(a.constant(1), a.exponential(a.negative(x))))))},
      {"softplus",
       [](Functions& f, Algebra& a, const FunctionName& name, Call at) -> std::optional<Number> {
         const auto x = f.below_threshold(name, at[0]);
         if (!x) return std::nullopt;
         return a.multiply(a.logarithm(a.add(a.constant(1), a.exponential(*x))),
                           a.reciprocal(f.number(name.number(0))));
       }},
      {"softplus_slope",
       [](Functions& f, Algebra&, const FunctionName& name, Call at) -> std::optional<Number> {
         const auto x = f.below_threshold(name, at[0]);
         return x ? std::optional(f.sigmoid(*x)) : std::nullopt;
       }},
      {"smooth_l1",
       [](Functions& f, Algebra& a, const FunctionName& name, Call at) -> std::optional<Number> {
         const Number size = f.magnitude(at[0]), bend = f.number(name.number(0));
         const Number near = a.is_positive(a.subtract(bend, size));
         const Number half = a.constant(Rational(1, 2));
         const Number square =
             a.multiply(half, a.multiply(a.multiply(at[0], at[0]), a.reciprocal(bend)));
         return a.add(a.keep(near, square),
                      a.keep(a.negation(near), a.subtract(size, a.multiply(half, bend))));
       }},
      {"relu", ASSAY_FORMULA(a.maximum(x, a.constant(0)))},
      {"abs", ASSAY_FORMULA(f.magnitude(x))},
      {"sign", ASSAY_FORMULA(a.subtract(a.is_positive(x), a.is_positive(a.negative(x))))},
      {"maximum", ASSAY_FORMULA(a.maximum(x, at[1]))},
      {"minimum", ASSAY_FORMULA(a.minimum(x, at[1]))},
      {"isnan",
       [](Functions&, Algebra& a, const FunctionName&, Call at) { return asked(a, at[0], 0); }},
      {"isinf",
       [](Functions&, Algebra& a, const FunctionName&, Call at) { return asked(a, at[0], 1); }},
      // 0 where x is, whatever y is.
      {"xlogy", ASSAY_FORMULA(a.is_zero(x) ? x : a.multiply(x, a.logarithm(at[1])))},
      {"hypot",
       ASSAY_FORMULA(a.power(a.add(a.multiply(x, x), a.multiply(at[1], at[1])), Rational(1, 2)))},
      {"hardsigmoid",
       ASSAY_FORMULA(
           a.scaled(a.minimum(a.maximum(a.add(x, a.constant(3)), a.constant(0)), a.constant(6)),
                    Rational(1, 6)))},
      {"hardswish", ASSAY_FORMULA(a.scaled(
                        a.multiply(x, a.minimum(a.maximum(a.add(x, a.constant(3)), a.constant(0)),
                                                a.constant(6))),
                        Rational(1, 6)))},
      {"clamp",
       [](Functions& f, Algebra& a, const FunctionName& name, Call at) -> std::optional<Number> {
         // A limit that is the largest number of float32, or beyond, leaves numbers as they are.
         // Another one beyond all numbers keeps a maximum, of which ties may leave one element.
         const auto limited = [&](const Number& x, double limit, bool from_below) {
           if (a.cases() == nullptr && x.is_finite() && a.constant_of(x) == nullptr &&
               (from_below ? -limit : limit) >= 0x1.fep127) {
             f.note_reading(fmt::format("numbers lie within the limit {} of a clamp", limit));
             return x;
           }
           if (std::abs(limit) <= 0x1p100 || a.decides_sets())
             return from_below ? a.maximum(x, f.number(limit)) : a.minimum(x, f.number(limit));
           if (from_below) return a.maximum_as_set(std::vector{x, f.number(limit)});
           return a.negative(
               a.maximum_as_set(std::vector{a.negative(x), a.negative(f.number(limit))}));
         };
         Number x = at[0];
         if (name.text(0) != "none") x = limited(x, name.number(0), true);
         if (name.text(1) != "none") x = limited(x, name.number(1), false);
         return x;
       }},
      {"leaky_relu",
       ASSAY_FORMULA(a.add(a.maximum(x, a.constant(0)),
                           a.multiply(f.number(name.number(0)), a.minimum(x, a.constant(0)))))},
      {"elu",
       [](Functions& f, Algebra& a, const FunctionName& name, Call at) -> std::optional<Number> {
         const Number below = a.multiply(
             f.number(name.number(0)),
             a.subtract(a.exponential(a.multiply(at[0], f.number(name.number(2)))), a.constant(1)));
         const Number flag = a.is_positive(at[0]);
         return a.multiply(f.number(name.number(1)),
                           a.add(a.keep(flag, at[0]), a.keep(a.negation(flag), below)));
       }},
      {"mish",
       [](Functions& f, Algebra& a, const FunctionName&,
          Call at) -> std::
                       optional<Number> {
                         return a.multiply(
                             at[0],
                             f.tanh(a.logarithm(a.add(a.constant(1), a.exponential(at[0])))));
                       }},
      {"pow",
       [](Functions&, Algebra& a, const FunctionName& name, Call at) -> std::optional<Number> {
         if (at.size() == 1) {
           const RationalFromDouble exact = rational_from_double(name.number(0));
           if (!exact.exact || !exact.value.fits(int64_t{1} << 16)) return std::nullopt;
           return a.power(at[0], exact.value);
         }
         if (const Rational* exponent = a.constant_of(at[1]);
             exponent != nullptr && exponent->fits(int64_t{1} << 16))
           return a.power(at[0], *exponent);
         if (at[0].sign == Sign::kPositive)
           return a.exponential(a.multiply(at[1], a.settled(a.logarithm(at[0]))));
         return std::nullopt;
       }},
      {"gelu",
       [](Functions& f, Algebra&, const FunctionName& name, Call at) -> std::optional<Number> {
         return f.gelu(name.text(0) == "none", at[0]);
       }},
      {"gelu_slope",
       [](Functions& f, Algebra&, const FunctionName& name, Call at) -> std::optional<Number> {
         return f.gelu_slope(name.text(0) == "none", at[0]);
       }},
  };
#undef ASSAY_FORMULA
  const FunctionName called = reference::parse_function_name(fn);
  if (!called.type.empty()) return std::nullopt;
  const auto found = kFormulas.find(called.name);
  if (found == kFormulas.end()) return std::nullopt;
  return found->second(*this, algebra_, called, arguments);
}

Number Functions::root_of(int64_t numerator, int64_t denominator) {
  return algebra_.power(algebra_.constant(Rational(numerator, denominator)), Rational(1, 2));
}

// x Phi(x), or with its approximation by tanh.
Number Functions::gelu(bool exact, const Number& x) {
  return algebra_.multiply(x, distribution(exact, x));
}

// Phi(x), or what stands for it.
Number Functions::distribution(bool exact, const Number& x) {
  Algebra& a = algebra_;
  const Number inner =
      exact
          ? odd("erf", a.multiply(x, root_of(1, 2)))
          : tanh(a.multiply(inner_scale(), a.add(x, a.multiply(number(0.044715), a.power(x, 3)))));
  return a.scaled(a.add(a.constant(1), inner), Rational(1, 2));
}

// sqrt(2 / pi).
Number Functions::inner_scale() {
  return algebra_.multiply(root_of(2, 1), algebra_.reciprocal(algebra_.random("sqrt(pi)", {})));
}

Number Functions::gelu_slope(bool exact, const Number& x) {
  Algebra& a = algebra_;
  const Number phi = distribution(exact, x);
  if (exact) {
    const Number density =
        a.multiply(a.exponential(a.scaled(a.multiply(x, x), Rational(-1, 2))),
                   a.multiply(root_of(1, 2), a.reciprocal(a.random("sqrt(pi)", {}))));
    return a.add(phi, a.multiply(x, density));
  }
  const Number t = a.subtract(a.scaled(phi, 2), a.constant(1));
  const Number slope =
      a.multiply(inner_scale(),
                 a.add(a.constant(1), a.multiply(a.scaled(number(0.044715), 3), a.multiply(x, x))));
  return a.add(
      phi, a.scaled(a.multiply(x, a.multiply(a.subtract(a.constant(1), a.multiply(t, t)), slope)),
                    Rational(1, 2)));
}

}  // namespace assay::identity
