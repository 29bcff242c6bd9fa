// kMap of real numbers by formulas over exponentials, roots, extrema and flags.
#include <cmath>
#include <set>
#include <unordered_map>

#include "static_check/checker/facts/regions.h"
#include "static_check/checker/identity/functions.h"
#include "static_check/checker/identity/integer_functions.h"

namespace assay::checker::identity {
namespace {

using Args = std::span<const Number>;

// The formulas.
class Functions {
 public:
  Functions(Algebra& algebra, const Use& use) : a_(algebra), use_(use) {}

  Number number(PlainInt p, PlainInt q = 1) { return a_.exact(Rational(p, q)); }
  Number one() { return number(1); }
  Number attribute(size_t i) { return a_.constant(use_.fn.number(i)); }
  bool has_attribute(size_t i) const { return !std::isnan(use_.fn.number(i)); }
  Number plus_one(const Number& x) { return a_.add(x, one()); }
  Number one_less(const Number& x) { return a_.subtract(one(), x); }
  Number square(const Number& x) { return a_.multiply(x, x); }
  Number quotient(const Number& x, const Number& y) { return a_.multiply(x, a_.reciprocal(y)); }

  // Of no finite number. In a case it is not to be taken for undefined if it may have a limit.
  Number beyond(const Number& x) {
    if (x.is_infinite() && a_.cases() != nullptr) throw Rejection{"a function of infinity"};
    return a_.undefined();
  }

  // f(-x) = -f(x).
  Number odd(const char* name, const Number& x) {
    if (!x.is_finite()) return beyond(x);
    if (x.value.r == 0) return number(0);
    const bool flipped = x.value.r > minus<kP>(x.value.r);
    const uint64_t keys[] = {flipped ? minus<kP>(x.value.r) : x.value.r};
    const Number result = a_.variable(a_.random(name, keys), kReal);
    return flipped ? a_.negated(result) : result;
  }
  Number cosine(const Number& x) { return x.is_finite() ? a_.cos(x) : beyond(x); }
  Number sine(const Number& x) { return x.is_finite() ? a_.sin(x) : beyond(x); }
  Number erf(const Number& x) {
    if (x.is_infinite()) return number(x.kind == Kind::kInfinity ? 1 : -1);
    return odd("erf", x);
  }

  // 1 less it is exp(-x) times it, which is positive.
  Number sigmoid(const Number& x) {
    const Number inverse = a_.exp(a_.negated(x)), result = a_.reciprocal(plus_one(inverse));
    if (x.is_finite() && result.is_finite()) a_.learn_positive(a_.multiply(inverse, result));
    return result;
  }
  // Without infinities of both signs where x is one.
  Number tanh(const Number& x) {
    return a_.subtract(one(),
                       a_.scaled(a_.reciprocal(plus_one(a_.exp(a_.scaled(x, Rational(2))))), 2));
  }
  // Attributes: how steep, and from where on it is x itself, which is within exp(-20) of the rest.
  bool bends_late() const { return use_.fn.number(0) > 0 && use_.fn.number(1) >= 20; }
  Number softplus(const Number& x) {
    if (!bends_late()) return a_.unknown("map " + use_.text, {{x}}, kReal);
    return quotient(a_.log(plus_one(a_.exp(a_.multiply(attribute(0), x)))), attribute(0));
  }
  Number softplus_slope(const Number& x) {
    if (!bends_late()) return a_.unknown("map " + use_.text, {{x}}, kReal);
    return sigmoid(a_.multiply(attribute(0), x));
  }
  Number smooth_l1(const Number& x) {
    const Number size = magnitude(x), beta = attribute(0);
    const Number bowl = a_.scaled(quotient(square(x), beta), Rational(1, 2));
    const Number line = a_.subtract(size, a_.scaled(beta, Rational(1, 2)));
    return a_.where(a_.greater(beta, size), bowl, line);
  }
  Number silu_slope(const Number& x) {
    const Number s = sigmoid(x);
    return a_.multiply(s, plus_one(a_.multiply(x, one_less(s))));
  }
  Number mish(const Number& x) {
    const Number e = square(plus_one(a_.exp(x)));
    return quotient(a_.multiply(x, a_.subtract(e, one())), plus_one(e));
  }

  // Phi(x), the normal distribution.
  Number normal(const Number& x) {
    return a_.scaled(plus_one(erf(a_.scaled(a_.multiply(x, a_.root_two()), Rational(1, 2)))),
                     Rational(1, 2));
  }
  Number bent(const Number& x) {  // the argument of tanh in gelu's approximation
    const Number cube = a_.multiply(a_.constant(0.044715), a_.power(x, 3));
    return a_.multiply(root_two_by_pi(), a_.add(x, cube));
  }
  Number root_two_by_pi() { return quotient(a_.root_two(), a_.root_pi()); }
  bool exactly() const { return use_.fn.text(0) == "none"; }
  Number gelu(const Number& x) {
    if (exactly()) return a_.multiply(x, normal(x));
    return a_.scaled(a_.multiply(x, plus_one(tanh(bent(x)))), Rational(1, 2));
  }
  Number gelu_slope(const Number& x) {
    if (exactly()) {
      const Number bell = a_.exp(a_.scaled(square(x), Rational(-1, 2)));
      const Number height = a_.reciprocal(a_.multiply(a_.root_two(), a_.root_pi()));
      return a_.add(normal(x), a_.multiply(a_.multiply(x, bell), height));
    }
    const Number t = tanh(bent(x));
    const Number inner =
        plus_one(a_.multiply(a_.scaled(a_.constant(0.044715), Rational(3)), square(x)));
    const Number slope =
        a_.multiply(a_.multiply(root_two_by_pi(), inner), a_.multiply(x, one_less(square(t))));
    return a_.scaled(a_.add(plus_one(t), slope), Rational(1, 2));
  }

  Number magnitude(const Number& x) {
    if (a_.cases() != nullptr) return a_.magnitude(x);
    const Number result = a_.root(square(x), 1, 2);
    a_.learn_magnitude(result, x);
    return result;
  }
  Number clamp(const Number& x) {
    Number result = x;
    const auto limit = [&](size_t i, bool above) {
      if (!has_attribute(i)) return;
      const double bound = use_.fn.number(i);
      // The largest number of bfloat16, or of float32.
      if (a_.cases() == nullptr && result.is_finite() && !result.is_constant() &&
          (above ? bound : -bound) >= 0x1.fep127)
        return;
      if (std::abs(bound) > 0x1p100)
        result = a_.limited(result, attribute(i), above);
      else
        result = above ? a_.minimum({result, attribute(i)}) : a_.maximum({result, attribute(i)});
    };
    limit(0, false);
    limit(1, true);
    return result;
  }
  Number clamped_six(const Number& x) {
    return a_.minimum({a_.maximum({a_.add(x, number(3)), number(0)}), number(6)});
  }
  Number leaky_relu(const Number& x) {
    const Number zero = number(0);
    return a_.add(a_.maximum({x, zero}), a_.multiply(attribute(0), a_.minimum({x, zero})));
  }
  Number elu(const Number& x) {
    const Number low = a_.subtract(a_.exp(a_.multiply(x, attribute(2))), one());
    return a_.multiply(attribute(1),
                       a_.where(a_.greater(x, number(0)), x, a_.multiply(attribute(0), low)));
  }

  Number pow(Args of) {
    const Number exponent = of.size() > 1 ? of[1] : attribute(0);
    if (exponent.is_constant()) {
      const Rational& value = a_.rational(exponent);
      if (value.fits(PlainInt{1} << 16)) {
        const auto p = static_cast<PlainInt>(value.numerator());
        const auto q = static_cast<PlainInt>(value.denominator());
        if (!of[0].is_finite() && p <= 0) return beyond(of[0]);
        return q == 1 ? a_.power(of[0], p) : a_.root(of[0], p, q);
      }
    }
    if (of[0].positive && exponent.is_finite()) return a_.exp(a_.multiply(exponent, a_.log(of[0])));
    const Number operands[] = {of[0], exponent};
    return a_.unknown("pow", operands, kReal);
  }

  Number sign(const Number& x) {
    if (a_.cases() != nullptr) return a_.sign(x, Meaning::kComparison);
    return a_.typed(a_.subtract(a_.greater(x, number(0)), a_.greater(number(0), x)), kReal);
  }
  Number floor(const Number& x) {
    if (x.is_constant() && a_.rational(x).is_integer()) return x;
    return a_.unknown("floor", {{x}}, kReal);
  }
  Number whole(const char* name, const Number& x) {
    if (x.is_constant() && a_.rational(x).is_integer()) return x;
    return odd(name, x);
  }

  Algebra& algebra() { return a_; }

 private:
  Algebra& a_;
  const Use& use_;
};

using Formula = Number (*)(Functions& f, Args of);

#define ASSAY_FORMULA(expression)              \
  [](Functions& f, Args of) -> Number {        \
    [[maybe_unused]] Algebra& a = f.algebra(); \
    [[maybe_unused]] const Number& x = of[0];  \
    return expression;                         \
  }

const std::unordered_map<std::string_view, Formula> kFormulas = {
    {"reciprocal", ASSAY_FORMULA(a.reciprocal(x))},
    {"exp", ASSAY_FORMULA(a.exp(x))},
    {"exp2", ASSAY_FORMULA(a.exp(a.multiply(x, a.log_two())))},
    {"expm1", ASSAY_FORMULA(a.subtract(a.exp(x), f.one()))},
    {"log", ASSAY_FORMULA(a.log(x))},
    {"log1p", ASSAY_FORMULA(a.log(f.plus_one(x)))},
    {"log2", ASSAY_FORMULA(f.quotient(a.log(x), a.log_two()))},
    {"log10", ASSAY_FORMULA(f.quotient(a.log(x), a.log(f.number(10))))},
    {"xlogy", ASSAY_FORMULA(a.is_exactly(x, Rational(0)) ? x : a.multiply(x, a.log(of[1])))},
    {"hypot", ASSAY_FORMULA(a.root(a.add(f.square(x), f.square(of[1])), 1, 2))},
    {"log_sigmoid", ASSAY_FORMULA(a.negated(a.log(f.plus_one(a.exp(a.negated(x))))))},
    {"sqrt", ASSAY_FORMULA(a.root(x, 1, 2))},
    {"rsqrt", ASSAY_FORMULA(a.reciprocal(a.root(x, 1, 2)))},
    {"pow", [](Functions& f, Args of) { return f.pow(of); }},
    {"sin", ASSAY_FORMULA(f.sine(x))},
    {"cos", ASSAY_FORMULA(f.cosine(x))},
    {"tan", ASSAY_FORMULA(f.quotient(f.sine(x), f.cosine(x)))},
    {"asin", ASSAY_FORMULA(f.odd("asin", x))},
    {"atan", ASSAY_FORMULA(f.odd("atan", x))},
    {"asinh", ASSAY_FORMULA(a.log(a.add(x, a.root(f.plus_one(f.square(x)), 1, 2))))},
    {"atanh", ASSAY_FORMULA(a.scaled(a.subtract(a.log(f.plus_one(x)), a.log(f.one_less(x))),
                                     Rational(1, 2)))},
    {"sinh", ASSAY_FORMULA(a.scaled(a.subtract(a.exp(x), a.exp(a.negated(x))), Rational(1, 2)))},
    {"cosh", ASSAY_FORMULA(a.scaled(a.add(a.exp(x), a.exp(a.negated(x))), Rational(1, 2)))},
    {"tanh", ASSAY_FORMULA(f.tanh(x))},
    {"tanh_slope", ASSAY_FORMULA(f.one_less(f.square(x)))},
    {"erf", ASSAY_FORMULA(f.erf(x))},
    {"erfc", ASSAY_FORMULA(f.one_less(f.erf(x)))},
    {"sigmoid", ASSAY_FORMULA(f.sigmoid(x))},
    {"sigmoid_slope", ASSAY_FORMULA(a.multiply(x, f.one_less(x)))},
    {"silu", ASSAY_FORMULA(a.multiply(x, f.sigmoid(x)))},
    {"silu_slope", ASSAY_FORMULA(f.silu_slope(x))},
    {"mish", ASSAY_FORMULA(f.mish(x))},
    {"gelu", ASSAY_FORMULA(f.gelu(x))},
    {"gelu_slope", ASSAY_FORMULA(f.gelu_slope(x))},
    {"softplus", ASSAY_FORMULA(f.softplus(x))},
    {"softplus_slope", ASSAY_FORMULA(f.softplus_slope(x))},
    {"smooth_l1", ASSAY_FORMULA(f.smooth_l1(x))},
    {"relu", ASSAY_FORMULA(a.maximum({x, f.number(0)}))},
    {"abs", ASSAY_FORMULA(f.magnitude(x))},
    {"maximum", ASSAY_FORMULA(a.maximum({x, of[1]}))},
    {"minimum", ASSAY_FORMULA(a.minimum({x, of[1]}))},
    {"clamp", ASSAY_FORMULA(f.clamp(x))},
    {"hardsigmoid", ASSAY_FORMULA(a.scaled(f.clamped_six(x), Rational(1, 6)))},
    {"hardswish", ASSAY_FORMULA(a.multiply(x, a.scaled(f.clamped_six(x), Rational(1, 6))))},
    {"leaky_relu", ASSAY_FORMULA(f.leaky_relu(x))},
    {"elu", ASSAY_FORMULA(f.elu(x))},
    {"sign", ASSAY_FORMULA(f.sign(x))},
    {"floor", ASSAY_FORMULA(f.floor(x))},
    {"ceil", ASSAY_FORMULA(a.negated(f.floor(a.negated(x))))},
    {"round", ASSAY_FORMULA(f.whole("round", x))},
    {"trunc", ASSAY_FORMULA(f.whole("trunc", x))},
};

#undef ASSAY_FORMULA

}  // namespace

namespace {

Number map_of_hidden(Algebra& algebra, const Use& use, Args of) {
  const std::string_view name = use.fn.name;
  if (name == "exp" && use.type == kReal) return algebra.exp(of[0]);
  if (name == "maximum" && use.type == kReal) return algebra.maximum({of.begin(), of.end()});
  if (name == "clamp" && use.type == kReal) {
    constexpr double kFar = 0x1p100;
    const bool below = use.fn.text(0) != "none" && use.fn.number(0) <= -kFar;
    const bool above = use.fn.text(1) == "none" || use.fn.number(1) >= kFar;
    return below && above ? algebra.limited_hidden(of[0]) : Algebra::undefined();
  }
  if ((name == "eq" || name == "ne") && of[1].kind == Kind::kMinusInfinity)
    if (const auto flag = algebra.is_minus_infinity(of[0]))
      return name == "eq" ? *flag : algebra.negation(*flag);
  return Algebra::undefined();
}

}  // namespace

// What is rounded to an integer, and what an integer quotient leaves, of constants that doubles
// hold as they are, where that is an integer.
static std::optional<Number> whole_of_constants(Algebra& algebra, const Use& use, Args of) {
  static const std::set<std::string_view> kWhole{"floor",     "ceil",      "round",     "trunc",
                                                 "div_floor", "div_trunc", "remainder", "fmod"};
  constexpr double kLargest = 0x1p26;
  constexpr int kSmallest = -26;  // power of two that a denominator is
  if (!kWhole.contains(use.fn.name)) return std::nullopt;
  std::vector<double> at;
  for (const Number& x : of) {
    if (!x.is_constant()) return std::nullopt;
    const auto [p, q, e] = algebra.rational(x).parts();
    at.push_back(algebra.rational(x).to_double());
    if (q != 1 || e < kSmallest || std::abs(at.back()) > kLargest) return std::nullopt;
  }
  const double result = reference::find_map(use.fn.name)(use.fn, at);
  if (!(std::abs(result) <= kLargest) || result != std::floor(result)) return std::nullopt;
  return algebra.exact(Rational(static_cast<PlainInt>(result)));
}

Number map(Algebra& algebra, const Use& use, std::span<const Number> of) {
  if (std::any_of(of.begin(), of.end(), is_hidden)) return map_of_hidden(algebra, use, of);
  if (auto known = flag_function(algebra, use, of)) return *known;
  bool integer = is_integer_type(use.type);
  for (const Number& x : of) integer = integer || is_integer_type(x.type);
  if (integer) {
    Number result = integer_function(algebra, use, of);
    result.depends = algebra.both(result.depends, algebra.all(of));
    return result;
  }
  // Logarithms stay what exponentials undo.
  if (use.type == kReal && !use.fn.name.starts_with("log"))
    if (const auto known =
            algebra.branch_by_branch(of, kReal, [&](Args branch) -> std::optional<Number> {
              // Of a divisor that one flag leaves out another one may leave something.
              if (use.fn.name == "reciprocal" && algebra.may_be_nothing(branch[0]))
                return std::nullopt;
              return map(algebra, use, branch);
            }))
      return *known;
  const bool of_one = use.type == kReal && !use.fn.name.starts_with("log") && of.size() == 1 &&
                      algebra.cases() == nullptr;
  if (of_one) {
    if (const auto known = algebra.known_of_sum(use.text, of[0])) return *known;
    if (const auto known = algebra.member_by_member(
            of, kReal, [&](Args member) { return std::optional(map(algebra, use, member)); }))
      return *known;
  }
  const bool asked = use.fn.name == "isnan" || use.fn.name == "isinf";
  if (asked && (of[0].is_constant() || of[0].is_infinite()))
    return algebra.exact_flag(use.fn.name == "isinf" && of[0].is_infinite());
  if (use.type == kReal)
    if (const auto whole = whole_of_constants(algebra, use, of)) return *whole;
  const auto found = kFormulas.find(use.fn.name);
  if (found == kFormulas.end() || use.type != kReal)
    return algebra.unknown("map " + use.text, of, use.type);
  Functions functions(algebra, use);
  Number result = found->second(functions, of);
  if (of_one) algebra.learn_of_sum(use.text, of[0], result);
  if (use.fn.name == "reciprocal") return result;  // a fraction, of which the rest is one too
  for (const Number& x : of) result.depends = algebra.either(result.depends, x.depends);
  result.depends = algebra.function_of(result.depends);
  return result;
}

}  // namespace assay::checker::identity
